/**
 * Hashing, the same bits on every engine: two 32-bit lanes built from multiplications and rotations
 * of MurmurHash3 (A. Appleby, public domain), which together make 64 bits. Values are written in one canonical
 * form: keys sorted, NaN one pattern, −0 as 0, Map and Set in their order.
 */
import { WorldError } from './errors.ts';

const number = new Float64Array(1);
const words = new Uint32Array(number.buffer);
number[0] = 1;
/** Where the low word of a double lies on this machine. */
const LOW = words[1] === 0x3ff00000 ? 0 : 1;
const HIGH = 1 - LOW;

function finalised(lane: number): number {
  let h = lane ^ (lane >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** 32 bits of a string: a record's place in the order of an instant, and its place in the id index. */
export function hash32(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return finalised(h ^ text.length) >>> 0;
}

/** Whether an object holds all it has in its keys; a RegExp, URL or Error does not. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Sorts keys where they are. Most objects have few, for which the engine's own sort is slow. */
function inOrder(keys: string[]): string[] {
  if (keys.length > 16) return keys.sort();
  for (let i = 1; i < keys.length; i += 1) {
    const key = keys[i] as string;
    let at = i;
    for (; at > 0 && (keys[at - 1] as string) > key; at -= 1) keys[at] = keys[at - 1] as string;
    keys[at] = key;
  }
  return keys;
}

const TAG = {
  undefined: 1,
  null: 2,
  true: 3,
  false: 4,
  number: 5,
  string: 6,
  bigint: 7,
  array: 8,
  object: 9,
  map: 10,
  set: 11,
  date: 12,
} as const;

function hexOf(lane: number): string {
  return (lane >>> 0).toString(16).padStart(8, '0');
}

/** Takes in values and gives 64 bits. */
export class Hasher {
  low = 0;
  high = 0;
  private count = 0;

  constructor() {
    this.reset();
  }

  reset(): this {
    this.low = 0x2f0b4a27;
    this.high = 0x6c8e9cf5;
    this.count = 0;
    return this;
  }

  word(word: number): this {
    let k = Math.imul(word, 0xcc9e2d51);
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    const low = this.low ^ k;
    this.low = (Math.imul((low << 13) | (low >>> 19), 5) + 0xe6546b64) | 0;
    k = Math.imul(word, 0x239b961b);
    k = Math.imul((k << 16) | (k >>> 16), 0xab0e9789);
    const high = this.high ^ k;
    this.high = (Math.imul(((high << 17) | (high >>> 15)) + this.low, 5) + 0x561ccd1b) | 0;
    this.count += 1;
    return this;
  }

  number(value: number): this {
    number[0] = value === 0 ? 0 : value;
    if (Number.isNaN(value)) return this.word(0).word(0x7ff80000);
    return this.word(words[LOW] as number).word(words[HIGH] as number);
  }

  text(value: string): this {
    const { length } = value;
    this.word(length);
    let { low, high } = this;
    // `word`, written out with the lanes in variables: most of what is hashed is text.
    for (let i = 0; i < length; i += 2) {
      const word =
        i + 1 < length
          ? (value.charCodeAt(i) << 16) | value.charCodeAt(i + 1)
          : value.charCodeAt(i);
      let k = Math.imul(word, 0xcc9e2d51);
      low ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593);
      low = (Math.imul((low << 13) | (low >>> 19), 5) + 0xe6546b64) | 0;
      k = Math.imul(word, 0x239b961b);
      high ^= Math.imul((k << 16) | (k >>> 16), 0xab0e9789);
      high = (Math.imul(((high << 17) | (high >>> 15)) + low, 5) + 0x561ccd1b) | 0;
    }
    this.low = low;
    this.high = high;
    this.count += (length + 1) >>> 1;
    return this;
  }

  /** Any value a context may hold. Throws `NOT_SAVABLE` for what it may not. */
  value(value: unknown): this {
    switch (typeof value) {
      case 'undefined':
        return this.word(TAG.undefined);
      case 'boolean':
        return this.word(value ? TAG.true : TAG.false);
      case 'number':
        return this.word(TAG.number).number(value);
      case 'string':
        return this.word(TAG.string).text(value);
      case 'bigint':
        return this.word(TAG.bigint).text(value.toString(16));
      case 'object':
        return value === null ? this.word(TAG.null) : this.object(value);
      default:
        throw new WorldError(
          'NOT_SAVABLE',
          `a ${typeof value} cannot be hashed or saved; keep it out of the context.`,
        );
    }
  }

  private object(value: object): this {
    if (Array.isArray(value)) {
      this.word(TAG.array).word(value.length);
      for (let i = 0; i < value.length; i += 1) this.value(value[i]);
    } else if (isPlain(value)) {
      this.keys(value);
    } else if (value instanceof Map) {
      this.word(TAG.map).word(value.size);
      for (const [key, item] of value) this.value(key).value(item);
    } else if (value instanceof Set) {
      this.word(TAG.set).word(value.size);
      for (const item of value) this.value(item);
    } else if (value instanceof Date) {
      this.word(TAG.date).number(value.getTime());
    } else {
      this.text(String(value.constructor?.name)).text(String(value)).keys(value);
    }
    return this;
  }

  private keys(value: object): this {
    const keys = inOrder(Object.keys(value));
    this.word(TAG.object).word(keys.length);
    for (const key of keys) this.text(key).value((value as Record<string, unknown>)[key]);
    return this;
  }

  /** Ends the hash: `low` and `high` are then its 64 bits. */
  end(): this {
    const low = finalised(this.low ^ this.count);
    const high = finalised((this.high ^ this.count) + low);
    this.low = (low + high) | 0;
    this.high = high | 0;
    return this;
  }

  /** The 64 bits as 16 hex digits; call after `end`. */
  hex(): string {
    return hexOf(this.high) + hexOf(this.low);
  }
}
