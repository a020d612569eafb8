import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['offstage-source', 'module', 'node'] },
  ssr: { resolve: { conditions: ['offstage-source', 'module', 'node'] } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**'],
    pool: 'forks',
    maxWorkers: 2,
  },
});
