import { describe, expect, test } from 'vitest';
import { drawn, plainLine, plainTable, type Scene, troubleOf } from '../../src/cli/watch-screen.ts';
import { ClientRecord } from '../../src/client/record.ts';

function record(id: string, rest: Partial<ClientRecord> = {}): ClientRecord {
  return new ClientRecord({
    id,
    kind: 'station',
    version: 1,
    at: [0, 0],
    links: {},
    value: 'working',
    context: {},
    status: 'active',
    tags: [],
    advancedTo: 0,
    nextEvent: null,
    fault: null,
    ...rest,
  });
}

function scene(records: readonly ClientRecord[], rest: Partial<Scene> = {}): Scene {
  return {
    world: 'valley',
    view: [0, 0],
    records,
    notices: [],
    now: 5000,
    speed: 1,
    paused: false,
    trouble: undefined,
    fresh: new Set(),
    ...rest,
  };
}

const paper = { columns: 80, rows: 24, colors: false };
const mill = record('mill', { nextEvent: 20_000, at: [30, 0] });
const stash = record('stash', { kind: 'stash', value: 'open', at: [10, 0] });

describe('the screen', () => {
  test('shows the nearest first: state, a bar to what comes next, and how long it takes', () => {
    const lines = drawn(scene([mill, stash]), paper);
    expect(lines[0]).toMatch(/^ valley {2}0:00:05\.0 {2}×1 +2 records near 0,0 *$/);
    expect(lines[1]?.trim()).toMatch(/^stash +stash +open +rests$/);
    expect(lines[2]?.trim()).toMatch(/^mill +station +working +█{8}░{22} +in 15\.0 s$/);
  });

  test('says what is wrong where something is', () => {
    const broken = record('broken', { fault: 'THREW' });
    const over = record('over', { status: 'done', value: 'over' });
    const late = record('late', { nextEvent: 4000 });
    const text = drawn(scene([broken, over, late]), paper).join('\n');
    expect(text).toMatch(/broken .*THREW/);
    expect(text).toMatch(/over .*done/);
    expect(text).toMatch(/late .*█ +now/);
    const trouble = 'no connection, next try in 2 s';
    expect(drawn(scene([], { trouble, paused: true }), paper)[0]).toMatch(
      /paused.*next try in 2 s/,
    );
  });

  test('says where to look when nothing is there', () => {
    expect(drawn(scene([]), paper)[1]).toMatch(/Nothing is near 0,0\. Look elsewhere/);
  });

  test('has the latest notices below, where there is room', () => {
    const notices = [1, 2, 3, 4].map((n) => ({
      id: 'mill',
      kind: 'station',
      at: [0, 0],
      event: { type: 'MADE', n },
      time: n * 1000,
      order: 0,
    }));
    const lines = drawn(scene([mill], { notices }), paper);
    expect(lines.slice(-4, -1).map((line) => line.trim())).toEqual([
      '0:00:02.0  mill  MADE {"n":2}',
      '0:00:03.0  mill  MADE {"n":3}',
      '0:00:04.0  mill  MADE {"n":4}',
    ]);
  });

  test('is never larger than the terminal, however small that is', () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      record(`a-record-with-a-long-name-${i}`, {
        at: [i, 0],
        value: { growth: 'sprouting', soil: 'dry' },
        nextEvent: i % 2 === 0 ? 90_000 : null,
      }),
    );
    for (const columns of [1, 10, 20, 34, 47, 60, 80, 200]) {
      for (const rows of [1, 2, 3, 5, 12, 24, 80]) {
        const lines = drawn(scene(many), { columns, rows, colors: false });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      }
    }
    expect(drawn(scene(many), paper).join('\n')).toContain('… and 39 more, farther away');
  });
});

test('lines for a pipe hold the same in words', () => {
  expect(plainLine(mill, 5000)).toBe('0:00:05.0  mill  station  working  in 15.0 s');
  expect(plainTable(scene([mill]), 80)[0]).toMatch(/^ mill {2}station {2}working .*in 15\.0 s$/);
});

test('while there is no connection the time to the next try runs down', () => {
  const waiting = { state: 'waiting', reason: 'gone', retryIn: 4200 } as const;
  const texts = [0, 1000, 4100, 9000].map((stood) => troubleOf(waiting, stood));
  expect(texts).toEqual([5, 4, 1, 0].map((s) => `no connection, next try in ${s} s`));
  expect(troubleOf({ state: 'open' }, 0)).toBeUndefined();
});
