/** One contender in a process of its own: runs a slice each time it is told to, and says how far it came. */
import { races } from './contenders.ts';
import { now } from './measure.ts';

const [group = '', engine = '', n = ''] = process.argv.slice(2);
const race = races[group];
if (race === undefined) throw new Error(`There is no race '${group}'.`);
const contender = race.contender(engine, Number(n));

process.on('message', (slice: number) => {
  globalThis.gc?.();
  const start = now();
  let events = 0;
  let spent = 0;
  do {
    events += contender.run();
    spent = now() - start;
  } while (spent < slice || events === 0);
  process.send?.({ events, spent });
});
process.send?.('ready');
