/** Commands for a running world: `info`, `dump`, `advance`, `spawn-timers`. The first two look at a saved one, too. */
import type { Command } from 'commander';
import pc from 'picocolors';
import { CommandError } from '../core/errors.ts';
import type { WorldStats } from '../core/stats.ts';
import { matchingRecords } from '../inspect/records.ts';
import type { InspectedRecord, RecordsTold, ServerStats } from '../protocol/admin.ts';
import type { ClockReading } from '../protocol/messages.ts';
import { DEFAULT_URL, parseNumber, parseUrl, parseWorldOrUrl, type WorldOrUrl } from './address.ts';
import { AdminConnection } from './admin-connection.ts';
import { print } from './printing.ts';
import { findTarget, type Saved, type Served, type Wanted } from './target.ts';
import { clockText, counted, shortened, stateText, stretchText } from './words.ts';

interface Options {
  readonly url: string;
  readonly token?: string;
  readonly json?: true;
}

/** Of commands that look at a world, wherever it is. */
interface LookOptions extends Wanted {
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
    .description('say how a world is doing, or how it was saved')
    .argument(
      '[world]',
      'its name, or the address of its server (default: the server on this machine, else the saved world valley)',
      parseWorldOrUrl,
    )
    .option('--saves <folder>', 'folder of the worlds (default: saves)')
    .option('--token <text>', 'its admin token')
    .option('--json', 'print JSON, for programs')
    .action((target: WorldOrUrl | undefined, options: LookOptions) =>
      looking({ ...options, ...target }, info, savedInfo),
    );

  program
    .command('dump')
    .description('print records with all they hold')
    .argument('[filter]', 'part of an id, a kind or a state; left out: all', '')
    .option('--world <name>', 'the world, served or saved')
    .option('--url <address>', 'address of its server', parseUrl)
    .option('--saves <folder>', 'folder of the worlds (default: saves)')
    .option('--token <text>', 'its admin token')
    .option('--json', 'print JSON, for programs')
    .option(
      '--limit <number>',
      'records to print at the most',
      parseNumber('The limit', { least: 1, most: 10_000, whole: true }),
      1000,
    )
    .action((filter: string, options: LookOptions & { readonly limit: number }) =>
      looking(
        options,
        async ({ admin }) => dump(await admin.records(filter, options.limit), filter, options),
        async ({ world }) =>
          dump(
            { time: world.time, ...matchingRecords(world, filter, options.limit) },
            filter,
            options,
          ),
      ),
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

/** Does one thing with a world that is served, another with one that lies on disk. */
async function looking(
  options: LookOptions,
  ofServed: (served: Served, options: LookOptions) => Promise<void>,
  ofSaved: (saved: Saved, options: LookOptions) => Promise<void>,
): Promise<void> {
  const target = await findTarget(options);
  if ('saved' in target) {
    await ofSaved(target.saved, options);
    return;
  }
  try {
    await ofServed(target.served, options);
  } finally {
    target.served.admin.close();
  }
}

async function savedInfo(saved: Saved, { json }: LookOptions): Promise<void> {
  const { world, folder, name, savedAt, report } = saved;
  const { time, clock, nextEventAt: nextEvent = null } = world;
  const { speed, paused } = clock;
  const { generation, replayed, kept, entries } = report;
  const stats = world.stats();
  if (json) {
    const found = entries.map(({ type, message }) => ({ type, message }));
    const saves = { generation, savedAt, replayed, kept };
    const at = { time: clock.time, speed, paused };
    print(
      JSON.stringify({
        ...stats,
        world: name,
        served: false,
        folder,
        time,
        clock: at,
        nextEvent,
        saves,
        found,
      }),
    );
    return;
  }
  const ago = stretchText(Math.max(0, Date.now() - savedAt));
  print(`${pc.bold(name)} in ${folder}, not being served`);
  print(
    `  saved     generation ${generation}, ${ago} ago, and ${counted(replayed, 'command')} since`,
  );
  for (const line of worldLines(stats, { time: clock.time, speed, paused }, nextEvent)) print(line);
  if (kept > 0) print(`  kept      ${counted(kept, 'record')} as they were, outside the world`);
  for (const { message } of entries) print(pc.dim(`  note      ${message}`));
}

async function info({ admin, url }: Served, { json }: LookOptions): Promise<void> {
  const stats = await admin.stats();
  if (json) print(JSON.stringify(stats));
  else for (const line of infoLines(stats, url)) print(line);
}

function infoLines(stats: ServerStats, url: string): string[] {
  const { clock, nextEvent, backlog, behind, hot, saves } = stats;
  const lines = [
    `${pc.bold(stats.world)} at ${url}`,
    ...worldLines(stats, clock, nextEvent),
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

/** What there is to say of a world, whether it runs or not. */
function worldLines(stats: WorldStats, clock: ClockReading, nextEvent: number | null): string[] {
  const kinds = Object.entries(stats.byKind).map(([kind, { records }]) => `${kind} ${records}`);
  const speed = clock.paused ? 'paused' : `${clock.speed} game s per real s`;
  return [
    `  clock     ${clockText(clock.time)}, ${speed}`,
    `  records   ${stats.records.toLocaleString('en')}: ${stats.waiting} waiting, ${stats.resting} resting, ${stats.done} done, ${stats.faulted} faulted`,
    `  kinds     ${kinds.join(', ')}`,
    `  next      ${nextEvent === null ? 'nothing is to come' : `in ${stretchText(Math.max(0, nextEvent - clock.time))}`}`,
  ];
}

function dump(
  { records, total, time }: Pick<RecordsTold, 'records' | 'total' | 'time'>,
  filter: string,
  { json }: LookOptions,
): void {
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
