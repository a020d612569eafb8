/**
 * Where statecharts are drawn in the sources of their machines. An edit is shown as a diff first; it is
 * written only into a source that is still the one that was shown, and only inside the folders whose
 * files are loaded again when they change. Each edit that was written can be taken back, as long as
 * nobody else has changed the source since.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { CommandError } from '../../core/errors.ts';
import type { Sources } from '../../inspect/machines.ts';
import type { KindChart } from '../../machine/chart.ts';
import type { ChartEdit, Drawn } from '../../protocol/chart-edits.ts';

export interface BoardParts {
  /** The folders of the sources. */
  readonly folders: readonly string[];
  /** What paths are told from. */
  readonly from: string;
}

type Shown = Omit<Drawn, 'type' | 'seq'>;

interface Change {
  readonly before: string;
  readonly after: string;
}

/** What was done to one source, for undo and redo. */
interface History {
  readonly done: Change[];
  readonly undone: Change[];
}

/** Edits of one source that can be taken back. */
const KEPT = 100;

export class DrawingBoard implements Sources {
  readonly isDrawable = true;
  private readonly parts: BoardParts;
  private readonly histories = new Map<string, History>();
  private loadProblem: string | null = null;
  /** Writes come one after the other, so that each sees what the one before has written. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(parts: BoardParts) {
    this.parts = parts;
  }

  problem(): string | null {
    return this.loadProblem;
  }

  /** To be told how each load of the kinds went. */
  tried(problem: string | null): void {
    this.loadProblem = problem;
  }

  /** Shows an edit; writes it if `base` stands for the source as it is. */
  draw(chart: KindChart, edit: ChartEdit, base: string | undefined): Promise<Shown> {
    return this.inTurn(async () => {
      const path = await this.sourceOf(chart);
      const before = await readFile(path, 'utf8');
      if (base !== undefined && base !== hashOf(before)) throw this.stale(path);
      // The parser is large, and only those who draw need it.
      const { withEdit } = await import('./apply-edit.ts');
      const { text: after, notes } = withEdit(before, chart, edit);
      const isWritten = base !== undefined && after !== before;
      if (isWritten) {
        await write(path, after);
        const history = this.historyOf(path);
        history.done.push({ before, after });
        if (history.done.length > KEPT) history.done.shift();
        history.undone.length = 0;
      }
      return this.shown(path, before, after, notes, isWritten);
    });
  }

  /** Takes back the last edit, or makes the last one taken back again. */
  redraw(chart: KindChart, what: 'undo' | 'redo'): Promise<Shown> {
    return this.inTurn(async () => {
      const path = await this.sourceOf(chart);
      const { done, undone } = this.historyOf(path);
      const [from, to] = what === 'undo' ? [done, undone] : [undone, done];
      const change = from.at(-1);
      if (change === undefined) {
        throw new CommandError(
          'NOTHING_DRAWN',
          `There is nothing to ${what} in ${this.named(path)}.`,
        );
      }
      const [before, after] =
        what === 'undo' ? [change.after, change.before] : [change.before, change.after];
      if ((await readFile(path, 'utf8')) !== before) throw this.stale(path);
      await write(path, after);
      from.pop();
      to.push(change);
      return this.shown(path, before, after, [], true);
    });
  }

  private inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.last.then(run);
    this.last = next.catch(() => {});
    return next;
  }

  /** The file that makes a kind's machine. */
  private async sourceOf({ machine }: KindChart): Promise<string> {
    const { makesMachine } = await import('./apply-edit.ts');
    const found: string[] = [];
    for (const path of await this.sources()) {
      const text = await readFile(path, 'utf8');
      if (text.includes(machine) && makesMachine(text, machine)) found.push(path);
    }
    const [path, another] = found;
    if (path === undefined) {
      throw new CommandError(
        'NO_SOURCE',
        `No file in ${this.parts.folders.map((folder) => this.named(folder)).join(', ')} makes the machine '${machine}' with createMachine({ id: '${machine}', … }).`,
      );
    }
    if (another !== undefined) {
      throw new CommandError(
        'NO_SOURCE',
        `Both ${this.named(path)} and ${this.named(another)} make a machine '${machine}'; give each its own id.`,
      );
    }
    return path;
  }

  /** TypeScript and JavaScript in the folders. A link that leads out of them is none of it. */
  private async sources(): Promise<string[]> {
    const found = new Set<string>();
    for (const folder of this.parts.folders) {
      const root = await realpath(folder).catch(() => undefined);
      if (root === undefined) continue;
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        if (!/(?<!\.d)\.[jt]s$/.test(entry.name)) continue;
        const path = await realpath(join(entry.parentPath, entry.name)).catch(() => '');
        if (path.startsWith(root + sep) && !path.includes(`${sep}node_modules${sep}`))
          found.add(path);
      }
    }
    return [...found].sort();
  }

  private historyOf(path: string): History {
    let history = this.histories.get(path);
    if (history === undefined) {
      history = { done: [], undone: [] };
      this.histories.set(path, history);
    }
    return history;
  }

  private shown(
    path: string,
    before: string,
    after: string,
    notes: readonly string[],
    isWritten: boolean,
  ): Shown {
    const name = this.named(path);
    const diff = createTwoFilesPatch(name, name, before, after, '', '', { context: 3 });
    return { path: name, base: hashOf(before), diff, notes, isWritten };
  }

  private stale(path: string): CommandError {
    return new CommandError(
      'STALE_SOURCE',
      `${this.named(path)} has changed since; nothing was written. Look at it as it is now, and draw again.`,
    );
  }

  private named(path: string): string {
    return relative(this.parts.from, path).split(sep).join('/');
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Whole or not at all. */
async function write(path: string, text: string): Promise<void> {
  const { mode } = await stat(path);
  const beside = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    await writeFile(beside, text, { mode });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
