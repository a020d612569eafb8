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

/** A copy of a context, with another value under one key if it `replaces` that. */
export function copied(
  context: unknown,
  Form: Form,
  replaces = false,
  name = '',
  value?: unknown,
): Record<string, unknown> {
  const from = context as Record<string, unknown>;
  if (from.constructor !== Object) return spread(from, replaces, name, value);
  const copy = new Form();
  let isLeft = replaces;
  let place = 0;
  for (const key in from) {
    // Set as a key, it would be the copy's prototype.
    if (key === '__proto__') return spread(from, replaces, name, value);
    let item: unknown;
    if (replaces && key === name) {
      item = value;
      isLeft = false;
    } else {
      item = from[key];
    }
    switch (place) {
      case 0:
        copy[key] = item;
        break;
      case 1:
        copy[key] = item;
        break;
      case 2:
        copy[key] = item;
        break;
      case 3:
        copy[key] = item;
        break;
      case 4:
        copy[key] = item;
        break;
      case 5:
        copy[key] = item;
        break;
      case 6:
        copy[key] = item;
        break;
      case 7:
        copy[key] = item;
        break;
      default:
        copy[key] = item;
    }
    place += 1;
  }
  if (isLeft) copy[name] = value;
  return copy;
}

/** A copy of a context with all that an `assign` gave, as `Object.assign` would have it. */
export function copiedWith(context: unknown, Form: Form, change: unknown): Record<string, unknown> {
  const copy = copied(context, Form);
  const given = change as Record<string, unknown> | null | undefined;
  if (given?.constructor !== Object) return Object.assign(copy, given);
  let place = 0;
  for (const key in given) {
    switch (place) {
      case 0:
        copy[key] = given[key];
        break;
      case 1:
        copy[key] = given[key];
        break;
      case 2:
        copy[key] = given[key];
        break;
      case 3:
        copy[key] = given[key];
        break;
      default:
        copy[key] = given[key];
    }
    place += 1;
  }
  return copy;
}

/** The context that a record begins with, of the hidden class that its copies will have. */
export function begun(context: object, Form: Form): Record<string, unknown> {
  const from = { ...context } as Record<string, unknown>;
  if (Object.hasOwn(from, '__proto__')) return from;
  const copy = new Form();
  // Not in `copied`, whose places in the code serve best if each meets one key alone.
  for (const key in from) copy[key] = from[key];
  return copy;
}

function spread(
  from: Record<string, unknown>,
  replaces: boolean,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const copy = { ...from };
  if (replaces) copy[name] = value;
  return copy;
}
