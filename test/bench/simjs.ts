/**
 * simjs, a discrete-event simulator for JavaScript, in types for what the bench uses. Its npm package
 * is a bundle that gives itself only to a browser's `window`, so it gets one for as long as it loads.
 */
import { createRequire } from 'node:module';

interface Asked {
  done(callback: () => void): void;
}

interface SimEntity {
  setTimer(duration: number): Asked;
  useFacility(facility: object, duration: number): Asked;
}

interface SimFacility {
  new (name: string, discipline: number, servers: number): object;
  readonly FCFS: number;
}

interface Simulation {
  addEntity(entity: new () => SimEntity, name: string | undefined, ...args: unknown[]): SimEntity;
  simulate(endTime: number, maxEvents?: number): boolean;
}

interface Simjs {
  readonly Entity: new () => SimEntity;
  readonly Facility: SimFacility;
  readonly Sim: new () => Simulation;
}

const holder = globalThis as { window?: { Sim?: Simjs } };
const page: { Sim?: Simjs } = {};
holder.window = page;
createRequire(import.meta.url)('simjs');
delete holder.window;

export const { Entity, Facility, Sim } = page.Sim as Simjs;
