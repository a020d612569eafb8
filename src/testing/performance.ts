/**
 * A scenario played in a world, and what happened in it. It is played first to learn at which game
 * times its moves come; from then on it can be played in other ways (in other steps, saved and loaded
 * in the middle, looked at all the time) with the same commands at the same times, and be compared.
 */

import type { Kind } from '../core/kind.ts';
import type { MachineEvent, StateValue } from '../core/logic.ts';
import type { Cause, EventReport } from '../core/reports.ts';
import { createWorld, type World } from '../core/world.ts';
import type { Cast } from './cast.ts';
import type { Move } from './scenario.ts';

/** A command at its game time. */
export interface Cue {
  readonly at: number;
  readonly id: string;
  readonly event: MachineEvent;
}

/** The moves of a scenario with the game times at which they come. */
export interface Timeline {
  /** For each move the game time after it, and the command it gives, if it gives one. */
  readonly stops: readonly { readonly at: number; readonly cue: Cue | undefined }[];
}

/** One event, or one command that was refused. */
export interface Happening {
  readonly time: number;
  readonly id: string;
  readonly cause: Cause;
  readonly event: MachineEvent;
  readonly taken: boolean;
  readonly failure: { readonly code: string; readonly message: string } | undefined;
  /** The state the record is in after it; undefined if it is gone. */
  readonly value: StateValue | undefined;
}

/** How a scenario is played, where it differs from the plain way. */
export interface Way {
  /** The kinds as they are to run. */
  readonly kinds?: (kind: Kind) => Kind;
  /** Adds the records in the opposite order. */
  readonly reversed?: boolean;
  /** The game time at which it begins. Default 0. */
  readonly startAt?: number;
  /** Lets time pass to `until`. */
  readonly run?: (world: World, until: number) => void;
  /** Called once the records are there (−1), then after each move; what it gives goes on in its place. */
  readonly after?: (world: World, move: number) => World | undefined;
  /** Told of each happening as it is over. */
  readonly happened?: (happening: Happening, world: World) => void;
}

/** So many events are enough for one scenario; a kind with a timer each millisecond would never end. */
const MOST_EVENTS = 100;

export class Performance {
  readonly happenings: Happening[] = [];
  world: World;
  private readonly way: Way;

  constructor({ kinds, records }: Cast, seed: string, way: Way = {}) {
    this.way = way;
    const { kinds: change = (kind) => kind, reversed = false, startAt = 0 } = way;
    const settings = { freeze: true };
    this.world = createWorld({ kinds: kinds.map(change), seed, startAt, settings });
    this.listen();
    this.world.add(reversed ? [...records].reverse() : records);
    this.goOnAfter(-1);
  }

  /** Plays moves for the first time, and says when each came. `idOf` gives the record of a link. */
  rehearse(moves: readonly Move[], idOf: (link: string | undefined) => string): Timeline {
    let left = MOST_EVENTS;
    const stops: Timeline['stops'][number][] = [];
    for (const move of moves) {
      const { world } = this;
      let cue: Cue | undefined;
      if (move.type === 'send') {
        cue = { at: world.time, id: idOf(move.link), event: move.event };
        this.send(cue);
      } else {
        const until = untilOf(move, world);
        while ((world.nextEventAt ?? Number.POSITIVE_INFINITY) <= until && left > 0) {
          world.step();
          left -= 1;
        }
        world.runUntil(left > 0 ? until : world.time);
      }
      stops.push({ at: world.time, cue });
    }
    return { stops };
  }

  /** Plays a timeline. */
  play({ stops }: Timeline): this {
    const { run = (world, until) => world.runUntil(until) } = this.way;
    // A way may set the clock; all that comes then comes as much later.
    let ahead = this.world.time;
    for (const [move, { at, cue }] of stops.entries()) {
      if (cue !== undefined) this.send(cue);
      else run(this.world, at + ahead);
      this.goOnAfter(move);
      ahead = this.world.time - at;
    }
    return this;
  }

  /** Gives a command. One that is refused for what the machine threw has failed. */
  private send({ id, event }: Cue): void {
    const { world } = this;
    const before = this.happenings.length;
    const result = world.send(id, event);
    if (result.accepted || result.code === 'NOT_TAKEN') return;
    const own = this.happenings.slice(before).findIndex(({ cause }) => cause === 'command');
    const { code, message } = result;
    const failed = { ...this.happeningOf({ id, event }), failure: { code, message } };
    if (own >= 0) this.happenings[before + own] = failed;
    else this.happenings.push(failed);
    this.way.happened?.(failed, world);
  }

  private happeningOf({ id, event }: Pick<Cue, 'id' | 'event'>): Happening {
    const { world } = this;
    const value = world.valueOf(id)?.state.value;
    return {
      time: world.time,
      id,
      cause: 'command',
      event,
      taken: false,
      failure: undefined,
      value,
    };
  }

  private goOnAfter(move: number): void {
    const next = this.way.after?.(this.world, move);
    if (next === undefined || next === this.world) return;
    this.world = next;
    this.listen();
  }

  private listen(): void {
    const { world } = this;
    world.on('event', (report) => {
      const happening = happeningOf(report, world);
      this.happenings.push(happening);
      this.way.happened?.(happening, world);
    });
  }
}

function happeningOf(report: EventReport, world: World): Happening {
  const { time, id, cause, event, taken, fault } = report;
  const value = world.valueOf(id)?.state.value;
  const failure = fault === null ? undefined : { code: fault.code, message: fault.message };
  return { time, id, cause, event, taken, failure, value };
}

function untilOf(move: Exclude<Move, { readonly type: 'send' }>, world: World): number {
  switch (move.type) {
    case 'wait':
      return world.time + move.milliseconds;
    case 'towards': {
      const { time, nextEventAt = time } = world;
      return time + (nextEventAt - time) * move.part;
    }
    default:
      move satisfies never;
      return world.time;
  }
}
