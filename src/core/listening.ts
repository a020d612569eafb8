/**
 * Those who listen to a world from outside. A listener that throws stops neither the world nor the
 * other listeners; what it threw is thrown again when the call that ran the world returns.
 */
const NOBODY: readonly Listener[] = [];

interface Listener {
  readonly hear: (value: never) => void;
  /** It may be ended while others are told of the same. */
  isOver: boolean;
}

export class Listening<Events extends Record<string, unknown>> {
  /** Lists that are never changed, only replaced, so that telling needs no copy. */
  private readonly byEvent = new Map<keyof Events, readonly Listener[]>();
  private readonly onChange: (event: keyof Events, hasListeners: boolean) => void;
  private errors: unknown[] = [];

  constructor(onChange: (event: keyof Events, hasListeners: boolean) => void) {
    this.onChange = onChange;
  }

  on<E extends keyof Events>(event: E, hear: (value: Events[E]) => void): () => void {
    const own: Listener = { hear, isOver: false };
    this.byEvent.set(event, [...this.listenersTo(event), own]);
    this.onChange(event, true);
    return () => {
      if (own.isOver) return;
      own.isOver = true;
      const others = this.listenersTo(event).filter((one) => one !== own);
      this.byEvent.set(event, others);
      if (others.length === 0) this.onChange(event, false);
    };
  }

  has(event: keyof Events): boolean {
    return this.listenersTo(event).length > 0;
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    for (const listener of this.listenersTo(event)) {
      if (listener.isOver) continue;
      try {
        listener.hear(value as never);
      } catch (error) {
        this.errors.push(error);
      }
    }
  }

  private listenersTo(event: keyof Events): readonly Listener[] {
    return this.byEvent.get(event) ?? NOBODY;
  }

  /** Runs something of a listener's, keeping what it throws for later. */
  guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.errors.push(error);
    }
  }

  /** The error a call ended with, together with what listeners threw during it. */
  withErrors(error: unknown): unknown {
    if (this.errors.length === 0) return error;
    const many = new AggregateError([error, ...this.errors], String(error));
    this.errors = [];
    return many;
  }

  /** Throws what listeners threw since the last call. */
  rethrow(): void {
    if (this.errors.length === 0) return;
    const [error] = this.errors;
    const many =
      this.errors.length > 1
        ? new AggregateError(this.errors, 'Several listeners of the world threw.')
        : error;
    this.errors = [];
    throw many;
  }
}
