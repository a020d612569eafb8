/** Where the commands write. */

/** One line on stdout. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/** Ends quietly when whoever reads our output has read enough, as `head` does. */
export function stopWhenNobodyReads(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** Settles at the first SIGINT or SIGTERM; a second one ends the process at once. */
export function untilStopped(): Promise<NodeJS.Signals> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals): void => {
      for (const other of signals) process.off(other, stop);
      resolve(signal);
    };
    for (const signal of signals) process.on(signal, stop);
  });
}
