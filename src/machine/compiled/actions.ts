/**
 * Actions made ops: names are looked up, parameters, events and delays told apart into those that are
 * written down and those that must be asked for. The actions given to `enqueue` are made ops when
 * they are enqueued, by the same rules.
 */
import { checkedDelay, flawOfDelay } from '../checked-delay.ts';
import { timerId } from '../scope.ts';
import { tellingOf } from '../telling.ts';
import {
  isBuiltIn,
  type XAction,
  type XActionFunction,
  type XMachine,
} from '../xstate-internals.ts';
import { DO, type Expression, type Op, op } from './op.ts';

type Params = Pick<Op, 'params' | 'paramsOf'>;

const NO_PARAMS: Params = { params: undefined, paramsOf: undefined };

/** What an author gives to raise, sendTo, cancel, emit and log. */
interface Sending {
  readonly event: unknown;
  readonly id?: unknown;
  readonly delay?: unknown;
  readonly to?: unknown;
}

export class Actions {
  readonly #machine: XMachine;
  /** Ops of actions that are given by name alone. */
  readonly #byName = new Map<string, Op>();

  constructor(machine: XMachine) {
    this.#machine = machine;
  }

  ops(actions: readonly XAction[], where: string): Op[] {
    return actions.map((action) => this.op(action, where));
  }

  op(action: XAction, where: string): Op {
    if (typeof action === 'function')
      return this.#resolved(action, nameOf(action), NO_PARAMS, where);
    const name = typeof action === 'string' ? action : action.type;
    if (typeof action === 'string' || !('params' in action)) {
      const known = this.#byName.get(name);
      if (known !== undefined) return known;
      const made = this.#named(name, NO_PARAMS);
      if (Object.hasOwn(this.#machine.implementations.actions, name)) this.#byName.set(name, made);
      return made;
    }
    const { params } = action;
    return this.#named(
      name,
      typeof params === 'function'
        ? { params: undefined, paramsOf: params as NonNullable<Op['paramsOf']> }
        : { params, paramsOf: undefined },
    );
  }

  assign(assignment: unknown, params: Params = NO_PARAMS): Op {
    if (typeof assignment === 'function') {
      return op(DO.assign, { ...params, expression: assignment as Expression });
    }
    const keys = Object.keys(assignment as object);
    const values = Object.values(assignment as object);
    return op(DO.assignKeys, { ...params, keys, values });
  }

  raise(sending: Sending, where: string, params: Params = NO_PARAMS): Op {
    const { event, delay } = sending;
    if (typeof event === 'string') return wrongEvent('raise', event);
    const fields = { ...params, ...written(event), id: timerId(sending.id) };
    if (delay === undefined) return op(DO.raise, fields);
    return op(DO.schedule, { ...fields, ...this.#delay(delay, where) });
  }

  sendTo(sending: Sending, where: string, params: Params = NO_PARAMS): Op {
    const { event, delay, to } = sending;
    if (typeof event === 'string') return wrongEvent('sendTo', event);
    const target = typeof to === 'function' ? { toOf: to as Expression } : { to };
    const fields = { ...params, ...written(event), ...target, id: timerId(sending.id) };
    if (delay === undefined) return op(DO.sendTo, fields);
    return op(DO.sendLater, { ...fields, ...this.#delay(delay, where) });
  }

  cancel(id: unknown, params: Params = NO_PARAMS): Op {
    return typeof id === 'function'
      ? op(DO.cancel, { ...params, idOf: id as Expression })
      : op(DO.cancel, { ...params, id: String(id) });
  }

  emit(event: unknown, params: Params = NO_PARAMS): Op {
    return op(DO.emit, { ...params, ...written(event) });
  }

  #named(name: string, params: Params): Op {
    return this.#resolved(
      this.#machine.implementations.actions[name],
      name,
      params,
      `in action '${name}'`,
    );
  }

  #resolved(action: XAction | undefined, name: string, params: Params, where: string): Op {
    if (action === undefined || !isBuiltIn(action)) {
      const fields = { ...params, type: name, call: action };
      const told = typeof action === 'function' ? tellingOf(action) : undefined;
      if (told === undefined) return op(DO.custom, fields);
      return op(DO.tell, { ...fields, to: told.link, value: told.event, keys: told.except });
    }
    const { type, event, id, delay } = action;
    switch (type) {
      case 'xstate.assign':
        return this.assign(action.assignment, params);
      case 'xstate.raise':
        return this.raise({ event, id, delay }, where, params);
      case 'xstate.sendTo':
        return this.sendTo({ event, id, delay, to: action.to }, where, params);
      case 'xstate.cancel':
        return this.cancel(action.sendId, params);
      case 'xstate.emit':
        return this.emit(event, params);
      case 'xstate.log':
        return op(DO.log, { ...params, type, ...written(action.value), call: action.label });
      case 'xstate.enqueueActions':
        return op(DO.enqueueActions, { ...params, where, call: action.collect });
      default:
        return op(DO.fail, { ...params, type: String(type), where });
    }
  }

  #delay(delay: unknown, where: string): Pick<Op, 'delay' | 'delayOf'> {
    if (flawOfDelay(delay) === undefined) return { delay: delay as number, delayOf: undefined };
    return { delay: 0, delayOf: checkedDelay(delay, this.#machine.implementations, where) };
  }
}

/** The name under which an inline action is reported. */
function nameOf(action: XActionFunction): string {
  return action.name || '(anonymous)';
}

function written(value: unknown): Pick<Op, 'value' | 'expression'> {
  return typeof value === 'function'
    ? { value: undefined, expression: value as Expression }
    : { value, expression: undefined };
}

/** An action that throws when its turn comes, as XState does. */
function wrongEvent(action: string, event: string): Op {
  return op(DO.fail, {
    value: `Only event objects may be used with ${action}; use ${action}({ type: "${event}" }) instead`,
  });
}
