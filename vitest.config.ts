import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const compiled = fileURLToPath(new URL('dist/compiled', import.meta.url));

export default defineConfig({
  plugins: [
    {
      // The tests use the contracts that the build has compiled, as the packaged program does.
      name: 'compiled-contracts',
      transform: (code, id) =>
        id.endsWith('/src/openapi/compiled-contract.ts')
          ? code.replace(/fileURLToPath\(new URL\(.compiled., import\.meta\.url\)\)/, JSON.stringify(compiled))
          : undefined,
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/long/**',
      'test/examples/**',
      // The long tests run these: the first two with many more cases, and all of test/http with what the build has made of the sources.
      'test/mock/dynamic-responses.test.ts',
      'test/resources/random-documents.test.ts',
      'test/http/long-lists.test.ts',
    ],
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
    coverage: { include: ['src/**/*.ts'], thresholds: { lines: 95 }, reporter: ['text-summary', 'text'] },
  },
});
