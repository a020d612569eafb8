/**
 * Commands of a client that wait for their answer, or to be sent. One that was sent over a connection
 * that was lost is sent again over the next; as long as the session is the same, it counts once.
 */
import { CommandError } from '../core/errors.ts';
import type { MachineEvent } from '../core/logic.ts';
import { type Ack, MOST_UNDER_WAY, type Reject, type Send } from '../protocol/messages.ts';

interface Waiting {
  readonly message: Send;
  /** Over the present connection. */
  isSent: boolean;
  /** Over any connection. */
  wasSent: boolean;
  resolve(done: { readonly time: number }): void;
  reject(error: CommandError): void;
}

export class Outbox {
  /** In the order of their `seq`. */
  private readonly waiting = new Map<number, Waiting>();
  private seq = 0;

  /** A command that waits to be sent, and the promise of its answer. */
  add(id: string, event: MachineEvent): Promise<{ readonly time: number }> {
    this.seq += 1;
    const message: Send = { type: 'send', seq: this.seq, id, event };
    return new Promise((resolve, reject) => {
      this.waiting.set(message.seq, { message, isSent: false, wasSent: false, resolve, reject });
    });
  }

  /** Takes what is to be sent now: no more than the server remembers the answers to. */
  *unsent(): IterableIterator<Send> {
    const [first = 0] = this.waiting.keys();
    for (const command of this.waiting.values()) {
      if (command.message.seq >= first + MOST_UNDER_WAY) return;
      if (command.isSent) continue;
      command.isSent = true;
      command.wasSent = true;
      yield command.message;
    }
  }

  answer(answer: Ack | Reject): void {
    const command = this.waiting.get(answer.seq);
    if (command === undefined) return;
    this.waiting.delete(answer.seq);
    if (answer.type === 'ack') command.resolve({ time: answer.time });
    else command.reject(new CommandError(answer.code, answer.message));
  }

  /** The connection is gone: everything waits for the next. */
  lost(): void {
    for (const command of this.waiting.values()) command.isSent = false;
  }

  /** The session is gone: nobody can say what became of what was sent. */
  sessionLost(): void {
    this.rejectAll(
      ({ wasSent }) => wasSent,
      'DISCONNECTED',
      'The connection was lost before the answer came; the command may or may not have been carried out.',
    );
  }

  closed(): void {
    this.sessionLost();
    this.rejectAll(() => true, 'CLOSED', 'The client was closed before the command was sent.');
  }

  private rejectAll(which: (command: Waiting) => boolean, code: string, why: string): void {
    for (const [seq, command] of this.waiting) {
      if (!which(command)) continue;
      this.waiting.delete(seq);
      command.reject(new CommandError(code, why));
    }
  }
}
