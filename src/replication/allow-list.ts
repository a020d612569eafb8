/** Which events clients may send to records of each kind, and what these must look like. */
import { Compile } from 'typebox/compile';
import type { Kind } from '../core/kind.ts';
import type { MachineEvent } from '../core/logic.ts';
import { whatIsWrong } from '../protocol/what-is-wrong.ts';

export class AllowList {
  private readonly checks = new Map<string, ReturnType<typeof Compile>>();

  constructor(kinds: Iterable<Kind>) {
    for (const kind of kinds) {
      for (const [type, schema] of Object.entries(kind.commands)) {
        this.checks.set(keyOf(kind.name, type), Compile(closed(schema, type)));
      }
    }
  }

  allows(kind: string, type: string): boolean {
    return this.checks.has(keyOf(kind, type));
  }

  /** What is wrong with an allowed event, if it does not have the form that its kind asks for. */
  wrong(kind: string, event: MachineEvent): string | undefined {
    const check = this.checks.get(keyOf(kind, event.type));
    const value: unknown = event;
    if (check === undefined || check.Check(value)) return undefined;
    return `${event.type}: ${whatIsWrong(check.Errors(value))}.`;
  }
}

/** Neither name can hold a space before the other begins: names of kinds have none. */
function keyOf(kind: string, type: string): string {
  return `${kind} ${type}`;
}

/**
 * An author's schema speaks of what comes with the event and may leave its type out. What it does
 * not name does not come in, at any depth, unless it says so itself.
 */
function closed(schema: unknown, type: string): object {
  const { properties, ...rest } = exact(schema) as { readonly properties?: object };
  return { ...rest, properties: { type: { const: type }, ...properties } };
}

function exact(schema: unknown): object {
  if (typeof schema !== 'object' || schema === null) return {};
  const { properties, items } = schema as {
    readonly properties?: object;
    readonly items?: unknown;
  };
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          // The schema's own word on additional properties comes after ours.
          ...schema,
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, inner]) => [name, exact(inner)]),
          ),
        }),
    ...(typeof items === 'object' && !Array.isArray(items) ? { items: exact(items) } : {}),
  };
}
