/**
 * Those who listen to a world from outside. A listener that throws stops neither the world nor the
 * other listeners; what it threw is thrown again when the call that ran the world returns.
 */
type Listener = (value: never) => void;

export class Listening<Events extends Record<string, unknown>> {
  private readonly byEvent = new Map<keyof Events, Set<Listener>>();
  private readonly onChange: (event: keyof Events, hasListeners: boolean) => void;
  private errors: unknown[] = [];

  constructor(onChange: (event: keyof Events, hasListeners: boolean) => void) {
    this.onChange = onChange;
  }

  on<E extends keyof Events>(event: E, listener: (value: Events[E]) => void): () => void {
    let listeners = this.byEvent.get(event);
    if (listeners === undefined) {
      listeners = new Set();
      this.byEvent.set(event, listeners);
    }
    const own: Listener = (value) => listener(value);
    listeners.add(own);
    this.onChange(event, true);
    return () => {
      if (listeners.delete(own) && listeners.size === 0) this.onChange(event, false);
    };
  }

  has(event: keyof Events): boolean {
    return (this.byEvent.get(event)?.size ?? 0) > 0;
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    const listeners = this.byEvent.get(event);
    if (listeners === undefined) return;
    for (const listener of [...listeners]) {
      // One may have ended another meanwhile.
      if (listeners.has(listener)) this.guarded(() => listener(value as never));
    }
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
