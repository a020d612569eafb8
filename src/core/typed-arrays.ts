/** Columns by slot: typed arrays that grow by doubling. */

type Column = Float64Array | Int32Array | Uint32Array | Uint8Array;

/** The same column, or a longer copy of it, that has room for `slot`; new places hold `fill`. */
export function roomFor<T extends Column>(column: T, slot: number, fill = 0): T {
  if (slot < column.length) return column;
  const longer = new (column.constructor as new (length: number) => T)(
    Math.max(slot + 1, column.length * 2),
  );
  if (fill !== 0) longer.fill(fill, column.length);
  longer.set(column);
  return longer;
}
