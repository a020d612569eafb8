/**
 * One `cell` message before it is known who reads it, encoded once for all clients that read the same
 * kinds. Each record is turned into text once, whatever the number of frames it goes into.
 */
import type { Notice } from '../core/commit.ts';
import type { FromServer, WireNotice } from '../protocol/messages.ts';
import { isPlainJson, toRich } from '../protocol/rich.ts';
import type { Readership } from './readership.ts';

/** Something of a kind that goes into frames: a record's or a notice's JSON. */
export interface Piece {
  readonly kind: string;
  readonly text: string;
}

/** A record that is gone: its id as JSON, and of which kinds clients may know it. */
export interface GonePiece {
  readonly kinds: ReadonlySet<string>;
  /** Its kind now, if it came again as another; who reads that has it from the same frame. */
  readonly now: string | undefined;
  readonly text: string;
}

export interface FrameParts {
  readonly cell: string;
  /** Game milliseconds. */
  readonly time: number;
  readonly full?: boolean;
  readonly set?: readonly Piece[];
  readonly gone?: readonly GonePiece[];
  readonly notices?: readonly Piece[];
}

const NONE: readonly never[] = [];

export class Frame {
  private readonly parts: FrameParts;
  private readonly encoded = new Map<string, Uint8Array | undefined>();
  /** Those of whom there are most ask one after the other. */
  private lastKey: string | undefined;
  private last: Uint8Array | undefined;

  constructor(parts: FrameParts) {
    this.parts = parts;
  }

  /** The bytes for clients of a readership; undefined if it tells them nothing. */
  for({ key, kinds }: Readership): Uint8Array | undefined {
    if (key === this.lastKey) return this.last;
    if (!this.encoded.has(key)) this.encoded.set(key, this.encode(kinds));
    this.lastKey = key;
    this.last = this.encoded.get(key);
    return this.last;
  }

  private encode(kinds: Readership['kinds']): Uint8Array | undefined {
    const { cell, time, full = false, set = NONE, gone = NONE, notices = NONE } = this.parts;
    const sets = joined(kinds === undefined ? set : set.filter(({ kind }) => kinds.has(kind)));
    const gones = joined(gone.length === 0 ? gone : gone.filter((piece) => isGone(piece, kinds)));
    const told = joined(
      kinds === undefined ? notices : notices.filter(({ kind }) => kinds.has(kind)),
    );
    if (!full && sets === '' && gones === '' && told === '') return undefined;
    const head = `{"type":"cell","cell":${JSON.stringify(cell)},"time":${JSON.stringify(time)}`;
    const whole = full ? ',"full":true' : '';
    const tail = told === '' ? '' : `,"notices":[${told}]`;
    return Buffer.from(`${head}${whole},"set":[${sets}],"gone":[${gones}]${tail}}`);
  }
}

/** Whether a client that reads those kinds may know the record and is not told of it as another kind. */
function isGone({ kinds: known, now }: GonePiece, kinds: Readership['kinds']): boolean {
  if (kinds === undefined) return now === undefined;
  return [...known].some((kind) => kinds.has(kind)) && (now === undefined || !kinds.has(now));
}

function joined(pieces: readonly { readonly text: string }[]): string {
  let all = '';
  for (const { text } of pieces) all = all === '' ? text : `${all},${text}`;
  return all;
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
