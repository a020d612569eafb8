/** The bottom of a connection: where its bytes go, and the codes with which it ends. */

/** Where a connection's bytes go; a server makes one of each socket. */
export interface Wire {
  /** Bytes that the socket has not taken yet. */
  readonly buffered: number;
  /**
   * Sends text frames in one write. They are never changed afterwards, and the same list of them may go
   * to other wires too; those then come one after the other.
   */
  write(frames: readonly Uint8Array[]): void;
  close(code: number, reason: string): void;
}

/** Close codes of WebSocket (RFC 6455, 7.4.1). */
export const CLOSE = {
  goingAway: 1001,
  protocol: 1002,
  policy: 1008,
  internal: 1011,
  restart: 1012,
  tryLater: 1013,
} as const;
