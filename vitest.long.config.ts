import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SLOW_FILES } from './vitest.config.ts';

export default defineConfig({
  test: {
    // Most of these tests wait: two run at a time.
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'long', include: ['test/long/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW_FILES,
          isolate: false,
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
