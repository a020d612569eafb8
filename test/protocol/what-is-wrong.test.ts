import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { exactly } from '../../src/protocol/schema-parts.ts';
import { whatIsWrong } from '../../src/protocol/what-is-wrong.ts';

const schema = exactly({
  format: Type.Integer(),
  records: Type.Array(
    exactly({
      id: Type.String(),
      at: Type.Array(Type.Number(), { minItems: 1 }),
      relevancy: Type.Optional(Type.Union([Type.Literal('none'), Type.Literal('always')])),
      links: Type.Optional(Type.Record(Type.String(), Type.String())),
    }),
  ),
  watch: Type.Optional(
    Type.Union([
      exactly({ what: Type.Literal('stats') }),
      exactly({ what: Type.Literal('record'), id: Type.String() }),
    ]),
  ),
});
const check = Compile(schema);
const oak = { id: 'oak', at: [0] };
const withRecord = (record: object): object => ({ format: 1, records: [oak, record] });
const withWatch = (watch: object): object => ({ format: 1, records: [], watch });

test.each<[string, unknown, string]>([
  ['what is missing', {}, "it must have 'format', 'records'"],
  ['what is too many', { format: 1, records: [], a: 1, b: 2 }, "it must not have 'a', 'b'"],
  ['whose it is', withRecord({ id: 'elm' }), "records/1 of 'elm' must have 'at'"],
  [
    'a slip of the pen',
    withRecord({ ...oak, linsk: {} }),
    "records/1 of 'oak' must not have 'linsk'",
  ],
  [
    'what there is to choose',
    withRecord({ ...oak, relevancy: 'nope' }),
    "records/1/relevancy of 'oak' must be one of: 'none', 'always'",
  ],
  [
    'far inside',
    withRecord({ ...oak, links: { 'a/b': 1 } }),
    "records/1/links/a~1b of 'oak' must be string",
  ],
  ['a record without an id', withRecord({ at: [0] }), "records/1 must have 'id'"],
  ['the branch that was meant', withWatch({ what: 'record' }), "watch must have 'id'"],
  [
    'a branch that is none',
    withWatch({ what: 'unicorn', id: 'oak' }),
    "watch/what of 'oak' must be one of: 'stats', 'record'",
  ],
  ['no object', 'seed', 'it must be object'],
])('an error names %s', (_, value, words) => {
  expect(whatIsWrong(check.Errors(value), value)).toBe(words);
});
