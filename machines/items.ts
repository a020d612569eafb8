/** Items: how many there are of each name. A name with none is left out. */
import { badInput, wholeNumber } from './input.ts';

export type Items = Readonly<Record<string, number>>;

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Whether something may name an item. What every object has by itself (`constructor`) may not. */
export function isItem(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name) && !(name in Object.prototype);
}

/** Whether something counts items: a whole number above 0. */
export function isCount(count: unknown): count is number {
  return Number.isSafeInteger(count) && (count as number) > 0;
}

/** How many there are of one name. */
export function countOf(items: Items, item: string): number {
  return Object.hasOwn(items, item) ? (items[item] as number) : 0;
}

/** How many there are of all names together. */
export function totalOf(items: Items): number {
  return Object.values(items).reduce((total, count) => total + count, 0);
}

/** The items with so many more of one name; fewer, if `count` is below 0. */
export function withMore(items: Items, item: string, count: number): Items {
  const { [item]: before = 0, ...others } = items;
  return before + count === 0 ? others : { ...others, [item]: before + count };
}

/** A name of an item, from an input. */
export function checkedItem(item: unknown, what: string): string {
  if (isItem(item)) return item;
  throw badInput(what, item, 'the name of an item: small letters, digits and -, a letter first');
}

/** Items from an input, each a whole number of at least `least`; none are left in with 0. */
export function checkedItems(items: unknown, what: string, least = 0): Items {
  if (typeof items !== 'object' || items === null || Array.isArray(items)) {
    throw badInput(what, items, 'items and how many of each: { ore: 3 }');
  }
  const checked: [string, number][] = Object.entries(items).map(([item, count]) => [
    checkedItem(item, `an item of ${what}`),
    wholeNumber(count, `${what}.${item}`, least),
  ]);
  return Object.fromEntries(checked.filter(([, count]) => count > 0));
}
