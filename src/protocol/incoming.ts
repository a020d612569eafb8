/**
 * What comes in to a server: text that must be JSON, small, not deep, without keys that reach into
 * prototypes, and exactly one of the messages. Only a server imports this file; a client is spared
 * the schemas and their compiler.
 */
import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { messageOf, ProtocolError } from '../core/errors.ts';
import type { FromAdmin } from './admin.ts';
import { adminSchemas, commandSchemas } from './admin-schemas.ts';
import type { FromClient } from './messages.ts';
import { exactly, id, place, seq } from './schema-parts.ts';
import { whatIsWrong } from './what-is-wrong.ts';

/** How deep a message may nest. */
const DEEPEST = 32;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

const clientSchemas = {
  hello: exactly({
    type: Type.Literal('hello'),
    protocol: Type.Integer(),
    kinds: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Integer())),
    view: Type.Optional(place),
    resume: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  view: exactly({ type: Type.Literal('view'), at: place }),
  send: exactly({
    type: Type.Literal('send'),
    seq,
    id,
    event: Type.Object({ type: Type.String({ maxLength: 256 }) }),
  }),
} satisfies Record<FromClient['type'], TSchema>;

const forClient = compiled(clientSchemas);
const forAdmin = compiled(adminSchemas);
const forCommand = compiled(commandSchemas);

/** A client's message. Throws `ProtocolError` `BAD_MESSAGE` that says what is wrong with it. */
export function parseFromClient(text: string): FromClient {
  return parsed(text, forClient) as FromClient;
}

/** An admin's message. Throws `ProtocolError` `BAD_MESSAGE` that says what is wrong with it. */
export function parseFromAdmin(text: string): FromAdmin {
  const message = parsed(text, forAdmin) as FromAdmin;
  // Checked by its own type, so that the error speaks of that command and not of all of them.
  if (message.type === 'do') check(message.command, forCommand, 'The command');
  return message;
}

type Checks = ReadonlyMap<string, ReturnType<typeof Compile>>;

function compiled(schemas: Readonly<Record<string, TSchema>>): Checks {
  return new Map(Object.entries(schemas).map(([type, schema]) => [type, Compile(schema)]));
}

function parsed(text: string, checks: Checks): unknown {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    throw bad(`It is not JSON: ${messageOf(error)}.`);
  }
  checkKeys(message, DEEPEST);
  check(message, checks, 'It');
  return message;
}

function check(value: unknown, checks: Checks, what: string): void {
  const type = typeof value === 'object' && value !== null && 'type' in value && value.type;
  const schema = typeof type === 'string' ? checks.get(type) : undefined;
  if (schema === undefined) {
    throw bad(`${what} must be an object with a type, one of: ${[...checks.keys()].join(', ')}.`);
  }
  if (!schema.Check(value))
    throw bad(`'${String(type)}': ${whatIsWrong(schema.Errors(value), value)}.`);
}

function checkKeys(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw bad(`It nests deeper than ${DEEPEST}.`);
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw bad(`The key '${key}' is not allowed.`);
    checkKeys((value as Record<string, unknown>)[key], depth - 1);
  }
}

function bad(why: string): ProtocolError {
  return new ProtocolError('BAD_MESSAGE', `The message was not understood. ${why}`);
}
