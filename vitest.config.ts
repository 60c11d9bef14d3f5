import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    testTimeout: 20_000,
    hookTimeout: 120_000,
    // 2 cores: more workers only make the real sockets wait for each other.
    maxWorkers: 2,
  },
});
