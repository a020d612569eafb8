/**
 * A stand-in for a linked record: it shows a value and a context, and takes or refuses what it is sent.
 * It runs no machine, so a kind can be tried without those it works with.
 */
import { KindError } from '../core/errors.ts';
import type { Kind } from '../core/kind.ts';
import {
  type MachineEvent,
  type MachineState,
  machineState,
  type StateValue,
} from '../core/logic.ts';
import type { Member } from './cast.ts';
import { Stage } from './stage.ts';
import { TestRecord } from './test-record.ts';
import { checkOptions, shown as inWords } from './wrong.ts';

export interface StubOptions<Context = unknown> {
  /** The state it shows. Default `'stub'`. */
  readonly value?: StateValue;
  readonly context?: Context;
  /** Which events it takes; all, if left out. */
  readonly can?: boolean | ((event: MachineEvent, context: Context) => boolean);
  readonly id?: string;
  readonly at?: readonly number[];
}

/** A stand-in in the world of a test. What was done to it is in `edited`. */
export class Stub<Context = unknown> extends TestRecord<Context> {
  private readonly shown: Shown<Context>;

  constructor(member: Member, shown: Shown<Context>) {
    super(member);
    this.shown = shown;
  }

  /** Shows or takes something else from now on, and wakes those that link to it. */
  change(options: Pick<StubOptions<Context>, 'value' | 'context' | 'can'>): void {
    checkOptions('stub.change', options);
    const { value, context, can } = options;
    if (can !== undefined) {
      checkCan('stub.change', can);
      this.shown.can = can;
    }
    this.world.setState(this.id, {
      value: value ?? this.value,
      // A context made anew is a change, whatever it holds.
      context: context ?? { ...this.context },
    });
  }
}

interface Shown<Context> {
  can: NonNullable<StubOptions<Context>['can']>;
}

/**
 * A stand-in for a linked record.
 *
 * @example
 * testKind(station, { input, links: { from: stub({ can: ({ type }) => type === 'TAKE' }), to: stub() } });
 */
export function stub<Context = unknown>(options: StubOptions<Context> = {}): Stub<Context> {
  checkOptions('stub', options);
  const { value = 'stub', context = {} as Context, can = true, id, at = [0, 0] } = options;
  checkCan('stub', can);
  const shown: Shown<Context> = { can };
  const member = {
    kind: stubKind(shown, value, context),
    isStub: true,
    wantedId: id,
    at,
    input: undefined,
    links: {},
    kinds: [],
  } as unknown as Member;
  new Stage([member], 'offstage');
  return new Stub(member, shown);
}

function checkCan(what: string, can: unknown): void {
  if (typeof can === 'boolean' || typeof can === 'function') return;
  throw new KindError(
    'BAD_OPTION',
    `${what}: can is true, false or a function of the event; got ${inWords(can)}.`,
  );
}

let stubs = 0;

/** Each stub is a kind of its own, because each takes and shows something else. */
function stubKind<Context>(shown: Shown<Context>, value: StateValue, context: Context): Kind {
  stubs += 1;
  const takes = (state: MachineState, event: MachineEvent): boolean =>
    typeof shown.can === 'function' ? shown.can(event, state.context as Context) : shown.can;
  return {
    name: `stub-${stubs}`,
    version: 1,
    logic: {
      initial: () => machineState(value, context, 'active', {}, undefined, undefined, []),
      step: (state, event) => (takes(state, event) ? { ...state } : state),
      can: takes,
      heedsWake: () => false,
      set: (state, change) => ({ ...state, ...change }),
    },
    machine: undefined,
    links: {},
    relevancy: 'spatial',
    serverOnly: [],
    commands: {},
    urgent: false,
    order: 0,
    step: 'events',
    predict: [],
    advance: undefined,
    exact: true,
    shiftTimes: undefined,
    migrate: undefined,
    describe: undefined,
  };
}
