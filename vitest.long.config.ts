import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { startFirst } from './test/support/harness/slowest-first.ts';

/** The files that take longest, most of them because they wait. */
const SLOWEST = [
  'check-latency',
  'defects-with-every-seed',
  'plain-sequences',
  'check-planted-clinic',
  'check-planted-tasks',
  'check-planted-tickets',
  'check-planted-chats',
  'check-resource-behaviour',
  'check-resource-rules',
  'check-planted-bookings',
  'who-finds-what',
  'killed-deliveries',
  'correct-shops',
  'disk-faults',
  'cached-sequences',
  'check-large-contracts',
  'check-streams',
  'defects-in-responses',
  'defects-in-carts',
  'defects-in-orders',
  'defects-in-searches',
  'checkout',
  'package',
  'many-operations',
  'docs-commands',
].map((name) => `long/${name}`);

export default defineConfig({
  test: {
    // Many of these tests wait for a timeout or a slow server: on two cores, four run at a time.
    maxWorkers: 4,
    // A process for each file would spend most of the time of a short one on imports.
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: 'test/support/harness/random-seed.ts',
    sequence: { sequencer: startFirst(SLOWEST) },
    projects: [
      { extends: true, test: { name: 'long', include: ['test/long/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'random',
          include: ['test/random/**/*.test.ts'],
          // More random cases than without these variables.
          env: { SEEDS: '300', DOCUMENTS: '40' },
        },
      },
      {
        extends: true,
        test: {
          name: 'built',
          include: ['test/http/**/*.test.ts', 'test/shop/operations/**/*.test.ts'],
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
