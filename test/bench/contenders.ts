/** Who races in which group, by name, so that each can be made in a process of its own. */
import { FACILITY_ENGINES, facilityContender } from './facility.ts';
import {
  deepMachine,
  MACHINE_ENGINES,
  machineContender,
  parallelMachine,
  STATION_ENGINES,
  stationContender,
} from './machines.ts';
import type { Contender } from './measure.ts';
import { TIMER_ENGINES, timerContender } from './timers.ts';

export interface Race {
  readonly model: string;
  readonly sizes: readonly number[];
  readonly quickSizes: readonly number[];
  /** The engines that can be run at that size in reasonable time. */
  engines(n: number): readonly string[];
  contender(engine: string, n: number): Contender;
}

export const races: Readonly<Record<string, Race>> = {
  timers: {
    model: 'repeating timers, periods 1000 to 1999 ms',
    sizes: [10, 1000, 10_000, 100_000, 1_000_000],
    quickSizes: [10, 1000, 10_000],
    engines: (n) => TIMER_ENGINES.filter(({ most }) => n <= most).map(({ engine }) => engine),
    contender: timerContender,
  },
  stations: {
    model: 'linked stations and stashes',
    sizes: [100, 10_000],
    quickSizes: [100],
    engines: () => STATION_ENGINES,
    contender: stationContender,
  },
  facility: {
    model: 'customers of a facility, a server for every hundred',
    sizes: [100, 1000],
    quickSizes: [1000],
    engines: () => FACILITY_ENGINES,
    contender: facilityContender,
  },
  parallel: {
    model: 'a machine with 4 parallel regions',
    sizes: [1000],
    quickSizes: [1000],
    engines: () => MACHINE_ENGINES,
    contender: (engine, n) => machineContender(engine, parallelMachine, n),
  },
  deep: {
    model: 'a machine 5 levels deep',
    sizes: [1000],
    quickSizes: [1000],
    engines: () => MACHINE_ENGINES,
    contender: (engine, n) => machineContender(engine, deepMachine, n),
  },
};
