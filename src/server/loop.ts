/**
 * The frame loop: it sleeps until the next event, command or flush, and then runs one frame. A world
 * in which nothing is to come costs nothing. What is due and does not fit in a frame's time is left
 * to the next, which waits until sockets have had their turn.
 */
import type { Host, QueuedCommand } from '../core/commands.ts';
import type { World } from '../core/world.ts';
import type { ClockReading } from '../protocol/messages.ts';

/** Real time as the loop needs it, so that tests can stop it, or let it run at once. */
export interface RealTime {
  /** Real milliseconds; never goes back. */
  now(): number;
  /** Runs something once after so many real milliseconds; the function given back cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export const realTime: RealTime = {
  now: () => performance.now(),
  after: (milliseconds, run) => {
    if (milliseconds <= 0) {
      const soon = setImmediate(run);
      return () => clearImmediate(soon);
    }
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Something that sends what changed, at its own pace. */
export interface Flushing {
  /** The real time at which it wants to send, undefined if it has nothing to say. */
  readonly dueAt: number | undefined;
  flush(now: number): void;
}

export interface LoopParts {
  readonly world: World;
  readonly time: RealTime;
  readonly flushing: readonly Flushing[];
  /** Told of each frame of the world, and how many real milliseconds it took. */
  framed?(milliseconds: number): void;
  /** Told of what a frame or a flush threw; the loop goes on. */
  failed(error: unknown): void;
}

/** How the loop is doing, for the health check. */
export interface Progress {
  readonly frames: number;
  /** Real milliseconds since something due first went undone; 0 while nothing is. */
  readonly overdue: number;
  /** Real milliseconds since a frame last moved the world. */
  readonly sinceProgress: number;
}

/** Events closer together than this share a frame, in real milliseconds. */
const SHORTEST_FRAME = 16;
/** How long a frame may keep the sockets waiting, in real milliseconds. */
const LONGEST_FRAME = 8;
/** The longest sleep a timer of the platform can hold. */
const LONGEST_SLEEP = 2 ** 31 - 1;

export class Loop implements Host {
  private readonly parts: LoopParts;
  private readonly stops: (() => void)[] = [];
  private cancel: (() => void) | undefined;
  private framedAt: number;
  private progressAt: number;
  /** The real time since which a command has been waiting for a frame. */
  private askedAt: number | undefined;
  private isInFrame = false;
  private hasBacklog = false;
  private isRunning = false;
  private frames = 0;

  constructor(parts: LoopParts) {
    this.parts = parts;
    this.framedAt = parts.time.now();
    this.progressAt = this.framedAt;
  }

  start(): void {
    const { world, time } = this.parts;
    this.isRunning = true;
    this.framedAt = time.now();
    this.progressAt = this.framedAt;
    this.stops.push(
      world.hostedBy(this),
      // A command carried out between frames may bring the next event forward, or give news to tell.
      world.on('command', () => this.plan()),
    );
    this.plan();
  }

  stop(): void {
    this.isRunning = false;
    for (const stop of this.stops.splice(0)) stop();
    this.cancel?.();
    this.cancel = undefined;
  }

  /**
   * How the game clock stands now; between frames the world's own stands where the last one left it.
   * That of a world that is held stands still, as if it were paused.
   */
  clock(): ClockReading {
    const { clock, heldBecause } = this.parts.world;
    const { time, speed } = clock;
    const paused = clock.paused || heldBecause !== undefined;
    const moved = paused || !this.isRunning ? 0 : this.sinceFrame() * speed;
    return { time: time + moved, speed, paused };
  }

  /** The world is held, or goes on: real time until now is no time of the game. */
  beginAnew(): void {
    this.framedAt = this.parts.time.now();
    this.plan();
  }

  progress(): Progress {
    const now = this.parts.time.now();
    const { nextEventAt } = this.parts.world;
    const { time, speed, paused } = this.clock();
    let overdue = this.askedAt === undefined ? 0 : now - this.askedAt;
    if (nextEventAt !== undefined && !paused && speed > 0) {
      overdue = Math.max(overdue, (time - nextEventAt) / speed);
    }
    return { frames: this.frames, overdue, sinceProgress: now - this.progressAt };
  }

