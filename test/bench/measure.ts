/** Figures, and how they are taken. */

export interface Result {
  readonly group: string;
  readonly model: string;
  readonly n: number;
  readonly engine: string;
  readonly value: number;
  readonly unit: string;
  /** How many times the rate of each other engine, in the same rounds. */
  readonly ratioTo?: Readonly<Record<string, number>>;
}

/** Something that runs on: each call does some work and gives how many events that were. */
export interface Contender {
  readonly engine: string;
  run(): number;
}

export interface Options {
  readonly quick: boolean;
}

/** Real milliseconds, with fractions. */
export const now = (): number => performance.now();

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] as number;
}

/** Lets the collector finish, so that one contender does not pay for another's garbage. */
export function collect(): void {
  for (let i = 0; i < 4; i += 1) globalThis.gc?.();
}

/** Real microseconds of each of `times` calls. */
export function costs(times: number, call: (i: number) => void): number[] {
  const taken: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const start = now();
    call(i);
    taken.push((now() - start) * 1000);
  }
  return taken;
}
