import { expect, test } from 'vitest';
import { untilStopped } from '../../src/cli/printing.ts';

test.each(['SIGINT', 'SIGTERM'] as const)(
  'the first %s stops in order; the second is left to end the process at once',
  async (signal) => {
    const before = { int: process.listeners('SIGINT'), term: process.listeners('SIGTERM') };
    // Whoever else listens here is not to be stopped by it.
    process.removeAllListeners('SIGINT').removeAllListeners('SIGTERM');
    try {
      const stopped = untilStopped();
      process.emit(signal, signal);
      expect(await stopped).toBe(signal);
      expect(process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')).toBe(0);
    } finally {
      for (const listener of before.int) process.on('SIGINT', listener);
      for (const listener of before.term) process.on('SIGTERM', listener);
    }
  },
);
