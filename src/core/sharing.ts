/**
 * What the records of one kind share, so that a record need not hold it itself: a machine state
 * without its context, and what a timer is without its time. A million records in three states hold
 * three shapes. Sharing changes nothing that can be seen; what is not found is made.
 */
import type { AllOf, ById } from './address.ts';
import type { Kind } from './kind.ts';
import {
  type Fork,
  type MachineEvent,
  type MachineState,
  machineState,
  type Repeat,
  type Shortcut,
  type StateBeside,
  type StateValue,
} from './logic.ts';
import { RANK, type Rank } from './pending.ts';
import type { Links } from './record.ts';

/** A machine state without its context. */
export interface Shape extends StateBeside {
  /** Whether a wake may do something in it. */
  readonly heedsWake: boolean;
  /** The way by which a lone timer was met here last. */
  way: Way | undefined;
  /** What was met here in transactions. */
  readonly meetings: Meeting[];
  /** What it is shared through: the way from a record to its kind that stays in the cache. */
  readonly sharing: Sharing;
}

/** Something planned, without its time. */
export interface Planned {
  readonly rank: Rank;
  readonly id: string;
  readonly event: MachineEvent;
  readonly to: ById | AllOf | undefined;
  /** Whether it may be met without a transaction; false once it turned out to need one. */
  mayBeSolo: boolean;
  /** How often that did not go well of late. */
  failures: number;
}

/** How something planned is met in a shape without a transaction. */
export interface Way {
  readonly planned: Planned;
  /** What it always does there, if that is known. */
  readonly shortcut: Shortcut | undefined;
  /** The shape it then leads to. */
  readonly to: Shape;
  /** Set if it is planned again just so, and whoever links to the record is heeded as before. */
  readonly repeat: Repeat | undefined;
}

/** What events of one type may lead to in a shape, if that is known, and the shapes at its ends. */
export interface Meeting {
  readonly type: string;
  readonly fork: Fork | undefined;
  readonly ends: readonly Shape[];
}

/** Beyond so many the oldest are forgotten, and made again when they are met again. */
const MOST_SHARED = 1024;
/** So many types of events are remembered for a shape: few enough to look through. */
const MOST_MEETINGS = 16;

export class Sharing {
  readonly kind: Kind;
  /** Whether records of the kind predict events. */
  readonly predicts: boolean;
  /** The shape of a record whose initial step has not been taken. */
  readonly unborn: Shape;
  /** Events that records of the kind have had. */
  events = 0;
  private readonly shapes = new Map<StateValue, Shape>();
  private readonly planned = new Map<MachineEvent, Planned>();
  private readonly ways = new Map<Shape, Map<Planned, Way>>();
  private last: Planned | undefined;
  private lastLinks: Links | undefined;

  constructor(kind: Kind) {
    this.kind = kind;
    this.predicts = kind.predict.length > 0;
    this.unborn = {
      value: '',
      status: 'active',
      historyValue: {},
      output: undefined,
      error: undefined,
      tags: [],
      heedsWake: false,
      way: undefined,
      meetings: [],
      sharing: this,
    };
  }

  /** The shape of a state; `likely` if it is that one. */
  shapeOf(state: MachineState, likely: Shape | undefined): Shape {
    if (likely !== undefined && isShapeOf(likely, state)) return likely;
    const known = this.shapes.get(state.value);
    if (known !== undefined && isShapeOf(known, state)) return known;
    const { value, status, historyValue, output, error, tags } = state;
    const heedsWake = status === 'active' && this.kind.logic.heedsWake(state);
    const shape: Shape = {
      value,
      status,
      historyValue,
      output,
      error,
      tags,
      heedsWake,
      way: undefined,
      meetings: [],
      sharing: this,
    };
    keep(this.shapes, value, shape);
    return shape;
  }

