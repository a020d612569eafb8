/** Which kinds each client reads: those that it has in the same version as the server. */
import type { Kind } from '../core/kind.ts';
import type { Hello } from '../protocol/messages.ts';

/** Which kinds a client reads: all, or some. Clients of the same `key` get the same bytes. */
export interface Readership {
  readonly key: string;
  /** Undefined: all. */
  readonly kinds: ReadonlySet<string> | undefined;
}

/** Its key is one that no list of kinds can have. */
const ALL_KINDS: Readership = { key: '*', kinds: undefined };

export class Readerships {
  /** The server's versions by kind. */
  readonly versions: Readonly<Record<string, number>>;
  private readonly warn: (message: string) => void;
  private readonly warned = new Set<string>();

  constructor(kinds: Iterable<Kind>, warn: (message: string) => void) {
    this.versions = Object.fromEntries([...kinds].map(({ name, version }) => [name, version]));
    this.warn = warn;
  }

  /** Of a client by what it says it has. The first client that lacks a kind is warned of. */
  of(kinds: Hello['kinds']): Readership {
    if (kinds === undefined) return ALL_KINDS;
    const read: string[] = [];
    const all = Object.entries(this.versions);
    for (const [kind, version] of all) {
      const known = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
      if (known === version) read.push(kind);
      else this.warnOnce(kind, version, known);
    }
    if (read.length === all.length) return ALL_KINDS;
    return { key: read.sort().join(' '), kinds: new Set(read) };
  }

  private warnOnce(kind: string, version: number, known: number | undefined): void {
    if (this.warned.has(kind)) return;
    this.warned.add(kind);
    this.warn(
      known === undefined
        ? `A client does not know kind '${kind}', so its records are not sent to it.`
        : `A client has version ${known} of kind '${kind}' and the server ${version}, so its records are not sent to it.`,
    );
  }
}
