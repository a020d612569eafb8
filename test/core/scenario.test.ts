import {
  beginScenario,
  defineKind,
  defineScenario,
  runScenario,
  type Scenario,
  trace,
} from 'offstage';
import { describe, expect, test } from 'vitest';
import { setup } from 'xstate';
import { timer } from '../../kinds/index.ts';
import type { TimerContext } from '../../machines/timer.machine.ts';

const ticks: Scenario = {
  name: 'ticks',
  about: 'a timer',
  kinds: [timer],
  records: [{ id: 't', kind: 'timer', at: [0, 0], input: { every: 10, count: 3 } }],
  until: 100,
  measure: (world) => {
    const shown = world.find('t')?.context as TimerContext | undefined;
    return { ticks: shown?.fired ?? Number.NaN };
  },
};

describe('a scenario', () => {
  test('is run to its end and measured', () => {
    expect(runScenario(defineScenario(ticks), '1')).toEqual({ ticks: 3 });
    expect(runScenario(defineScenario({ ...ticks, until: 20 }), '1')).toEqual({ ticks: 2 });
  });

  test('draws other numbers for another seed, and than another scenario with that seed', () => {
    const seeds = [
      beginScenario(ticks, '1').seed,
      beginScenario(ticks, '2').seed,
      beginScenario({ ...ticks, name: 'tocks' }, '1').seed,
    ];
    expect(new Set(seeds).size).toBe(3);
  });

  test.each([
    [{ name: 'No' }, /'No': a name has small letters/],
    [{ name: undefined }, /a name has small letters/],
    [{ about: undefined }, /about/],
    [{ kinds: undefined }, /kinds is a list/],
    [{ records: {} }, /records is the list/],
    [{ until: 0 }, /until is 0/],
    [{ until: Number.NaN }, /until is NaN/],
    [{ measure: undefined }, /measure is a function/],
  ])('with %o is refused', (change, message) => {
    const wrong = (): Scenario => defineScenario({ ...ticks, ...change } as Scenario);
    expect(wrong).toThrowError(message);
    expect(wrong).toThrowError(expect.objectContaining({ code: 'BAD_SCENARIO' }));
  });

  test('in which a record fails is no result', () => {
    const broken = defineKind({
      name: 'broken',
      version: 1,
      machine: setup({
        actions: {
          fail: () => {
            throw new Error('no more');
          },
        },
      }).createMachine({
        id: 'broken',
        initial: 'on',
        states: { on: { after: { 5: { target: 'off', actions: 'fail' } } }, off: {} },
      }),
    });
    const scenario = {
      ...ticks,
      kinds: [broken],
      records: [{ id: 'b', kind: 'broken', at: [0, 0] }],
    };
    expect(() => runScenario(scenario, '1')).toThrowError(
      expect.objectContaining({
        code: 'SCENARIO_FAILED',
        message: expect.stringMatching(/'ticks' with the seed '1': b \(broken\) failed: .*no more/),
      }),
    );
  });

  test('whose figure is no number is no result', () => {
    const scenario = { ...ticks, measure: () => ({ mean: Number.NaN }) };
    expect(() => runScenario(scenario, '7')).toThrowError(/seed '7': 'mean' is NaN/);
  });
});

describe('a trace', () => {
  test('has one line for each event, in order', () => {
    const world = beginScenario(ticks, '1');
    const lines: string[] = [];
    const stop = trace(world, (line) => lines.push(line));
    world.runUntil(20);
    stop();
    world.runUntil(100);
    expect(lines).toEqual([
      '10\t0\tt\ttimer\ttimer\txstate.after.interval.timer.running\ttaken',
      '20\t0\tt\ttimer\ttimer\txstate.after.interval.timer.running\ttaken',
    ]);
  });

  test('with hashes parts from that of another run in the first event that differs', () => {
    const traced = (send: boolean): string[] => {
      const world = beginScenario(ticks, '1');
      const lines: string[] = [];
      trace(world, (line) => lines.push(line), { hash: true });
      world.runUntil(15);
      world.send('t', { type: send ? 'STOP' : 'NOTHING' });
      world.runUntil(25);
      return lines;
    };
    const [one, other] = [traced(true), traced(false)];
    expect(one[0]).toBe(other[0]);
    expect(one[0]).toMatch(/\t[0-9a-f]{16}$/);
    expect(one[1]).toMatch(/^15\t0\tt\ttimer\tcommand\tSTOP\ttaken\t/);
    expect(other[1]).toMatch(/^15\t0\tt\ttimer\tcommand\tNOTHING\tnot taken\t/);
    expect(one[1]?.slice(-16)).not.toBe(other[1]?.slice(-16));
  });
});
