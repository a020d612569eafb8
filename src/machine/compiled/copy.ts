/**
 * Copies of contexts. A spread gives every copy a hidden class of its own, and after four generations the
 * engine takes its slow way for good (seen on V8 11); a copy made key by key, each at its own place in the
 * code, keeps one class for all contexts of a machine and costs a third. The copy is a plain object
 * like any other, with the same keys in the same order.
 */

/** Makes empty plain objects of one hidden class, with just the room that a machine's contexts need. */
export type Form = new () => Record<string, unknown>;

/** A form for the contexts of one machine. */
export function newForm(): Form {
  // Only a function, and no class, may share the prototype of plain objects.
  function Context(): void {}
  Context.prototype = Object.prototype;
  return Context as unknown as Form;
}

/** A copy of a context. */
export function copied(context: unknown, Form: Form): Record<string, unknown> {
  const from = context as Record<string, unknown>;
  if (from.constructor !== Object) return { ...from };
  const copy = new Form();
  let place = 0;
  for (const key in from) {
    // Set as a key, it would be the copy's prototype.
    if (key === '__proto__') return { ...from };
    switch (place) {
      case 0:
        copy[key] = from[key];
        break;
      case 1:
        copy[key] = from[key];
        break;
      case 2:
        copy[key] = from[key];
        break;
      case 3:
        copy[key] = from[key];
        break;
      case 4:
        copy[key] = from[key];
        break;
      case 5:
        copy[key] = from[key];
        break;
      case 6:
        copy[key] = from[key];
        break;
      case 7:
        copy[key] = from[key];
        break;
      default:
        copy[key] = from[key];
    }
    place += 1;
  }
  return copy;
}
