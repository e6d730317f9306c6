import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/examples/**'],
    globalSetup: 'test/support/harness/build.ts',
    // Nothing here keeps a state between tests, and a process for each file would spend most of its time on imports.
    isolate: false,
    // Deadlines for what is waited for, on a machine that has much else to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests wait a third of their time: on two cores four workers are done before three are, or two.
    maxWorkers: 4,
    coverage: { include: ['src/**/*.ts'], thresholds: { lines: 95 }, reporter: ['text-summary', 'text'] },
  },
});
