/** Copies of contexts are what a spread gives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copied, newForm } from '../../src/machine/compiled/copy.ts';

const keys = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', '0', '10', '2', 'a', 'b', 'n'),
);
const contexts = fc.oneof(
  fc.dictionary(keys, fc.anything(), { noNullPrototype: true, maxKeys: 14 }),
  fc.dictionary(keys, fc.anything(), { maxKeys: 14 }),
);

describe('a copy of a context', () => {
  it('has the same keys in the same order, the same values, and is as plain', () => {
    fc.assert(
      fc.property(fc.array(contexts, { minLength: 1, maxLength: 5 }), (all) => {
        const form = newForm();
        for (const context of all) {
          const copy = copied(context, form);
          const spread = { ...context };
          expect(copy).not.toBe(context);
          expect(Object.entries(copy)).toStrictEqual(Object.entries(spread));
          expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
          expect(Object.getOwnPropertyNames(copy)).toEqual(Object.getOwnPropertyNames(spread));
        }
      }),
    );
  });

  it('leaves out what a prototype has, as a spread does', () => {
    class Purse {
      coins = 3;
      get rich() {
        return this.coins > 2;
      }
    }
    expect(copied(new Purse(), newForm())).toStrictEqual({ coins: 3 });
  });

  it('takes no key of the context for the prototype of the copy', () => {
    const context = JSON.parse('{ "a": 1, "__proto__": { "isAdmin": true }, "b": 2 }');
    const copy = copied(context, newForm());
    expect(Object.keys(copy)).toEqual(['a', '__proto__', 'b']);
    expect(copy.isAdmin).toBeUndefined();
  });
});
