import { defineConfig } from 'tsdown';
import { bundlePackages, isBundled } from './tools/bundled-packages.ts';

const common = {
  platform: 'node',
  target: 'node20.19',
  dts: true,
  // Editors read docblocks from the declarations, which keep them.
  outputOptions: { comments: { jsdoc: false } },
} as const;

export default defineConfig([
  {
    ...common,
    deps: { alwaysBundle: isBundled },
    plugins: [bundlePackages()],
    entry: {
      main: 'src/cli/main.ts',
      storefront: 'src/index.ts',
      testing: 'src/testing/in-process.ts',
      playwright: 'src/testing/playwright.ts',
    },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  },
  {
    ...common,
    // For tests that `require`. The server is a module of ES, so they have it in a process of its own.
    entry: { testing: 'src/testing/child.ts', playwright: 'src/testing/playwright.ts' },
    format: 'cjs',
    clean: false,
    outExtensions: () => ({ js: '.cjs', dts: '.d.cts' }),
  },
]);
