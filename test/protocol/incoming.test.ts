import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/core/errors.ts';
import { parseFromAdmin, parseFromClient } from '../../src/protocol/incoming.ts';

describe('what a client says is taken', () => {
  test.each([
    { type: 'hello', protocol: 1 },
    { type: 'hello', protocol: 1, kinds: { lamp: 1 }, view: [0, -5.5], resume: 'x' },
    { type: 'view', at: [1, 2] },
    { type: 'send', seq: 0, id: 'field-3', event: { type: 'HARVEST', by: { name: 'Ida' } } },
  ])('%j', (message) => {
    expect(parseFromClient(JSON.stringify(message))).toEqual(message);
  });
});

describe('what no client may say is refused', () => {
  const send = (event: string): string => `{"type":"send","seq":1,"id":"a","event":${event}}`;
  test.each([
    ['text that is not JSON', 'hello', /not JSON/],
    ['no object', '[]', /object with a type/],
    ['null', 'null', /object with a type/],
    ['no type', '{}', /hello, view, send/],
    ['a type that is a method of objects', '{"type":"toString"}', /one of/],
    ["a server's type", '{"type":"welcome"}', /one of/],
    ['a field too many', '{"type":"view","at":[0,0],"z":1}', /'view': it must not have 'z'/],
    ['a field too few', '{"type":"view"}', /at/],
    ['a place of text', '{"type":"view","at":["0","0"]}', /number/],
    ['a place of three', '{"type":"view","at":[0,0,0]}', /at/],
    ['a place beyond all maps', '{"type":"view","at":[1e300,0]}', /at/],
    ['a place that is infinite', '{"type":"view","at":[1e999,0]}', /at/],
    ['an id that is none', '{"type":"send","seq":1,"id":"../x","event":{"type":"A"}}', /id/],
    ['a seq below 0', '{"type":"send","seq":-1,"id":"a","event":{"type":"A"}}', /seq/],
    ['a seq between two', '{"type":"send","seq":1.5,"id":"a","event":{"type":"A"}}', /seq/],
    ['an event without a type', send('{}'), /type/],
    ['a way into prototypes', send('{"type":"A","__proto__":{"x":1}}'), /__proto__/],
    ['the same in other letters', send('{"type":"A","\\u005f_proto__":{"x":1}}'), /__proto__/],
    ['and further in', send('{"type":"A","a":[{"constructor":1}]}'), /constructor/],
    ['what nests too deep', send(`{"type":"A","a":${'['.repeat(40)}${']'.repeat(40)}}`), /deeper/],
    ['what nests as deep as 16 KB allow', '['.repeat(8000) + ']'.repeat(8000), /deeper/],
  ])('%s', (_, text, message) => {
    expect(() => parseFromClient(text)).toThrow(ProtocolError);
    expect(() => parseFromClient(text)).toThrow(message);
  });
});

test('whatever comes in is a message or a ProtocolError, and nothing else', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        {
          type: fc.constantFrom('hello', 'view', 'send', 'do', 'watch', 'unwatch', 'query'),
          protocol: fc.jsonValue(),
          at: fc.jsonValue(),
          seq: fc.oneof(fc.nat(), fc.jsonValue()),
          id: fc.oneof(fc.constant('a'), fc.jsonValue()),
          event: fc.oneof(fc.record({ type: fc.string() }), fc.jsonValue()),
          command: fc.oneof(fc.record({ type: fc.string() }), fc.jsonValue()),
          what: fc.oneof(fc.constantFrom('stats', 'record', 'next'), fc.jsonValue()),
        },
        { requiredKeys: ['type'] },
      )
      .map((message) => JSON.stringify(message)),
  );
  fc.assert(
    fc.property(anything, (text) => {
      for (const parse of [parseFromClient, parseFromAdmin]) {
        try {
          expect(parse(text)).toHaveProperty('type');
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }
    }),
    { numRuns: 5000 },
  );
});

describe('what an admin says', () => {
  test.each([
    { type: 'do', seq: 1, command: { type: 'pause' } },
    { type: 'do', seq: 2, command: { type: 'jump', milliseconds: 1000 } },
    {
      type: 'do',
      seq: 3,
      command: { type: 'add', records: [{ id: 'a', kind: 'lamp', at: [0, 0] }] },
    },
    { type: 'do', seq: 4, command: { type: 'spawnTimers', count: 5, interval: 1000 } },
    { type: 'watch', what: 'stats' },
    { type: 'watch', what: 'record', id: 'a' },
    { type: 'unwatch', what: 'record', id: 'a' },
    { type: 'watch', what: 'next', count: 3 },
    { type: 'query', seq: 5, what: 'records', filter: 'lamp' },
  ])('is taken: %j', (message) => {
    expect(parseFromAdmin(JSON.stringify(message))).toEqual(message);
  });

  test('is refused with words about the command that was meant', () => {
    const jump = { type: 'do', seq: 1, command: { type: 'jump', milliseconds: 'far' } };
    expect(() => parseFromAdmin(JSON.stringify(jump))).toThrow(
      /'jump': milliseconds must be number/,
    );
    const none = { type: 'do', seq: 1, command: { type: 'explode' } };
    expect(() => parseFromAdmin(JSON.stringify(none))).toThrow(/The command must .* pause, /);
  });
});
