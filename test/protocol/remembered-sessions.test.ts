import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/protocol/command-answer.ts';
import { answerOf } from '../../src/protocol/command-answer.ts';
import { MOST_UNDER_WAY } from '../../src/protocol/messages.ts';
import { RememberedSessions } from '../../src/protocol/remembered-sessions.ts';

const DAY = 24 * 3_600_000;
const ANNA = 'anna-hash-0123456789';
const done = (time: number): Answer => ({ accepted: true, time });
const no = (message: string): Answer => ({ accepted: false, code: 'NOT_TAKEN', message });

describe('remembered sessions', () => {
  test('answer a command that comes again as the first time, a rejection too', () => {
    const remembered = new RememberedSessions();
    expect(remembered.answerTo(ANNA, 1)).toBeUndefined();
    remembered.remember(ANNA, 1, done(500), 0);
    remembered.remember(ANNA, 2, no('The lamp does not take it.'), 0);
    remembered.remember(ANNA, 1, no('Too late to change.'), 0);
    expect(remembered.answerTo(ANNA, 1)).toEqual(done(500));
    expect(remembered.answerTo(ANNA, 2)).toEqual(no('The lamp does not take it.'));
    expect(remembered.answerTo(ANNA, 3)).toBeUndefined();
    expect(remembered.answerTo('somebody-else', 1)).toBeUndefined();
  });

  test('know nothing of a command that still waits while a later one was answered', () => {
    const remembered = new RememberedSessions();
    remembered.remember(ANNA, 2, no('Refused at once.'), 0);
    expect(remembered.answerTo(ANNA, 1)).toBeUndefined();
    remembered.remember(ANNA, 1, done(7), 0);
    expect(remembered.answerTo(ANNA, 1)).toEqual(done(7));
    expect(remembered.toJSON()[ANNA]?.results.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('say of a command from long ago that its answer is forgotten, and never let it count again', () => {
    const remembered = new RememberedSessions();
    for (let seq = 1; seq <= MOST_UNDER_WAY + 1; seq += 1)
      remembered.remember(ANNA, seq, done(seq), 0);
    expect(remembered.answerTo(ANNA, 1)).toMatchObject({ accepted: false, code: 'FORGOTTEN' });
    expect(remembered.answerTo(ANNA, 2)).toEqual(done(2));
    remembered.remember(ANNA, 1, done(999), 0);
    expect(remembered.answerTo(ANNA, 2)).toEqual(done(2));
  });

  test('are kept for 24 hours after they were last seen', () => {
    const remembered = new RememberedSessions();
    remembered.remember(ANNA, 1, done(1), 0);
    remembered.remember('bert', 1, done(1), 0);
    remembered.seen(ANNA, 1000);
    remembered.seen('nobody', 1000);
    remembered.prune(DAY);
    expect(remembered.size).toBe(2);
    remembered.prune(DAY + 1);
    expect([remembered.has(ANNA), remembered.has('bert'), remembered.size]).toEqual([
      true,
      false,
      1,
    ]);
    remembered.prune(DAY + 1001);
    expect(remembered.size).toBe(0);
  });

  test('go on from a world document as they were, and what was saved does not change any more', () => {
    const remembered = new RememberedSessions();
    for (let seq = 1; seq <= 70; seq += 1) {
      remembered.remember(ANNA, seq, seq % 2 === 0 ? done(seq) : no(`no ${seq}`), seq);
    }
    remembered.remember('__proto__', 3, done(3), 5);
    const json = remembered.toJSON();
    const text = JSON.stringify(json);
    const again = RememberedSessions.from(JSON.parse(text));
    for (let seq = 0; seq <= 72; seq += 1) {
      expect(again.answerTo(ANNA, seq)).toEqual(remembered.answerTo(ANNA, seq));
    }
    expect(again.answerTo('__proto__', 3)).toEqual(done(3));
    remembered.remember(ANNA, 71, done(71), 100);
    expect(JSON.stringify(json)).toBe(text);
  });

  test('of which there are too many let go of those that were not seen for the longest', () => {
    const remembered = new RememberedSessions();
    remembered.remember('first', 1, done(1), 0);
    remembered.remember('second', 1, done(1), 0);
    remembered.seen('first', 1);
    for (let i = 0; i < 19_999; i += 1) remembered.remember(`one-${i}`, 1, done(1), 2);
    expect([remembered.size, remembered.has('first'), remembered.has('second')]).toEqual([
      20_000,
      true,
      false,
    ]);
  });

  test.each([
    ['no object', [], 'object'],
    ['a session without answers', { a: { seq: 1, seen: 0 } }, 'results'],
    ['a seq that is none', { a: { seq: 'x', seen: 0, results: [] } }, 'seq'],
    [
      'too many answers',
      {
        a: {
          seq: 65,
          seen: 0,
          results: Array.from({ length: 65 }, (_, i) => ({ seq: i, accepted: true, time: 1 })),
        },
      },
      'results',
    ],
    [
      'answers out of order',
      {
        a: {
          seq: 2,
          seen: 0,
          results: [
            { seq: 2, accepted: true, time: 1 },
            { seq: 1, accepted: true, time: 1 },
          ],
        },
      },
      'order',
    ],
    [
      'an answer past the last',
      { a: { seq: 1, seen: 0, results: [{ seq: 2, accepted: true, time: 1 }] } },
      'order',
    ],
    [
      'an answer that is neither',
      { a: { seq: 1, seen: 0, results: [{ seq: 1, accepted: false, time: 1 }] } },
      'results',
    ],
  ])('are not read from %s', (_, json, named) => {
    expect(() => RememberedSessions.from(json)).toThrow(
      expect.objectContaining({ code: 'BAD_SESSIONS', message: expect.stringContaining(named) }),
    );
  });

  test('hold the first answer to each of the last 64 commands, whatever the order and number', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { maxLength: 400 }), (seqs) => {
        const remembered = new RememberedSessions();
        const first = new Map<number, Answer>();
        seqs.forEach((seq, i) => {
          const known = remembered.answerTo(ANNA, seq);
          // Once answered, always answered: by the same, or by having been forgotten.
          if (known === undefined) {
            expect(first.has(seq)).toBe(false);
            first.set(seq, done(i));
          } else if (known.accepted) expect(known).toEqual(first.get(seq));
          remembered.remember(ANNA, seq, done(i), i);
        });
        const last = [...first.keys()].sort((a, b) => b - a).slice(0, MOST_UNDER_WAY);
        for (const seq of last) expect(remembered.answerTo(ANNA, seq)).toEqual(first.get(seq));
        const json: unknown = JSON.parse(JSON.stringify(remembered));
        expect(RememberedSessions.from(json).toJSON()).toEqual(remembered.toJSON());
      }),
    );
  });
});

describe('the answer to a command', () => {
  const command = { type: 'send', id: 'lamp-1', event: { type: 'TOGGLE' } } as const;
  const failed = (code: string) =>
    answerOf({ command, time: 9, result: { accepted: false, code, message: 'the secret is 42' } });

  test('says when it was carried out', () => {
    expect(answerOf({ command, time: 9, result: { accepted: true } })).toEqual(done(9));
  });

  test('never repeats what a machine said', () => {
    for (const code of ['NOT_TAKEN', 'THREW', 'UNKNOWN_RECORD', 'EDIT_REFUSED']) {
      expect(JSON.stringify(failed(code))).not.toContain('secret');
    }
  });

  test('is the same for a record that went as for one that never was', () => {
    expect(failed('UNKNOWN_RECORD')).toMatchObject({ code: 'NOT_ALLOWED' });
  });
});
