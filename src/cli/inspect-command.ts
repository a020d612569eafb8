/** `offstage inspect`: records of a running world in Stately's inspectors. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import pc from 'picocolors';
import { codeOf, messageOf } from '../core/errors.ts';
import {
  type Inspection,
  type InspectionOptions,
  openInspection,
} from '../inspect/stately/inspection.ts';
import { HOW_TO_CHOOSE } from '../inspect/stately/selection.ts';
import type { RecordSource, ShownRecord } from '../inspect/stately/source.ts';
import type { InspectedRecord } from '../protocol/admin.ts';
import { fromRich } from '../protocol/rich.ts';
import { DEFAULT_URL, parseNumber, parseUrl } from './address.ts';
import { AdminConnection } from './admin-connection.ts';
import { loadKinds } from './kinds-file.ts';
import { print, untilStopped } from './printing.ts';
import { counted } from './words.ts';

interface Options {
  readonly url: string;
  readonly token?: string;
  readonly port: number;
  readonly json?: true;
}

/** Where the inspectors' page is, unless another port is named. */
export const INSPECTOR_PORT = 4401;
/** Records that are looked through at the most. */
const MOST_RECORDS = 10_000;

export const parseInspectorPort = parseNumber('The port', { least: 0, most: 65_535, whole: true });

export function addInspect(program: Command): void {
  program
    .command('inspect')
    .description("show records of a running world in Stately's inspectors, until Ctrl-C")
    .argument('[record...]', `which: ${HOW_TO_CHOOSE}; left out: one of each kind`)
    .option('--url <address>', 'address of the server', parseUrl, DEFAULT_URL)
    .option('--token <text>', 'its admin token')
    .option(
      '--port <number>',
      'port of the page; 0 takes a free one',
      parseInspectorPort,
      INSPECTOR_PORT,
    )
    .option('--json', 'print JSON, for programs')
    .action(run);
}

async function run(wanted: readonly string[], { url, token, port, json }: Options): Promise<void> {
  const { kinds } = await loadKinds(process.cwd());
  const admin = await AdminConnection.open(url, token);
  try {
    const machines = new Map(kinds.map(({ name, machine }) => [name, machine]));
    const source = adminSource(admin, machines);
    const inspection = await openInspectors({ source, wanted, port, warn: warnOnStderr });
    if (json) {
      const { url: page, shown, left } = inspection;
      print(JSON.stringify({ url: page, shown: shown.map(({ id }) => id), left }));
    } else tellOf(inspection);
    await Promise.race([untilStopped(), admin.ended]).finally(() => inspection.close());
  } finally {
    admin.close();
  }
}

/** Opens both inspectors; the older one only where its workspace is, in a checkout. */
export async function openInspectors(
  options: Omit<InspectionOptions, 'openV4'>,
): Promise<Inspection> {
  const openV4 = await olderInspector();
  return await openInspection({ ...options, ...(openV4 === undefined ? {} : { openV4 }) });
}

/** Says where to look, and at what. */
export function tellOf({ url, shown, left }: Inspection): void {
  print(`inspector on ${url}`);
  const ids = shown.map(({ id }) => id).join(', ');
  print(pc.dim(`Shows ${counted(shown.length, 'record')}: ${ids}`));
  if (left > 0) print(pc.dim(`${counted(left, 'record')} more fit; choose fewer to see others.`));
}

async function olderInspector(): Promise<InspectionOptions['openV4']> {
  const file = new URL('../../inspector/bridge.ts', import.meta.url);
  if (!existsSync(file)) return undefined;
  const { openV4 } = await import(file.href);
  return openV4;
}

function warnOnStderr(message: string): void {
  process.stderr.write(`${pc.yellow(message)}\n`);
}

/** The records of a server, asked for over `/admin`. Which event changed a record is not told there. */
function adminSource(admin: AdminConnection, machines: ReadonlyMap<string, unknown>): RecordSource {
  return {
    records: async () => (await admin.records('', MOST_RECORDS)).records.map(shownRecord),
    watch: (id, told) => {
      let isFirst = true;
      return admin.watchRecord(id, (record) => {
        // The first is what is shown already.
        if (!isFirst) told(record === null ? undefined : shownRecord(record), { type: 'changed' });
        isFirst = false;
      });
    },
    send: async (id, event) => {
      try {
        await admin.do({ type: 'send', id, event });
        return { accepted: true };
      } catch (error) {
        return { accepted: false, code: codeOf(error), message: messageOf(error) };
      }
    },
    machineOf: (kind) => machines.get(kind),
  };
}

function shownRecord(record: InspectedRecord): ShownRecord {
  const { id, kind, at, value, status, tags, rich } = record;
  const context = rich === undefined ? record.context : fromRich(rich);
  return { id, kind, at, value, context, status, tags };
}
