/** Schemas of what an admin may send. What a command means is checked by the world that carries it out. */
import { type TSchema, Type } from 'typebox';
import type { AdminCommand, FromAdmin } from './admin.ts';
import type { ChartEdit } from './chart-edits.ts';
import { coordinate, exactly, id, place, seq } from './schema-parts.ts';

const at = Type.Array(coordinate, { minItems: 1, maxItems: 3 });
const links = Type.Record(Type.String(), Type.String());
const event = Type.Object({ type: Type.String({ minLength: 1 }) });

const newRecord = exactly({
  id: Type.Optional(Type.String()),
  kind: Type.String(),
  at: Type.Optional(at),
  input: Type.Optional(Type.Unknown()),
  links: Type.Optional(links),
  relevancy: Type.Optional(
    Type.Union([Type.Literal('none'), Type.Literal('spatial'), Type.Literal('always')]),
  ),
});

export const commandSchemas = {
  add: exactly({ type: Type.Literal('add'), records: Type.Array(newRecord) }),
  addIfMissing: exactly({ type: Type.Literal('addIfMissing'), record: newRecord }),
  remove: exactly({ type: Type.Literal('remove'), id: Type.String() }),
  send: exactly({ type: Type.Literal('send'), id: Type.String(), event }),
  setState: exactly({
    type: Type.Literal('setState'),
    id: Type.String(),
    change: exactly({
      value: Type.Optional(Type.Unknown()),
      context: Type.Optional(Type.Unknown()),
      at: Type.Optional(at),
      links: Type.Optional(links),
    }),
  }),
  retry: exactly({ type: Type.Literal('retry'), id: Type.String() }),
  pause: exactly({ type: Type.Literal('pause') }),
  resume: exactly({ type: Type.Literal('resume') }),
  setSpeed: exactly({ type: Type.Literal('setSpeed'), speed: Type.Number() }),
  jump: exactly({ type: Type.Literal('jump'), milliseconds: Type.Number() }),
  shiftTo: exactly({ type: Type.Literal('shiftTo'), time: Type.Number() }),
  configure: exactly({
    type: Type.Literal('configure'),
    settings: Type.Record(Type.String(), Type.Unknown()),
  }),
  spawnTimers: exactly({
    type: Type.Literal('spawnTimers'),
    count: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    interval: Type.Number({ exclusiveMinimum: 0 }),
    spacing: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })),
  }),
  save: exactly({ type: Type.Literal('save') }),
} satisfies Record<AdminCommand['type'], TSchema>;

const stats = exactly({ type: Type.Literal('watch'), what: Type.Literal('stats') });
const record = exactly({ type: Type.Literal('watch'), what: Type.Literal('record'), id });
const next = exactly({
  type: Type.Literal('watch'),
  what: Type.Literal('next'),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
});
const map = exactly({
  type: Type.Literal('watch'),
  what: Type.Literal('map'),
  from: place,
  to: place,
});
const events = exactly({
  type: Type.Literal('watch'),
  what: Type.Literal('events'),
  id: Type.Optional(id),
});
const machines = exactly({ type: Type.Literal('watch'), what: Type.Literal('machines') });
const faults = exactly({ type: Type.Literal('watch'), what: Type.Literal('faults') });

const name = Type.String({ minLength: 1, maxLength: 200 });
const path = Type.Array(name, { maxItems: 50 });
const names = Type.Array(name, { maxItems: 100 });
const cause = Type.Union([
  exactly({ on: name }),
  exactly({ after: name }),
  exactly({ always: Type.Literal(true) }),
  exactly({ onDone: Type.Literal(true) }),
]);
const target = Type.Union([path, Type.Null()]);
const transition = exactly({
  source: path,
  cause,
  place: Type.Integer({ minimum: 0, maximum: 1000 }),
});
const edit = <E extends ChartEdit['edit']>(of: E) => ({ edit: Type.Literal(of) });
const edits = Type.Union([
  exactly({ ...edit('addState'), parent: path, key: name }),
  exactly({ ...edit('renameState'), state: path, key: name }),
  exactly({ ...edit('removeState'), state: path }),
  exactly({ ...edit('setInitial'), state: path }),
  exactly({
    ...edit('setType'),
    state: path,
    to: Type.Union([
      Type.Literal('normal'),
      Type.Literal('parallel'),
      Type.Literal('final'),
      Type.Literal('history'),
    ]),
  }),
  exactly({
    ...edit('setActions'),
    state: path,
    when: Type.Union([Type.Literal('entry'), Type.Literal('exit')]),
    actions: names,
  }),
  exactly({ ...edit('addTransition'), source: path, cause, target }),
  exactly({
    ...edit('changeTransition'),
    transition,
    change: exactly({
      cause: Type.Optional(cause),
      target: Type.Optional(target),
      guard: Type.Optional(Type.Union([name, Type.Null()])),
      actions: Type.Optional(names),
      reenter: Type.Optional(Type.Boolean()),
    }),
  }),
  exactly({ ...edit('removeTransition'), transition }),
  exactly({
    ...edit('setDelay'),
    delay: name,
    milliseconds: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }),
]);

export const adminSchemas = {
  draw: exactly({
    type: Type.Literal('draw'),
    seq,
    kind: Type.String(),
    edit: edits,
    write: Type.Optional(exactly({ base: Type.String() })),
  }),
  redraw: exactly({
    type: Type.Literal('redraw'),
    seq,
    kind: Type.String(),
    what: Type.Union([Type.Literal('undo'), Type.Literal('redo')]),
  }),
  do: exactly({ type: Type.Literal('do'), seq, command: event }),
  watch: Type.Union([stats, record, next, map, events, machines, faults]),
  unwatch: Type.Union([
    exactly({
      type: Type.Literal('unwatch'),
      what: Type.Union([
        Type.Literal('stats'),
        Type.Literal('next'),
        Type.Literal('map'),
        Type.Literal('machines'),
        Type.Literal('faults'),
      ]),
    }),
    exactly({ type: Type.Literal('unwatch'), what: Type.Literal('record'), id }),
    exactly({
      type: Type.Literal('unwatch'),
      what: Type.Literal('events'),
      id: Type.Optional(id),
    }),
  ]),
  query: exactly({
    type: Type.Literal('query'),
    seq,
    what: Type.Literal('records'),
    filter: Type.Optional(Type.String({ maxLength: 200 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  }),
} satisfies Record<FromAdmin['type'], TSchema>;
