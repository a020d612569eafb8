/** Commands that change single records of a running world: `add`, `remove`, `set-state`, `send`, `retry`. */
import { type Command, InvalidArgumentError } from 'commander';
import type { AdminCommand } from '../protocol/admin.ts';
import { DEFAULT_URL, parseUrl } from './address.ts';
import { AdminConnection } from './admin-connection.ts';
import { print } from './printing.ts';

interface Options {
  readonly url: string;
  readonly token?: string;
  readonly json?: true;
}

interface Placed extends Options {
  readonly at?: readonly number[];
  readonly links?: unknown;
}

export function addChangeCommands(program: Command): void {
  const changing = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option('--url <address>', 'address of the server', parseUrl, DEFAULT_URL)
      .option('--token <text>', 'its admin token')
      .option('--json', 'print JSON, for programs');

  changing('add', 'add a record')
    .argument('<kind>', 'its kind')
    .argument('<id>', 'its id')
    .option('--at <x,y>', 'its place, one to three numbers', parsePlace, [0, 0])
    .option('--input <json>', "the machine's input", parseJson)
    .option('--links <json>', 'its links, such as {"to":"stash-1"}', parseObject)
    .action((kind: string, id: string, options: Placed & { readonly input?: unknown }) => {
      const { at, input, links } = options;
      return asked(options, `Added ${id}, a ${kind}.`, {
        type: 'add',
        records: [{ id, kind, ...given({ at, input, links }) }],
      } as AdminCommand);
    });

  changing('remove', 'remove a record')
    .argument('<id>', 'its id')
    .action((id: string, options: Options) =>
      asked(options, `Removed ${id}.`, { type: 'remove', id }),
    );

  changing('set-state', 'change a record from outside, with no entry or exit actions')
    .argument('<id>', 'its id')
    .argument('[state]', 'the state, or JSON for one that is nested or parallel', parseState)
    .option('--context <json>', 'its whole context', parseObject)
    .option('--at <x,y>', 'its place', parsePlace)
    .option('--links <json>', 'its links', parseObject)
    .action(
      (id: string, value: unknown, options: Placed & { readonly context?: unknown }, command) => {
        const { context, at, links } = options;
        const change = given({ value, context, at, links });
        if (Object.keys(change).length === 0) {
          command.error('Say what to change: a state, --context, --at or --links.');
        }
        return asked(options, `Changed ${id}.`, { type: 'setState', id, change } as AdminCommand);
      },
    );

  changing('send', 'send a record an event')
    .argument('<id>', 'its id')
    .argument('<event>', 'the type of the event')
    .argument('[fields]', 'what it carries, such as {"item":"ore","count":5}', parseObject)
    .action((id: string, type: string, fields: object | undefined, options: Options) =>
      asked(options, `${id} took ${type}.`, { type: 'send', id, event: { ...fields, type } }),
    );

  changing('retry', 'let a record that rests with a fault try again')
    .argument('<id>', 'its id')
    .action((id: string, options: Options) =>
      asked(options, `${id} tries again.`, { type: 'retry', id }),
    );
}

async function asked(
  { url, token, json }: Options,
  said: string,
  command: AdminCommand,
): Promise<void> {
  const admin = await AdminConnection.open(url, token);
  try {
    const { time } = await admin.do(command);
    print(json ? JSON.stringify({ time }) : said);
  } finally {
    admin.close();
  }
}

/** Without what was left out. */
function given(parts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

function parsePlace(text: string): number[] {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (numbers.length <= 3 && numbers.every(Number.isFinite)) return numbers;
  throw new InvalidArgumentError('It must be one to three numbers, such as 120,40.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`It must be JSON: ${(error as SyntaxError).message}`);
  }
}

function parseObject(text: string): object {
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new InvalidArgumentError('It must be an object of JSON, such as {"count":2}.');
}

/** A state's name as it is, or an object of JSON. */
function parseState(text: string): unknown {
  return text.trim().startsWith('{') ? parseObject(text) : text;
}
