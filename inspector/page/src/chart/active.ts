/** Which states of a chart a record is in. */
import type { StateValue } from '../../../../src/core/logic.ts';
import type { ChartState } from '../../../../src/machine/chart.ts';

/** Ids of the states that a value names, and of those around them. */
export function activeStates(
  states: readonly ChartState[],
  value: StateValue,
): ReadonlySet<string> {
  const paths = new Set(['']);
  const walk = (inner: StateValue, path: readonly string[]): void => {
    if (typeof inner === 'string') {
      paths.add([...path, inner].join('\n'));
      return;
    }
    for (const [key, deeper] of Object.entries(inner)) {
      if (deeper === undefined) continue;
      paths.add([...path, key].join('\n'));
      walk(deeper, [...path, key]);
    }
  };
  walk(value, []);
  return new Set(states.filter(({ path }) => paths.has(path.join('\n'))).map(({ id }) => id));
}
