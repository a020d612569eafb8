/**
 * Parallel regions do not compete for one link. The guards of one microstep are all asked before any
 * of its actions run, so two regions may both find the last ore, and the second `edit` fails the whole
 * event. `tryEdit` is for that. So an `edit` by one region, of a record that another region has edited
 * in the same microstep, breaks the law, whether or not it happened to be refused.
 */
import type { AnyStateMachine } from 'xstate';
import { ambient } from '../../core/ambient.ts';
import type { Kind } from '../../core/kind.ts';
import type { MachineLogic } from '../../core/logic.ts';
import { interpretWatched } from '../../machine/interpret.ts';
import { builtMachine, nodesOf, type XNode } from '../../machine/xstate-internals.ts';
import { inUnits } from '../duration.ts';
import { eventInWords } from '../sameness.ts';
import type { Law, Scene, Violation } from './law.ts';

export const regionsDoNotCompete = {
  name: 'regions do not compete',
  says: 'parallel regions do not edit one record in the same microstep, unless with tryEdit',
  usually:
    'two regions ask linked(…).can(…) in their guards and both edit. Each guard sees the state from before, so both may take the last one. Use tryEdit with else, or let one region do it for both.',
  broken(scene) {
    const { kind } = scene;
    const machine = kind.machine as AnyStateMachine;
    if (!nodesOf(builtMachine(machine)).some(({ type }) => type === 'parallel')) return undefined;
    const watch = new RegionWatch(scene);
    const logic = watch.watched(interpretWatched(machine, watch));
    scene.play({
      kinds: (one) => (one.name === kind.name ? { ...one, logic } : watch.edited(one)),
    });
    return watch.found;
  },
} as const satisfies Law;

/** An edit in the microstep at hand. */
interface MadeEdit {
  readonly node: XNode | undefined;
  readonly to: string;
  readonly event: string;
}

/** Where in its machine the record under test is, and what it has edited from there. */
class RegionWatch {
  found: Violation | undefined;
  private readonly scene: Scene;
  private node: XNode | undefined;
  private edits: MadeEdit[] = [];

  constructor(scene: Scene) {
    this.scene = scene;
  }

  readonly markOf = (node: XNode) => (): void => {
    this.node = node;
  };

  readonly microstepped = (): void => {
    this.edits = [];
    this.node = undefined;
  };

  /** The logic of the record under test: each step begins with nothing edited. */
  watched(logic: MachineLogic): MachineLogic {
    const begun = <T>(run: () => T): T => {
      const { edits, node } = this;
      this.microstepped();
      try {
        return run();
      } finally {
        this.edits = edits;
        this.node = node;
      }
    };
    return {
      ...logic,
      shortcut: undefined,
      fork: undefined,
      initial: (input, effects) => begun(() => logic.initial(input, effects)),
      step: (state, event, effects) => {
        this.note(event);
        return begun(() => logic.step(state, event, effects));
      },
      set: (state, change, effects) => begun(() => logic.set(state, change, effects)),
    };
  }

  /** A kind of the others, noting which edits reach it. */
  edited(kind: Kind): Kind {
    const { logic } = kind;
    const step: MachineLogic['step'] = (state, event, effects) => {
      this.note(event);
      return logic.step(state, event, effects);
    };
    return { ...kind, logic: { ...logic, shortcut: undefined, fork: undefined, step } };
  }

  private note(event: { readonly type: string }): void {
    const { current } = ambient;
    if (current === undefined || current.sender !== this.scene.id || this.node === undefined)
      return;
    const { node } = this;
    const to = current.selfId;
    const other = this.edits.find((edit) => edit.to === to && areApart(edit.node, node));
    if (other !== undefined && current.isTrying !== true) {
      this.found ??= {
        expected: `one edit of ${to} in a microstep, or tryEdit`,
        got: `${other.event} from ${other.node?.id}, then ${eventInWords(event)} from ${node.id}`,
        how: `at ${inUnits(current.time)}, in one microstep of ${this.scene.id}`,
      };
    }
    this.edits.push({ node, to, event: eventInWords(event) });
  }
}

/** Whether two nodes lie in different regions of a parallel state. */
function areApart(a: XNode | undefined, b: XNode): boolean {
  if (a === undefined) return false;
  const path = [...ancestors(a)];
  for (let inner = b; inner.parent !== undefined; inner = inner.parent) {
    const at = path.indexOf(inner.parent);
    if (at >= 0) return at > 0 && inner.parent.type === 'parallel' && path[at - 1] !== inner;
  }
  return false;
}

/** A node and all that it lies in, the innermost first. */
function* ancestors(node: XNode): Generator<XNode> {
  for (let at: XNode | undefined = node; at !== undefined; at = at.parent) yield at;
}
