/** The program of `server-process.ts`: it loads everything, and opens its world when a line with options comes in. */
import { createInterface } from 'node:readline';
import { serve } from '../../src/server/serve.ts';
import { purseKinds } from './purses.ts';

const line = await new Promise<string>((resolve) => {
  createInterface({ input: process.stdin }).once('line', resolve);
});
const options = JSON.parse(line);
process.stdout.write('opening\n');
const server = await serve({ world: 'purses', kinds: purseKinds, port: 0, ...options });
process.once('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
});
const { entries, replayed } = server.document.report;
const found = entries.map((entry) =>
  entry.type === 'JournalEnds' && entry.isDamaged ? 'JournalDamaged' : entry.type,
);
const { url, world } = server;
world.on('command', ({ n, source: { id }, seq }) => {
  process.stdout.write(`${JSON.stringify({ n, id, seq })}\n`);
});
process.stdout.write(`${JSON.stringify({ url, found, replayed })}\n`);
