import { defineConfig } from 'vitest/config';
import { startFirst } from './test/support/harness/slowest-first.ts';

/** The files that take longest. In a fresh clone, Vitest would start most of them last, because they are short texts. */
const SLOWEST = [
  'check/endings',
  'check/member-rules',
  'faults/held-requests',
  'store/edits',
  'deliveries/deliveries',
  'check/baseline',
  'check/own-shop',
  'http/request-timeouts',
  'shop/operations/custom-handlers',
  'check/check-server',
];

export default defineConfig({
  test: {
    include: ['test/*.test.ts', 'test/!(long|postgres|examples|random)/**/*.test.ts'],
    globalSetup: 'test/support/harness/build.ts',
    setupFiles: 'test/support/harness/random-seed.ts',
    sequence: { sequencer: startFirst(SLOWEST) },
    // Nothing here keeps a state between tests, and a process for each file would spend most of its time on imports.
    isolate: false,
    // With the default of 16 MB, the garbage collector takes a tenth of the CPU time.
    // With the default budget of 67,584 bytes of bytecode, V8 compiles functions that run too briefly to repay it, for a
    // fifth of the CPU time. A hot loop is still optimized.
    execArgv: ['--max-semi-space-size=64', '--interrupt-budget=1500000'],
    // Deadlines for what is waited for, on a machine that has much else to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    // On two cores, four workers take a tenth less time than three: each imports the sources, and tests also wait.
    maxWorkers: 4,
    coverage: {
      // In CI, `npm test` also measures the coverage: a second run of all tests would take minutes.
      enabled: process.env.COVERAGE === 'true',
      include: ['src/**/*.ts'],
      // The pages run in the browser tests, and what needs a database in the tests with PostgreSQL.
      // The program runs in processes of its own: the tests in test/cli start it, and their coverage is not seen here.
      exclude: [
        'src/cli/{main,program,serve,heap-growth,background,background-commands,background-log,background-state,mcp,skill}.ts',
        'src/console/**',
        'src/reference/**',
        'src/store/postgres/**',
        'src/sandbox/shared/**',
        'src/server/open-shared-state.ts',
      ],
      thresholds: { lines: 95 },
      reporter: ['text-summary', 'text'],
    },
  },
});
