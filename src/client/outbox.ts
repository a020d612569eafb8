/** Commands of a client that wait for their answer, or for a connection to be sent over. */
import { CommandError } from '../core/errors.ts';
import type { MachineEvent } from '../core/logic.ts';
import type { Ack, Reject, Send } from '../protocol/messages.ts';

interface Waiting {
  readonly message: Send;
  isSent: boolean;
  resolve(done: { readonly time: number }): void;
  reject(error: CommandError): void;
}

export class Outbox {
  private readonly waiting = new Map<number, Waiting>();
  private seq = 0;

  /** A command that waits to be sent, and the promise of its answer. */
  add(id: string, event: MachineEvent): Promise<{ readonly time: number }> {
    this.seq += 1;
    const message: Send = { type: 'send', seq: this.seq, id, event };
    return new Promise((resolve, reject) => {
      this.waiting.set(message.seq, { message, isSent: false, resolve, reject });
    });
  }

  /** Takes what is to be sent now. */
  *unsent(): IterableIterator<Send> {
    for (const command of this.waiting.values()) {
      if (command.isSent) continue;
      command.isSent = true;
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

  /** The connection is gone: nobody can say what became of what was sent. What was not sent still waits. */
  lost(): void {
    this.rejectAll(
      ({ isSent }) => isSent,
      'DISCONNECTED',
      'The connection was lost before the answer came; the command may or may not have been carried out.',
    );
  }

  closed(): void {
    this.lost();
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
