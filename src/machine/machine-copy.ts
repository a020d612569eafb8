/**
 * Our own copy of a machine, node by node as XState built it. XState's algorithm runs on the copy,
 * with guards under watch, delays under check and a memory for event types that has an end; the
 * author's machine stays as it is, for tools and for whoever else runs it. The copy is taken from
 * the built nodes, not from the config: some tools change nodes after construction.
 */
import { withLinks } from './any-link.ts';
import { checkedDelay } from './checked-delay.ts';
import { guardError, watchedGuard } from './watched-guard.ts';
import {
  type AfterTimer,
  afterTimersOf,
  isBuiltIn,
  nodesOf,
  type XAction,
  type XActionFunction,
  type XArgs,
  type XCollectArgs,
  type XEnqueue,
  type XGuard,
  type XMachine,
  type XNode,
  type XTransition,
} from './xstate-internals.ts';

/** A timer of `after`, with its delay under check. */
export interface CopiedTimer {
  readonly id: string;
  readonly event: AfterTimer['event'];
  readonly delay: (args: XArgs) => number;
}

export interface MachineCopy {
  readonly machine: XMachine;
  /** The timers that `after` sets on entry of that node of the copy, in XState's order. */
  timersOf(node: XNode): readonly CopiedTimer[];
}

/**
 * How many event types that no state names (only wildcards catch them) a node may remember. XState
 * remembers each for ever: 200,000 of them cost 46 MB.
 */
const REMEMBERED_TYPES = 256;

/**
 * Copies a machine. `markOf` may give an action for a node: it then comes before all that the node's
 * entry, exit and transitions do, so that whoever watches knows whose actions follow.
 */
export function copyOfMachine(
  original: XMachine,
  markOf: (node: XNode) => XAction | undefined = () => undefined,
): MachineCopy {
  const { implementations } = original;
  const copies = new Map<XNode, XNode>();
  const timers = new Map<XNode, readonly CopiedTimer[]>();
  const nodes = nodesOf(original);

  const machine = cloneOf(original);
  const types = new Set(nodes.flatMap((node) => [...node.transitions.keys()]));
  const next = nextWithBoundedMemory(types, nodes[0] as XNode);
  for (const node of nodes) copies.set(node, cloneOf(node));

  const copied = (node: XNode): XNode => copies.get(node) as XNode;
  const action = (one: XAction, where: string): XAction => adapted(one, implementations, where);
  const actions = (many: readonly XAction[], where: string) =>
    many.map((one) => action(one, where));
  const marked = (node: XNode, own: readonly XAction[]): readonly XAction[] => {
    const mark = own.length === 0 ? undefined : markOf(node);
    return mark === undefined ? own : [mark, ...own];
  };
  const transition = (one: XTransition): XTransition => ({
    ...one,
    source: copied(one.source),
    target: one.target?.map(copied),
    actions: marked(
      one.source,
      actions(one.actions, `in a transition of state '${one.source.id}'`),
    ),
    guard: one.guard === undefined ? undefined : watchedGuard(one.guard),
  });

  for (const node of nodes) {
    const afters = afterTimersOf(node);
    const entry = node.entry.map((one) => {
      const after = afters.some((timer) => timer.action === one);
      return action(one, `in ${after ? '`after`' : 'an entry action'} of state '${node.id}'`);
    });
    timers.set(
      copied(node),
      afters.map(({ id, event, action: raise }) => {
        const { delay } = entry[node.entry.indexOf(raise)] as XActionFunction;
        return { id, event, delay: delay as CopiedTimer['delay'] };
      }),
    );
    redefine(copied(node), {
      machine,
      parent: node.parent && copied(node.parent),
      states: Object.fromEntries(
        Object.entries(node.states).map(([key, child]) => [key, copied(child)]),
      ),
      entry: marked(node, entry),
      exit: marked(node, actions(node.exit, `in an exit action of state '${node.id}'`)),
      transitions: new Map(
        [...node.transitions].map(([type, list]) => [type, list.map(transition)]),
      ),
      always: node.always?.map(transition),
      initial: transition(node.initial),
      // Getters of XState's class that would otherwise be worked out anew from the config, and
      // `after` would then set every timer a second time.
      invoke: node.invoke,
      after: node.after,
      next,
    });
  }

  const { guards } = implementations;
  redefine(machine, {
    root: copied(original.root),
    idMap: new Map([...original.idMap].map(([id, node]) => [id, copied(node)])),
    implementations: {
      ...implementations,
      actions: mapped(implementations.actions, (one, name) => action(one, `in action '${name}'`)),
      guards: mapped(guards, (guard) => watchedGuard(guard)),
    },
    // The limit is kept by scope.ts, which names the states that go round.
    options: { ...original.options, maxIterations: Infinity },
  });
  // XState binds these to the machine it constructs.
  const prototype = Object.getPrototypeOf(original) as XMachine;
  redefine(machine, {
    transition: prototype.transition.bind(machine),
    getInitialSnapshot: prototype.getInitialSnapshot.bind(machine),
    _getPreInitialState: (...args: Parameters<XMachine['_getPreInitialState']>) =>
      withLinks(prototype._getPreInitialState.apply(machine, args)),
  });
  return { machine, timersOf: (node) => timers.get(node) ?? [] };
}

