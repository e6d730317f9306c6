import { defineConfig } from 'vitest/config';

/** Files that take seconds, and files with properties that the long tests check for many more cases. Only the long tests run them. */
export const SLOW_FILES = [
  'test/check/check-server.test.ts',
  'test/check/idempotency-key.test.ts',
  'test/check/own-shop.test.ts',
  'test/control/large-states.test.ts',
  'test/mock/complete-value.test.ts',
  'test/mock/documented-errors.test.ts',
  'test/mock/dynamic-responses.test.ts',
  'test/mock/generated-values.test.ts',
  'test/openapi/changed-contract.test.ts',
  'test/openapi/compiled-contract.test.ts',
  'test/openapi/document-files.test.ts',
  'test/openapi/documented-responses.test.ts',
  'test/openapi/json-limits.test.ts',
  'test/resources/lists.test.ts',
  'test/resources/nested.test.ts',
  'test/resources/odd-ids.test.ts',
  'test/resources/odd-properties.test.ts',
  'test/resources/pages.test.ts',
  'test/resources/random-documents.test.ts',
  'test/resources/seeds.test.ts',
  'test/resources/server-values.test.ts',
  'test/resources/state.test.ts',
  'test/resources/wrapped.test.ts',
  'test/server/variable-collections.test.ts',
  'test/store/edits.test.ts',
  'test/store/gained-fields.test.ts',
];

/** Files of test/http and test/shop/operations that take seconds. The long tests run these two folders with the built program. */
const SLOW_WITH_PROGRAM = [
  'test/http/form-bodies.test.ts',
  'test/http/front-end.test.ts',
  'test/http/long-lists.test.ts',
  'test/http/request-timeouts.test.ts',
  'test/http/whole-requests.test.ts',
  'test/http/problem-documents.test.ts',
  'test/http/connections.test.ts',
  'test/http/front-door.test.ts',
  'test/http/origins.test.ts',
  'test/http/request-log.test.ts',
  'test/shop/operations/custom-handlers.test.ts',
];

export default defineConfig({
  test: {
    include: ['test/*.test.ts', 'test/!(long|postgres|examples)/**/*.test.ts'],
    exclude: process.argv.includes('--coverage') ? [] : [...SLOW_FILES, ...SLOW_WITH_PROGRAM],
    globalSetup: 'test/support/harness/build.ts',
    // Nothing here keeps a state between tests, and a process for each file would spend most of its time on imports.
    isolate: false,
    // With the default of 16 MB, the garbage collector takes a tenth of the CPU time.
    execArgv: ['--max-semi-space-size=64'],
    // Deadlines for what is waited for, on a machine that has much else to do.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On two cores, three workers are done before two or four: each imports the sources, and tests wait a third of their time.
    maxWorkers: 3,
    coverage: {
      include: ['src/**/*.ts'],
      // The pages run in the browser tests, and what needs a database in the tests with PostgreSQL.
      exclude: [
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
