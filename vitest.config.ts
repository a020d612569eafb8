import { defineConfig } from 'vitest/config';

// `import 'offstage'` gives the sources; the rest is what Vite looks for by itself.
const conditions = ['offstage-source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    // No test asserts how long it took; these only end what hangs, on the slowest machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Much of the time goes to programs that tests start and wait for, so that no core need be kept free.
    maxWorkers: '100%',
  },
});
