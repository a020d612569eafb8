/** Where the commands write. */

/** One line on stdout; resolves when it may go on. */
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
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
}
