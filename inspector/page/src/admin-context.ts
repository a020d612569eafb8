/** The connection, for every part of the page. */
import {
  createContext,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type {
  FaultsTold,
  Happening,
  InspectedRecord,
  MachinesTold,
  NextTold,
  ServerStats,
} from '../../../src/protocol/admin.ts';
import type { Admin, Link } from './admin.ts';

export const AdminContext = createContext<Admin | undefined>(undefined);

export function useAdmin(): Admin {
  const admin = useContext(AdminContext);
  if (admin === undefined) throw new Error('There is no connection above this part of the page.');
  return admin;
}

export function useLink(): Link {
  const admin = useAdmin();
  return useSyncExternalStore(admin.onLink, admin.getLink);
}

export function useStats(): ServerStats | undefined {
  const admin = useAdmin();
  const [stats, setStats] = useState<ServerStats>();
  useEffect(
    () => admin.watch({ type: 'watch', what: 'stats' }, 'stats', (told) => setStats(told.stats)),
    [admin],
  );
  return stats;
}

export function useNext(count: number): NextTold | undefined {
  const admin = useAdmin();
  const [next, setNext] = useState<NextTold>();
  useEffect(
    () => admin.watch({ type: 'watch', what: 'next', count }, 'next', setNext),
    [admin, count],
  );
  return next;
}

export function useFaults(): FaultsTold | undefined {
  const admin = useAdmin();
  const [faults, setFaults] = useState<FaultsTold>();
  useEffect(() => admin.watch({ type: 'watch', what: 'faults' }, 'faults', setFaults), [admin]);
  return faults;
}

const NO_MACHINES: MachinesTold = {
  type: 'machines',
  machines: [],
  isDrawable: false,
  problem: null,
};

export function useMachines(): MachinesTold {
  const admin = useAdmin();
  const [told, setTold] = useState(NO_MACHINES);
  useEffect(() => admin.watch({ type: 'watch', what: 'machines' }, 'machines', setTold), [admin]);
  return told;
}

/** A record as it is now; null if there is none of that id, undefined until that is known. */
export function useRecord(id: string | undefined): InspectedRecord | null | undefined {
  const admin = useAdmin();
  const [told, setTold] = useState<{ id: string; record: InspectedRecord | null }>();
  useEffect(() => {
    if (id === undefined) return undefined;
    return admin.watch({ type: 'watch', what: 'record', id }, 'record', setTold);
  }, [admin, id]);
  return told?.id === id ? told?.record : undefined;
}

/** What happened to a record since it is looked at, the latest first. */
export function useHappenings(id: string, most: number): readonly Happening[] {
  const admin = useAdmin();
  const [all, setAll] = useState<readonly Happening[]>([]);
  const shown = useRef(id);
  if (shown.current !== id) {
    shown.current = id;
    setAll([]);
  }
  useEffect(
    () =>
      admin.watch({ type: 'watch', what: 'events', id }, 'events', ({ happened }) =>
        setAll((before) => [...[...happened].reverse(), ...before].slice(0, most)),
      ),
    [admin, id, most],
  );
  return all;
}

/** Calls the part of the page again with every frame that the browser draws, while something moves. */
export function useFrames(isMoving: boolean): void {
  const [, setNow] = useState(() => performance.now());
  useEffect(() => {
    if (!isMoving) return undefined;
    let frame = requestAnimationFrame(function draw(time) {
      setNow(time);
      frame = requestAnimationFrame(draw);
    });
    return () => cancelAnimationFrame(frame);
  }, [isMoving]);
}

/** Real milliseconds between two looks at a countdown, which shows tenths of a second. */
const TICK = 100;

/** Calls the part of the page again ten times a second, while something moves. */
export function useTicks(isMoving: boolean): void {
  const [, setCount] = useState(0);
  useEffect(() => {
    if (!isMoving) return undefined;
    const timer = setInterval(() => setCount((count) => count + 1), TICK);
    return () => clearInterval(timer);
  }, [isMoving]);
}
