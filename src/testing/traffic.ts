/**
 * What the records of a test do to each other: the edits they make and the messages they send. A world
 * tells neither, so the logic of each kind is watched while it steps. What belongs to an event that
 * failed, or that a `tryEdit` took back, did not happen and is not kept.
 */
import { isAllOf, isById, type Selection } from '../core/address.ts';
import { ambient } from '../core/ambient.ts';
import { WorldError } from '../core/errors.ts';
import { Hasher } from '../core/hash.ts';
import type { Kind } from '../core/kind.ts';
import type { Effects, MachineEvent, MachineState, SendTarget } from '../core/logic.ts';
import type { World } from '../core/world.ts';

/** An `edit` or `tryEdit` of one record by another. */
export interface Edit {
  /** Who made it: an id. */
  readonly from: string;
  /** Whose it was: an id; in `edits` of a record the name of the link that leads there, if one does. */
  readonly to: string;
  readonly event: MachineEvent;
  /** Game time in milliseconds. */
  readonly time: number;
  /** False: refused, which only a `tryEdit` lets pass. */
  readonly taken: boolean;
}

/** A message that left its sender. */
export interface Message {
  /** Who sent it: an id. */
  readonly from: string;
  /** For whom: the name of a link, an id, or what was given to `all`. */
  readonly to: string | Selection;
  readonly event: MachineEvent;
  /** Game time in milliseconds at which it left. */
  readonly time: number;
}

interface Delayed extends Message {
  readonly timer: string;
}

export class Traffic {
  readonly edits: Edit[] = [];
  readonly messages: Message[] = [];
  /** What the event at hand did so far. */
  private readonly newEdits: Edit[] = [];
  private readonly newMessages: Message[] = [];
  private delayed: Delayed[] = [];
  private depth = 0;

  /** The same kind, with its logic under watch. */
  watched(kind: Kind): Kind {
    const { logic } = kind;
    return {
      ...kind,
      logic: {
        initial: (input, effects) => this.within(() => logic.initial(input, this.noting(effects))),
        step: (state, event, effects) =>
          this.step(kind, state, event, () => logic.step(state, event, this.noting(effects))),
        can: (state, event) => logic.can(state, event),
        heedsWake: (state) => logic.heedsWake(state),
        set: (state, change, effects) =>
          this.within(() => logic.set(state, change, this.noting(effects))),
      },
    };
  }

  /** Listens for how each event ends. */
  listenTo(world: World): void {
    world.on('event', ({ id, cause, event, fault, time }) => {
      // A command's own report comes after the event it sent.
      if (cause === 'command') return;
      if (fault === null && cause === 'timer') this.sendDelayed(id, event, time);
      this.end(fault === null);
    });
    world.on('command', ({ result }) => this.end(result.accepted));
  }

  private end(happened: boolean): void {
    if (happened) {
      this.edits.push(...this.newEdits);
      this.messages.push(...this.newMessages);
    }
    this.newEdits.length = 0;
    this.newMessages.length = 0;
  }

  private step(
    kind: Kind,
    state: MachineState,
    event: MachineEvent,
    run: () => MachineState,
  ): MachineState {
    const { selfId, sender, time } = ambient.current ?? {};
    const isEdit = this.depth > 0 && sender !== undefined;
    const edit = { from: sender ?? '', to: selfId ?? '', event, time: time ?? 0, taken: false };
    const edits = this.newEdits.length;
    const messages = this.newMessages.length;
    if (isEdit) this.newEdits.push(edit);
    const before = hashOf(state.context);
    try {
      const next = this.within(run);
      if (hashOf(state.context) !== before) {
        throw new WorldError(
          'CONTEXT_MUTATED',
          `${selfId} (${kind.name}): on ${event.type} the machine changed its context in place, in a Map, a Set or a Date; give a new one with assign instead.`,
        );
      }
      edit.taken = next !== state;
      return next;
    } catch (error) {
      // Only a tryEdit goes on from here, and for it nothing below happened.
      this.newEdits.length = edits;
      this.newMessages.length = messages;
      if (isEdit) this.newEdits.push(edit);
      throw error;
    }
  }

  private within<T>(run: () => T): T {
    this.depth += 1;
    try {
      return run();
    } finally {
      this.depth -= 1;
    }
  }

  /** The effects of a step, with what is sent noted on the way. */
  private noting(effects: Effects): Effects {
    const from = ambient.current?.selfId ?? '';
    const now = ambient.current?.time ?? 0;
    return {
      schedule: (id, event, delay, target) => {
        effects.schedule(id, event, delay, target);
        if (target === undefined) return;
        this.delayed.push({
          from,
          to: addressee(target, from),
          event,
          time: now + delay,
          timer: id,
        });
      },
      cancel: (id) => {
        effects.cancel(id);
        this.delayed = this.delayed.filter((sent) => sent.from !== from || sent.timer !== id);
      },
      send: (target, event) => {
        effects.send(target, event);
        this.newMessages.push({ from, to: addressee(target, from), event, time: now });
      },
      emit: (event) => effects.emit(event),
      custom: (action) => effects.custom(action),
    };
  }

  /** A delayed message is the sender's timer until it leaves. */
  private sendDelayed(from: string, event: MachineEvent, time: number): void {
    const at = this.delayed.findIndex(
      (sent) => sent.from === from && sent.event === event && Math.abs(sent.time - time) < 0.001,
    );
    const [sent] = at < 0 ? [] : this.delayed.splice(at, 1);
    if (sent !== undefined) this.newMessages.push({ from, to: sent.to, event, time });
  }
}

function addressee(target: SendTarget, self: string): string | Selection {
  if (target === undefined) return self;
  if (isById(target)) return target.id;
  if (isAllOf(target)) {
    const { type: _, ...selection } = target;
    return selection;
  }
  return String(target);
}

const hasher = new Hasher();

function hashOf(context: unknown): string {
  return hasher.reset().value(context).end().hex();
}
