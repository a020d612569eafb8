import { Mirror } from '../../src/client/mirror.ts';
import type { CellFrame, FromServer } from '../../src/protocol/messages.ts';
import type { Wire } from '../../src/replication/wire.ts';

/** A client without a socket: it keeps what it was sent, and mirrors it as the real one does. */
export class FakeWire implements Wire {
  buffered = 0;
  readonly mirror = new Mirror();
  readonly writes: FromServer[][] = [];
  readonly bytes: Uint8Array[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;

  write(frames: readonly Uint8Array[]): void {
    this.bytes.push(...frames);
    const messages = frames.map((frame): FromServer => JSON.parse(Buffer.from(frame).toString()));
    this.writes.push(messages);
    for (const message of messages) {
      if (message.type === 'cell') this.mirror.cell(message);
      if (message.type === 'leave') this.mirror.leave(message.cell);
    }
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  /** Everything that was sent. */
  get messages(): FromServer[] {
    return this.writes.flat();
  }

  get cells(): CellFrame[] {
    return this.messages.filter((message) => message.type === 'cell');
  }

  /** All bytes as text, to look for what must not be there. */
  get text(): string {
    return Buffer.concat(this.bytes).toString();
  }
}
