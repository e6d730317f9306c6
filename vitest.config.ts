import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**'],
    coverage: { include: ['src/**/*.ts'], thresholds: { lines: 95 }, reporter: ['text-summary', 'text'] },
  },
});
