/** What a new world starts from: `<world>.seed.json`, written by hand or by a script. */
import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { messageOf, SaveError } from '../core/errors.ts';
import { ID_PATTERN, NAME_PATTERN } from '../core/names.ts';
import type { Settings } from '../core/settings.ts';
import { exactly } from '../protocol/schema-parts.ts';
import { whatIsWrong } from '../protocol/what-is-wrong.ts';

/** The format that this version reads. */
const SEED_FORMAT = 1;

const schema = exactly({
  format: Type.Integer(),
  world: Type.String({ pattern: NAME_PATTERN.source }),
  /** What randomness in the world is drawn from. */
  seed: Type.String(),
  /** Game milliseconds. */
  startAt: Type.Optional(Type.Number()),
  settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  records: Type.Array(
    exactly({
      id: Type.String({ pattern: ID_PATTERN.source }),
      kind: Type.String({ pattern: NAME_PATTERN.source }),
      at: Type.Array(Type.Number(), { minItems: 1, maxItems: 3 }),
      links: Type.Optional(Type.Record(Type.String(), Type.String())),
      input: Type.Optional(Type.Unknown()),
      relevancy: Type.Optional(
        Type.Union([Type.Literal('none'), Type.Literal('spatial'), Type.Literal('always')]),
      ),
    }),
  ),
});
const check = Compile(schema);

export type Seed = Omit<Static<typeof schema>, 'settings'> & {
  readonly settings?: Partial<Settings>;
};

/** Reads a seed. Throws `SaveError` (`NO_SEED`, `BAD_SEED`) naming the file and what is wrong in it. */
export async function readSeed(path: string, world: string): Promise<Seed> {
  const bad = (why: string): SaveError => new SaveError('BAD_SEED', `${path}: ${why}.`);
  let seed: unknown;
  try {
    // Some editors begin a file with a mark of its byte order, which is no JSON.
    seed = JSON.parse((await readFile(path, 'utf8')).replace(/^\uFEFF/, ''));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new SaveError(
        'NO_SEED',
        `There is no world '${world}': ${path} does not exist. Write one, or name a world that has one.`,
      );
    }
    throw bad(messageOf(error));
  }
  if (!check.Check(seed)) throw bad(whatIsWrong(check.Errors(seed), seed));
  if (seed.format !== SEED_FORMAT) {
    throw bad(`its format is ${seed.format}, and this version of offstage reads ${SEED_FORMAT}`);
  }
  if (seed.world !== world) throw bad(`it is of the world '${seed.world}', not '${world}'`);
  // What settings may be is checked by the world they are for.
  return seed as Seed;
}