  /** Sets the alarm anew; call it when something outside the world gave it a reason. */
  plan(): void {
    if (!this.isRunning || this.isInFrame) return;
    this.cancel?.();
    const at = this.wakesAt();
    if (at === undefined) {
      this.cancel = undefined;
      return;
    }
    const sleep = Math.min(Math.ceil(at - this.parts.time.now()), LONGEST_SLEEP);
    this.cancel = this.parts.time.after(Math.max(0, sleep), () => this.frame());
  }

  /**
   * A command's game time: the world may have slept since its last frame, and a command happens when
   * it comes. While the world catches up it is behind its clock, and commands are for where it is.
   */
  stamped(command: QueuedCommand): QueuedCommand {
    if (command.at !== undefined || this.hasBacklog) return command;
    // Down to the grid of game times, so that the next frame reaches it for sure.
    return { ...command, at: Math.floor(this.clock().time * 1024) / 1024 };
  }

  commandWaits(): void {
    if (this.isCommandDue()) this.askedAt ??= this.parts.time.now();
    this.plan();
  }

  catchUp(): void {
    if (!this.hasBacklog && this.sinceFrame() > 0) this.frame();
  }

  private isCommandDue(): boolean {
    const { commands } = this.parts.world;
    return (commands.nextAt ?? Number.POSITIVE_INFINITY) <= this.clock().time;
  }

  /** Runs a frame now; the world is then where its clock is, unless it has a backlog. */
  frame(): void {
    if (!this.isRunning || this.isInFrame) return;
    const { world, time, flushing, failed } = this.parts;
    const now = time.now();
    const elapsed = Math.max(0, now - this.framedAt);
    this.framedAt = now;
    this.isInFrame = true;
    this.frames += 1;
    const before = world.time;
    try {
      const until = now + LONGEST_FRAME;
      const report = world.frame(elapsed, { mayGoOn: () => time.now() < until });
      if (world.heldBecause === undefined) this.hasBacklog = report.backlog;
      if (!report.backlog || report.events + report.commands > 0) this.progressAt = now;
    } catch (error) {
      failed(error);
    }
    if (world.time > before) this.progressAt = now;
    if (!this.isCommandDue()) this.askedAt = undefined;
    this.parts.framed?.(time.now() - now);
    for (const one of flushing) {
      if ((one.dueAt ?? Number.POSITIVE_INFINITY) > now) continue;
      try {
        one.flush(now);
      } catch (error) {
        failed(error);
      }
    }
    this.isInFrame = false;
    this.plan();
  }

  /** The real time of the next frame, undefined for none. */
  private wakesAt(): number | undefined {
    const { world, flushing } = this.parts;
    const isHeld = world.heldBecause !== undefined;
    if (this.isCommandDue() || (this.hasBacklog && !isHeld)) return this.framedAt;
    const times = flushing.map((one) => one.dueAt).filter((at) => at !== undefined);
    // While it is held, no time passes in it.
    if (!isHeld) times.push(...this.eventTimes());
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The real times at which something happens in the world by itself. */
  private eventTimes(): number[] {
    const { clock, nextEventAt, commands } = this.parts.world;
    const { time, speed, paused } = clock;
    if (paused || speed === 0) {
      // A world that stands still still does what commands have made due.
      const isDue = (nextEventAt ?? Number.POSITIVE_INFINITY) <= time;
      return isDue ? [this.framedAt + SHORTEST_FRAME] : [];
    }
    return [nextEventAt, commands.nextAt]
      .filter((at) => at !== undefined)
      .map((at) => this.framedAt + Math.max(SHORTEST_FRAME, (at - time) / speed));
  }

  private sinceFrame(): number {
    return Math.max(0, this.parts.time.now() - this.framedAt);
  }
}