/** An action that XState resolves itself, with its delays and the guards it checks adapted. */
function adapted(
  action: XAction,
  implementations: XMachine['implementations'],
  where: string,
): XAction {
  if (!isBuiltIn(action)) return action;
  if (action.delay !== undefined) {
    return clonedAction(action, { delay: checkedDelay(action.delay, implementations, where) });
  }
  const { collect } = action;
  if (collect === undefined) return action;
  return clonedAction(action, {
    collect: (args: XCollectArgs, params?: unknown) =>
      collect(
        {
          ...args,
          check: (guard: XGuard) => args.check(watchedGuard(guard)),
          enqueue: adaptedEnqueue(args.enqueue, implementations, where),
        },
        params,
      ),
  });
}

/** `enqueue`, adapting what is put in. */
function adaptedEnqueue(
  enqueue: XEnqueue,
  implementations: XMachine['implementations'],
  where: string,
): XEnqueue {
  const checked = (options?: { readonly delay?: unknown }) =>
    options?.delay === undefined
      ? options
      : { ...options, delay: checkedDelay(options.delay, implementations, where) };
  return Object.assign(
    (action: XAction) => enqueue(adapted(action, implementations, where)),
    enqueue,
    {
      raise: (event: unknown, options?: { readonly delay?: unknown }) =>
        enqueue.raise(event, checked(options)),
      sendTo: (to: unknown, event: unknown, options?: { readonly delay?: unknown }) =>
        enqueue.sendTo(to, event, checked(options)),
    },
  );
}

/**
 * XState's own choice of a transition, remembering for a limited number of event types. XState keeps
 * its memory by node, so a type beyond the limit is asked of an object that is thrown away.
 */
function nextWithBoundedMemory(types: Set<string>, anyNode: XNode): XNode['next'] {
  const { next } = Object.getPrototypeOf(anyNode) as XNode;
  const limit = types.size + REMEMBERED_TYPES;
  return function boundedNext(this: XNode, snapshot, event) {
    let asked = this;
    if (!types.has(event.type)) {
      if (types.size < limit) types.add(event.type);
      else asked = Object.create(this) as XNode;
    }
    try {
      return next.call(asked, snapshot, event);
    } catch (error) {
      throw guardError(error);
    }
  };
}

/** An object with the same fields and the same class. */
function cloneOf<T extends object>(original: T): T {
  return Object.assign(Object.create(Object.getPrototypeOf(original)) as T, original);
}

function clonedAction(action: XActionFunction, changes: Partial<XActionFunction>): XAction {
  return Object.assign(() => undefined, action, changes);
}

function redefine<T extends object>(of: T, fields: { readonly [K in keyof T]?: unknown } & object) {
  for (const [name, value] of Object.entries(fields)) {
    Object.defineProperty(of, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

function mapped<T>(
  record: Readonly<Record<string, T | undefined>>,
  change: (value: T, name: string) => T,
): Record<string, T | undefined> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      value === undefined ? undefined : change(value, name),
    ]),
  );
}
