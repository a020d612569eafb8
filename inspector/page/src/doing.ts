/** Commands given by a part of the page, and what became of the last one. */
import { useState } from 'react';
import type { AdminCommand, Done } from '../../../src/protocol/admin.ts';
import { useAdmin } from './admin-context.ts';

export interface Doing {
  readonly isBusy: boolean;
  readonly problem: string | undefined;
  readonly done: string | undefined;
  /** Has the world do it; `said` says it when it is done. Gives undefined if it was refused. */
  do(command: AdminCommand, said?: (done: Done) => string): Promise<Done | undefined>;
  fail(problem: string): void;
  forget(): void;
}

export function useDo(): Doing {
  const admin = useAdmin();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [done, setDone] = useState<string>();
  return {
    isBusy,
    problem,
    done,
    do: async (command, said) => {
      setIsBusy(true);
      setProblem(undefined);
      setDone(undefined);
      try {
        const answer = await admin.do(command);
        setDone(said?.(answer));
        return answer;
      } catch (error) {
        setProblem(error instanceof Error ? error.message : String(error));
        return undefined;
      } finally {
        setIsBusy(false);
      }
    },
    fail: setProblem,
    forget: () => {
      setProblem(undefined);
      setDone(undefined);
    },
  };
}
