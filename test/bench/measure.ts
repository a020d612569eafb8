/** How figures are taken: engines in turn, so that the machine's noise hits all alike, and the median of the rounds. */

export interface Result {
  readonly group: string;
  readonly model: string;
  readonly n: number;
  readonly engine: string;
  readonly value: number;
  readonly unit: string;
  /** For rates: how many times the rate of each other engine in the same rounds. For costs: the other way round. */
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

/** Events a second of each contender: the median of rounds in which all run in turn. */
export function race(
  group: string,
  model: string,
  n: number,
  contenders: readonly Contender[],
  { quick }: Options,
): Result[] {
  const rounds = quick ? 3 : 7;
  const slice = quick ? 60 : 250;
  const rates = contenders.map((): number[] => []);
  for (let round = -1; round < rounds; round += 1) {
    contenders.forEach((contender, i) => {
      globalThis.gc?.();
      const start = now();
      let events = 0;
      let spent = 0;
      do {
        events += contender.run();
        spent = now() - start;
      } while (spent < slice);
      // The first round warms up.
      if (round >= 0) (rates[i] as number[]).push((events / spent) * 1000);
    });
  }
  const medians = rates.map(median);
  return contenders.map(({ engine }, i) => ({
    group,
    model,
    n,
    engine,
    value: medians[i] as number,
    unit: 'events/s',
    // Ratios round by round: what slowed one round slowed both.
    ratioTo: Object.fromEntries(
      contenders.flatMap((other, j) =>
        i === j
          ? []
          : [
              [
                other.engine,
                median(
                  (rates[i] as number[]).map(
                    (rate, r) => rate / ((rates[j] as number[])[r] as number),
                  ),
                ),
              ],
            ],
      ),
    ),
  }));
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
