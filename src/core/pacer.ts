/**
 * How far a world runs: to a time, for a frame's budget, or one event. It lets commands that wait
 * take their place, each after everything due at or before its time, and changes nothing by where it
 * stops.
 */
import type { Agenda } from './agenda.ts';
import type { ClockState } from './clock.ts';
import type { CommandQueue, QueuedCommand } from './commands.ts';
import type { Scheduler } from './scheduler.ts';

/** Commands that one frame carries out at the most. */
const COMMANDS_PER_FRAME = 512;

export interface PacerParts {
  readonly agenda: Agenda;
  readonly scheduler: Scheduler;
  readonly clock: ClockState;
  readonly commands: CommandQueue;
  carryOut(queued: QueuedCommand): void;
}

/** What the next thing was; `full` if a command is due and no more may be carried out. */
type Happened = 'event' | 'command' | 'nothing' | 'full';

export class Pacer {
  private readonly parts: PacerParts;

  constructor(parts: PacerParts) {
    this.parts = parts;
  }

  /** Runs everything due at or before `until`. False if a command set the clock, after which that time means nothing. */
  runAll(until: number): boolean {
    const { clock, commands, scheduler } = this.parts;
    const { shifts } = clock;
    while (commands.size > 0 && this.runNext(until, Number.POSITIVE_INFINITY) !== 'nothing') {
      if (clock.shifts !== shifts) return false;
    }
    scheduler.runAll(until);
    return true;
  }

  /** Runs what is due by the clock, which a command may set meanwhile, as far as the budget goes. */
  runFrame(
    mostEvents: number,
    mayGoOn: (() => boolean) | undefined,
  ): { readonly events: number; readonly commands: number; readonly backlog: boolean } {
    const { clock, scheduler } = this.parts;
    let events = 0;
    let commands = 0;
    let happened: Happened = 'event';
    while (events < mostEvents && (mayGoOn === undefined || mayGoOn())) {
      happened = this.runNext(clock.time, COMMANDS_PER_FRAME - commands);
      if (happened === 'nothing' || happened === 'full') break;
      if (happened === 'event') events += 1;
      else commands += 1;
    }
    const backlog = happened !== 'nothing' && this.isAnythingDue(clock.time);
    if (!backlog && clock.time > scheduler.time) scheduler.time = clock.time;
    return { events, commands, backlog };
  }

  /** Runs exactly one event, wherever it is in time, and the commands before it. */
  runOneEvent(): void {
    const { agenda, clock, scheduler } = this.parts;
    for (;;) {
      const { nextTime } = agenda;
      const until = nextTime === Number.POSITIVE_INFINITY ? clock.time : nextTime;
      const happened = this.runNext(until, Number.POSITIVE_INFINITY);
      clock.reach(scheduler.time);
      if (happened !== 'command') return;
    }
  }

  /** Runs the next event or command due by `target`. */
  private runNext(target: number, commandsLeft: number): Happened {
    const { scheduler, commands } = this.parts;
    const { nextAt } = commands;
    const until =
      nextAt === undefined ? target : Math.min(target, Math.max(nextAt, scheduler.time));
    if (scheduler.runOne(until)) return 'event';
    if (nextAt === undefined || Math.max(nextAt, scheduler.time) > target) return 'nothing';
    if (commandsLeft <= 0) return 'full';
    scheduler.time = Math.max(scheduler.time, until);
    const queued = commands.takeDue(scheduler.time);
    if (queued === undefined) return 'nothing';
    this.parts.carryOut(queued);
    return 'command';
  }

  private isAnythingDue(target: number): boolean {
    const { agenda, commands, scheduler } = this.parts;
    const { nextAt } = commands;
    return (
      agenda.nextTime <= target ||
      (nextAt !== undefined && Math.max(nextAt, scheduler.time) <= target)
    );
  }
}
