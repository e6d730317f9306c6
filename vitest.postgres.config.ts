import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // The tests of the store run on all kinds of backends, here also on PostgreSQL.
    include: ['test/postgres/**/*.test.ts', 'test/store/store.test.ts', 'test/long/store-properties.test.ts'],
    globalSetup: 'test/support/postgres/setup.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // The tests wait for the network and for locks half of the time.
    maxWorkers: 3,
  },
});
