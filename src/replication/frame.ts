/**
 * What a cell has to say in one flush, encoded once for all clients that read the same kinds. Each
 * record is turned into text once, whatever the number of frames it goes into.
 */
import type { Notice } from '../core/commit.ts';
import type { FromServer, WireNotice } from '../protocol/messages.ts';
import { isPlainJson, toRich } from '../protocol/rich.ts';
import type { Readership } from './readership.ts';

/** Something of a kind that goes into frames: a record's or notice's JSON, or the id of one gone. */
export interface Piece {
  readonly kind: string;
  readonly text: string;
}

/** One `cell` message before it is known who reads it. */
export class Frame {
  private readonly head: string;
  private readonly isFull: boolean;
  private readonly set: readonly Piece[];
  private readonly gone: readonly Piece[];
  private readonly notices: readonly Piece[];
  private readonly encoded = new Map<string, Uint8Array | undefined>();

  constructor({
    cell,
    time,
    full = false,
    set = [],
    gone = [],
    notices = [],
  }: {
    readonly cell: string;
    readonly time: number;
    readonly full?: boolean;
    readonly set?: readonly Piece[];
    readonly gone?: readonly Piece[];
    readonly notices?: readonly Piece[];
  }) {
    this.head = `{"type":"cell","cell":${JSON.stringify(cell)},"time":${JSON.stringify(time)}`;
    this.isFull = full;
    this.set = set;
    this.gone = gone;
    this.notices = notices;
  }

  /** The bytes for clients of a readership; undefined if it tells them nothing. */
  for(readership: Readership): Uint8Array | undefined {
    const { key } = readership;
    if (!this.encoded.has(key)) this.encoded.set(key, this.encode(readership));
    return this.encoded.get(key);
  }

  private encode({ kinds }: Readership): Uint8Array | undefined {
    const [set, gone, notices] = [this.set, this.gone, this.notices].map((pieces) =>
      pieces
        .filter(({ kind }) => kinds === undefined || kinds.has(kind))
        .map(({ text }) => text)
        .join(','),
    );
    if (!this.isFull && set === '' && gone === '' && notices === '') return undefined;
    const full = this.isFull ? ',"full":true' : '';
    const told = notices === '' ? '' : `,"notices":[${notices}]`;
    return Buffer.from(`${this.head}${full},"set":[${set}],"gone":[${gone}]${told}}`);
  }
}

/** Any other message. */
export function encoded(message: FromServer): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

export function noticePiece({ id, kind, at, event, time, order }: Notice): Piece {
  const shown: WireNotice = {
    id,
    kind,
    at,
    ...(isPlainJson(event) ? { event } : { rich: toRich(event) }),
    time,
    order,
  };
  return { kind, text: JSON.stringify(shown) };
}
