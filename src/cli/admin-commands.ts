/** Commands for a running world: `info`, `dump`, `advance`, `spawn-timers`. */
import type { Command } from 'commander';
import pc from 'picocolors';
import { CommandError } from '../core/errors.ts';
import type { InspectedRecord, ServerStats } from '../protocol/admin.ts';
import { DEFAULT_URL, parseNumber, parseUrl } from './address.ts';
import { AdminConnection } from './admin-connection.ts';
import { print } from './printing.ts';
import { clockText, counted, shortened, stateText, stretchText } from './words.ts';

interface Options {
  readonly url: string;
  readonly token?: string;
  readonly json?: true;
}

export function addAdminCommands(program: Command): void {
  const withAdmin = (command: Command): Command =>
    command
      .option('--url <address>', 'address of the server', parseUrl, DEFAULT_URL)
      .option('--token <text>', 'its admin token')
      .option('--json', 'print JSON, for programs');

  program
    .command('info')
    .description('say how a running world is doing')
    .argument('[url]', 'address of the server', parseUrl, DEFAULT_URL)
    .option('--token <text>', 'its admin token')
    .option('--json', 'print JSON, for programs')
    .action((url: string, options: Options) => connected({ ...options, url }, info));

  withAdmin(program.command('dump'))
    .description('print records with all they hold')
    .argument('[filter]', 'part of an id, a kind or a state; left out: all', '')
    .option(
      '--limit <number>',
      'records to print at the most',
      parseNumber('The limit', { least: 1, most: 10_000, whole: true }),
      1000,
    )
    .action((filter: string, options: Options & { readonly limit: number }) =>
      connected(options, (admin) => dump(admin, filter, options)),
    );

  withAdmin(program.command('advance'))
    .description('move the game clock forward, and wait until the world has caught up')
    .argument('<seconds>', 'game seconds', parseNumber('Seconds', { least: 0.001, most: 3.15e9 }))
    .action((seconds: number, options: Options) =>
      connected(options, (admin) => advance(admin, seconds, options)),
    );

  withAdmin(program.command('spawn-timers'))
    .description('add timers, to load a world')
    .argument(
      '<count>',
      'how many',
      parseNumber('The count', { least: 1, most: 1_000_000, whole: true }),
    )
    .argument(
      '<interval>',
      'game seconds between the events of each',
      parseNumber('The interval', { least: 0.001, most: 1e9 }),
    )
    .argument(
      '[spacing]',
      'world units between neighbours',
      parseNumber('The spacing', { least: 0, most: 1_000_000 }),
      1000,
    )
    .action((count: number, interval: number, spacing: number, options: Options) =>
      connected(options, async (admin) => {
        await admin.do({ type: 'spawnTimers', count, interval: interval * 1000, spacing });
        const every = stretchText(interval * 1000);
        if (options.json) print(JSON.stringify({ added: count, interval, spacing }));
        else print(`Added ${counted(count, 'timer')}, each with an event every ${every}.`);
      }),
    );
}

async function connected(
  options: Options,
  run: (admin: AdminConnection, options: Options) => Promise<void>,
): Promise<void> {
  const admin = await AdminConnection.open(options.url, options.token);
  try {
    await run(admin, options);
  } finally {
    admin.close();
  }
}

async function info(admin: AdminConnection, { url, json }: Options): Promise<void> {
  const stats = await admin.stats();
  if (json) print(JSON.stringify(stats));
  else for (const line of infoLines(stats, url)) print(line);
}

function infoLines(stats: ServerStats, url: string): string[] {
  const { clock, nextEvent, backlog, behind, hot, saves } = stats;
  const kinds = Object.entries(stats.byKind).map(([kind, { records }]) => `${kind} ${records}`);
  const speed = clock.paused ? 'paused' : `${clock.speed} game s per real s`;
  const lines = [
    `${pc.bold(stats.world)} at ${url}`,
    `  clock     ${clockText(clock.time)}, ${speed}`,
    `  records   ${stats.records.toLocaleString('en')}: ${stats.waiting} waiting, ${stats.resting} resting, ${stats.done} done, ${stats.faulted} faulted`,
    `  kinds     ${kinds.join(', ')}`,
    `  next      ${nextEvent === null ? 'nothing is to come' : `in ${stretchText(Math.max(0, nextEvent - clock.time))}`}`,
    `  events    ${stats.events.toLocaleString('en')}, with ${counted(stats.notices, 'notice')} and ${counted(stats.commands, 'command')}`,
    `  clients   ${stats.clients}, told of ${counted(stats.cellsWatched, 'cell')}`,
    `  saved     generation ${saves.generation}, ${stretchText(Math.max(0, Date.now() - saves.savedAt))} ago`,
  ];
  if (saves.message !== null) lines.push(pc.red(`  trouble   ${saves.message}`));
  if (behind > 0) lines.push(`  backlog   ${backlog} due, ${stretchText(behind)} behind`);
  if (stats.messagesDropped > 0)
    lines.push(`  dropped   ${counted(stats.messagesDropped, 'message')}`);
  if (hot.length > 0) lines.push(`  hot       ${hot.map(({ id }) => id).join(', ')}`);
  return lines;
}

async function dump(
  admin: AdminConnection,
  filter: string,
  { json, limit }: Options & { readonly limit: number },
): Promise<void> {
  const { records, total, time } = await admin.records(filter, limit);
  if (total === 0) {
    throw new CommandError(
      'NOTHING_FOUND',
      filter === ''
        ? 'The world has no records.'
        : `No record's id, kind or state holds '${filter}'.`,
    );
  }
  for (const record of records) {
    if (json) print(JSON.stringify(record));
    else for (const line of recordLines(record, time)) print(line);
  }
  if (!json && total > records.length) {
    print(pc.dim(`… and ${counted(total - records.length, 'record')} more; --limit gives more.`));
  }
}

function recordLines(record: InspectedRecord, time: number): string[] {
  const { id, kind, value, description, at, links, nextEvent, fault } = record;
  const next =
    nextEvent === null ? 'rests' : `next in ${stretchText(Math.max(0, nextEvent - time))}`;
  const targets = Object.entries(links).map(([name, to]) => `${name} → ${to}`);
  const lines = [
    `${pc.bold(id)}  ${pc.cyan(kind)}  ${stateText(value)}  ${record.status === 'active' ? next : record.status}`,
    `  at ${at.join(',')}${targets.length > 0 ? `; ${targets.join(', ')}` : ''}`,
  ];
  if (description !== undefined) lines.push(`  ${description}`);
  lines.push(`  ${shortened(JSON.stringify(record.context ?? record.rich?.json), 2000)}`);
  if (fault !== null) lines.push(pc.red(`  fault ${fault.code}: ${fault.message}`));
  return lines;
}

async function advance(admin: AdminConnection, seconds: number, { json }: Options): Promise<void> {
  const before = await admin.stats();
  await admin.do({ type: 'jump', milliseconds: seconds * 1000 });
  const after = await admin.stats(({ behind }) => behind === 0);
  const events = after.events - before.events;
  if (json) {
    print(JSON.stringify({ seconds, events, time: after.time }));
  } else {
    print(
      `Advanced ${stretchText(seconds * 1000)} to ${clockText(after.time)}; ${counted(events, 'event')} happened.`,
    );
  }
}