  /** How something planned is met in a shape. */
  wayOf(shape: Shape, planned: Planned): Way {
    let ways = this.ways.get(shape);
    if (ways === undefined) {
      ways = new Map();
      keep(this.ways, shape, ways);
    }
    let way = ways.get(planned);
    if (way === undefined) {
      const shortcut =
        shape.status === 'active'
          ? this.kind.logic.shortcut?.(shape.value, planned.event.type)
          : undefined;
      const to = shortcut === undefined ? shape : this.led(shape, shortcut);
      const repeat =
        shortcut?.repeat?.id === planned.id &&
        shortcut.repeat.event === planned.event &&
        to.heedsWake === shape.heedsWake
          ? shortcut.repeat
          : undefined;
      way = { planned, shortcut, to, repeat };
      keep(ways, planned, way);
    }
    shape.way = way;
    return way;
  }

  /** What events of a type may lead to in a shape. */
  meetingOf(shape: Shape, type: string): Meeting {
    const { meetings } = shape;
    for (let i = 0; i < meetings.length; i += 1) {
      const meeting = meetings[i] as Meeting;
      if (meeting.type === type) return meeting;
    }
    return this.met(shape, type);
  }

  private met(shape: Shape, type: string): Meeting {
    const { meetings } = shape;
    const fork = shape.status === 'active' ? this.kind.logic.fork?.(shape.value, type) : undefined;
    const ends = fork === undefined ? [] : fork.ends.map((end) => this.led(shape, end));
    const meeting = { type, fork, ends };
    if (meetings.length >= MOST_MEETINGS) meetings.length = 0;
    meetings.push(meeting);
    return meeting;
  }

  private led(
    { historyValue, output, error }: Shape,
    { value, tags }: Pick<Shape, 'value' | 'tags'>,
  ): Shape {
    const state = machineState(value, undefined, 'active', historyValue, output, error, tags);
    return this.shapeOf(state, undefined);
  }

  /** Links of a new record: those of the one before, if they lead to the same. */
  linksOf(links: Links): Links {
    const { lastLinks } = this;
    if (lastLinks !== undefined && isSameLinks(lastLinks, links)) return lastLinks;
    this.lastLinks = links;
    return links;
  }

  /** Something planned. */
  plannedOf(rank: Rank, id: string, event: MachineEvent, to: ById | AllOf | undefined): Planned {
    const { last } = this;
    if (last !== undefined && isPlanned(last, rank, id, event, to)) return last;
    const known = this.planned.get(event);
    if (known !== undefined && isPlanned(known, rank, id, event, to)) {
      this.last = known;
      return known;
    }
    const mayBeSolo = isSoloKind(this.kind) && rank === RANK.timer && to === undefined;
    const planned = { rank, id, event, to, mayBeSolo, failures: 0 };
    keep(this.planned, event, planned);
    this.last = planned;
    return planned;
  }
}

/** Whether events of the kind can be met without a transaction: nothing continuous, nothing predicted. */
function isSoloKind({ advance, predict }: Kind): boolean {
  return advance === undefined && predict.length === 0;
}

/** Whether links of one kind lead to the same records by the same names. */
function isSameLinks(some: Links, others: Links): boolean {
  const names = Object.keys(others);
  return (
    names.length === Object.keys(some).length &&
    names.every((name) => Object.hasOwn(some, name) && some[name] === others[name])
  );
}

/** The state that a context and all else make. */
export function stateOf(beside: StateBeside, context: unknown): MachineState {
  const { value, status, historyValue, output, error, tags } = beside;
  return machineState(value, context, status, historyValue, output, error, tags);
}

function isShapeOf(shape: Shape, state: MachineState): boolean {
  return (
    shape.value === state.value &&
    shape.status === state.status &&
    shape.historyValue === state.historyValue &&
    shape.tags === state.tags &&
    shape.output === state.output &&
    shape.error === state.error
  );
}

function isPlanned(
  planned: Planned,
  rank: Rank,
  id: string,
  event: MachineEvent,
  to: ById | AllOf | undefined,
): boolean {
  return planned.event === event && planned.id === id && planned.rank === rank && planned.to === to;
}

function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (map.size >= MOST_SHARED) map.clear();
  map.set(key, value);
}
