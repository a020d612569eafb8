/**
 * What an event may select in one configuration: one transition, or several of parallel regions. The
 * choice of several is found from the first by adding the others one by one, so that the same
 * transitions are always the same choice, and what they lead to (the plan) is worked out once.
 */
import { hasEffect, type XTransition } from '../xstate-internals.ts';
import type { Configuration } from './configuration.ts';
import type { Guard, Guards } from './guards.ts';
import type { History } from './history.ts';
import type { Plan } from './plan.ts';

/** How many longer choices and how many histories a choice remembers. */
const REMEMBERED = 64;

export class Choice {
  readonly configuration: Configuration;
  readonly transitions: readonly XTransition[];
  /** The guard of a choice of one. */
  readonly guard: Guard | undefined;
  /** Whether any of the transitions leads somewhere or acts. */
  readonly hasEffect: boolean;
  /** The one plan, if it is the same whatever is remembered. */
  plan: Plan | undefined = undefined;
  readonly #byHistory = new Map<History, Plan>();
  readonly #last: Choice | undefined;
  readonly #longer: Choice[] = [];

  constructor(
    configuration: Configuration,
    transitions: readonly XTransition[],
    guard?: Guard,
    last?: Choice,
  ) {
    this.configuration = configuration;
    this.transitions = transitions;
    this.guard = guard;
    this.hasEffect = transitions.some(hasEffect);
    this.#last = last;
    configuration.table.count();
  }

  /** This choice and one more transition; the same one again adds nothing. */
  with(one: Choice): Choice {
    const longer = this.#longer;
    for (let i = 0; i < longer.length; i += 1) {
      const choice = longer[i] as Choice;
      if (choice.#last === one) return choice;
    }
    const [transition] = one.transitions as readonly [XTransition];
    if (this.transitions.includes(transition)) return this;
    const made = new Choice(this.configuration, [...this.transitions, transition], undefined, one);
    if (longer.length < REMEMBERED) longer.push(made);
    return made;
  }

  planFor(history: History): Plan | undefined {
    return this.plan ?? this.#byHistory.get(history);
  }

  remember(plan: Plan, history: History): void {
    if (!plan.asksHistory) {
      this.plan = plan;
      return;
    }
    if (this.#byHistory.size >= REMEMBERED) this.#byHistory.clear();
    this.#byHistory.set(history, plan);
  }
}

/** The choice of one transition in a configuration. */
export function choiceOf(
  configuration: Configuration,
  transition: XTransition,
  guards: Guards,
): Choice {
  let choice = configuration.choices.get(transition);
  if (choice === undefined) {
    const { guard } = transition;
    choice = new Choice(
      configuration,
      [transition],
      guard === undefined ? undefined : guards.of(guard),
    );
    configuration.choices.set(transition, choice);
  }
  return choice;
}
