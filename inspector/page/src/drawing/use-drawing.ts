/** Edits of one kind's source: shown as a diff, then written or dropped; taken back, and made again. */
import { useState } from 'react';
import type { ChartEdit, Drawn } from '../../../../src/protocol/chart-edits.ts';
import { useAdmin } from '../admin-context.ts';

export interface Drawings {
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  /** What was shown last and is not written, or was written last. */
  readonly shown: Drawn | undefined;
  show(edit: ChartEdit): Promise<void>;
  write(): Promise<void>;
  redraw(what: 'undo' | 'redo'): Promise<void>;
  drop(): void;
}

export function useDrawing(kind: string): Drawings {
  const admin = useAdmin();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [shown, setShown] = useState<Drawn>();
  const [edit, setEdit] = useState<ChartEdit>();
  const run = async (ask: () => Promise<Drawn>): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    try {
      setShown(await ask());
    } catch (error) {
      setShown(undefined);
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setIsBusy(false);
    }
  };
  return {
    isBusy,
    problem,
    shown,
    show: (next) => {
      setEdit(next);
      return run(() => admin.draw(kind, next));
    },
    write: async () => {
      if (edit !== undefined && shown !== undefined) {
        await run(() => admin.draw(kind, edit, shown.base));
      }
    },
    redraw: (what) => run(() => admin.redraw(kind, what)),
    drop: () => {
      setShown(undefined);
      setProblem(undefined);
    },
  };
}
