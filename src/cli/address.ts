/** Addresses and numbers as they are typed on a command line. */
import { InvalidArgumentError } from 'commander';
import { CommandError } from '../core/errors.ts';
import { NAME_PATTERN } from '../core/names.ts';
import type { Place } from '../protocol/messages.ts';

export const DEFAULT_URL = 'http://127.0.0.1:4400';

/** A server's address; the scheme may be left out. */
export function parseUrl(text: string): string {
  try {
    const host = text.startsWith(':') ? `127.0.0.1${text}` : text;
    const url = new URL(/^\w+:\/\//.test(host) ? host : `http://${host}`);
    if (['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol)) {
      return url.href.replace(/\/$/, '');
    }
  } catch {
    // Said below, with what an address looks like.
  }
  throw new InvalidArgumentError(`It must be an address such as ${DEFAULT_URL}.`);
}

/** A world's name or folder, or a server's address: names have neither dots, colons nor slashes. */
export function parseWorldOrUrl(text: string): WorldOrUrl {
  if (NAME_PATTERN.test(text) && text !== 'localhost') return { world: text };
  const isFolder = /^\.{0,2}\//.test(text) && !text.startsWith('//');
  return isFolder ? { world: text } : { url: parseUrl(text) };
}

export type WorldOrUrl = { readonly world: string } | { readonly url: string };

export function parseView(text: string): Place {
  const parts = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [x = Number.NaN, y = Number.NaN] = parts;
  if (parts.length === 2 && parts.every((n) => Math.abs(n) <= 1e12)) return [x, y];
  throw new InvalidArgumentError('It must be two numbers, such as 0,0 or -1200,350.');
}

export function parseNumber(
  what: string,
  { least, most, whole = false }: { least: number; most: number; whole?: boolean },
): (text: string) => number {
  return (text) => {
    const number = text.trim() === '' ? Number.NaN : Number(text);
    if (number >= least && number <= most && (!whole || Number.isInteger(number))) return number;
    throw new InvalidArgumentError(
      `${what} must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}.`,
    );
  };
}

/** What to say when nothing answers at an address. */
export function noServer(url: string, reason: string): CommandError {
  return new CommandError(
    'NO_SERVER',
    `No server answers at ${url} (${reason}).\n` +
      'Start one in another terminal with `offstage serve`, or give the address of one that runs.',
  );
}
