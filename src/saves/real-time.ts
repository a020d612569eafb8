/** Real time as saves need it, so that a test can stop it or let it run at once. */
export interface RealTime {
  /** Real milliseconds since 1970. */
  now(): number;
  /** Real milliseconds from some beginning, in fractions; never goes back. */
  stopwatch(): number;
  /** Runs something once after so many real milliseconds; the function given back cancels it. */
  after(milliseconds: number, run: () => void): () => void;
  /** Resolves once whatever else waited for the thread has had its turn. */
  pause(): Promise<void>;
}

export const realTime: RealTime = {
  now: () => Date.now(),
  stopwatch: () => performance.now(),
  after: (milliseconds, run) => {
    // A world that waits to be saved does not keep a process alive.
    const timer = setTimeout(run, milliseconds).unref();
    return () => clearTimeout(timer);
  },
  pause: () => new Promise((resolve) => setImmediate(resolve)),
};
