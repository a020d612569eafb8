/** A record under test, as a test reads and moves it. */

import type { SendResult } from '../core/commands.ts';
import type { Notice } from '../core/commit.ts';
import { WorldError } from '../core/errors.ts';
import type { MachineEvent, StateValue } from '../core/logic.ts';
import type { Fault } from '../core/record.ts';
import type { RecordSnapshot } from '../core/snapshot.ts';
import type { World } from '../core/world.ts';
import type { Member } from './cast.ts';
import { type Duration, millisecondsOf } from './duration.ts';
import type { Edit, Message } from './traffic.ts';

export class TestRecord<Context = unknown, Event extends { type: string } = MachineEvent> {
  /** For `links` of another test record. */
  readonly member: Member;

  constructor(member: Member) {
    this.member = member;
  }

  /** Its id in the world: the one asked for, else its kind's name, numbered where that is taken. */
  get id(): string {
    return this.member.id;
  }

  /** The world it is in, with all it is linked to. Another one once a test record links to it. */
  get world(): World {
    return this.member.stage.world;
  }

  /** The record now. Throws `UNKNOWN_RECORD` when it is gone. */
  get record(): RecordSnapshot<Context, Event> {
    const record = this.world.find(this.id);
    if (record === undefined) {
      throw new WorldError('UNKNOWN_RECORD', `${this.id} is gone: an event removed it.`);
    }
    return record as unknown as RecordSnapshot<Context, Event>;
  }

  get value(): StateValue {
    return this.record.value;
  }

  get context(): Context {
    return this.record.context;
  }

  /** Why it rests although it has not ended; null if nothing failed. */
  get fault(): Fault | null {
    return this.record.fault;
  }

  /** Game milliseconds to its next event; undefined if it rests. */
  get nextEventIn(): number | undefined {
    const { nextEvent } = this.record;
    return nextEvent === null ? undefined : nextEvent - this.world.time;
  }

  /** What it emitted, in order. */
  get notices(): readonly Notice[] {
    return this.member.stage.notices.filter(({ id }) => id === this.id);
  }

  /** The edits it made, in order; `to` is the name of a link where one leads there. */
  get edits(): readonly Edit[] {
    const links = Object.entries(this.member.links);
    return this.member.stage.traffic.edits
      .filter(({ from }) => from === this.id)
      .map((edit) => ({ ...edit, to: links.find(([, to]) => to.id === edit.to)?.[0] ?? edit.to }));
  }

  /** The edits that others made of it, in order. */
  get edited(): readonly Edit[] {
    return this.member.stage.traffic.edits.filter(({ to }) => to === this.id);
  }

  /** The messages it sent, in order. */
  get messages(): readonly Message[] {
    return this.member.stage.traffic.messages.filter(({ from }) => from === this.id);
  }

  /** Sends it an event, as a command, now. */
  send(event: Event): SendResult {
    return this.world.send(this.id, event);
  }

  /** Whether it would take an event now. */
  can(event: Event): boolean {
    return this.record.can(event);
  }

  /**
   * Lets game time pass, with all that happens in it.
   *
   * @example
   * t.advance('10m');
   */
  advance(duration: Duration): void {
    this.world.run(millisecondsOf(duration));
  }

  /**
   * Lets game time pass up to the record's next event and through all that happens at that time. Gives
   * the game milliseconds that passed. Throws `RESTING` if no event is to come.
   */
  runToNextEvent(): number {
    const { nextEventIn } = this;
    if (nextEventIn === undefined) {
      throw new WorldError(
        'RESTING',
        `${this.id} rests in ${JSON.stringify(this.value)}, with no event to come; send it one, or change what it waits for.`,
      );
    }
    this.world.run(nextEventIn);
    return nextEventIn;
  }
}
