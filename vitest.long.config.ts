import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Many of these tests wait for a timeout or a slow server: on two cores, four run at a time.
    maxWorkers: 4,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    setupFiles: 'test/support/harness/random-seed.ts',
    projects: [
      { extends: true, test: { name: 'long', include: ['test/long/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'random',
          include: ['test/random/**/*.test.ts'],
          isolate: false,
          // More random cases than in `npm test`.
          env: { SEEDS: '1000', DOCUMENTS: '60' },
        },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: ['test/http/**/*.test.ts', 'test/shop/operations/**/*.test.ts'],
          isolate: false,
        },
        // What is shipped is what the bundler made of the sources: it once took a call for one that does nothing.
        resolve: {
          alias: [
            {
              find: /^.*\/src\/index\.ts$/,
              replacement: fileURLToPath(new URL('dist/storefront.js', import.meta.url)),
            },
          ],
        },
      },
    ],
  },
});
