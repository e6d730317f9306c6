import { defineConfig } from 'tsdown';
import { bundlePackages, isBundled } from './tools/bundled-packages.ts';

const common = {
  platform: 'node',
  target: 'node20.19',
  // Editors read docblocks from the declarations, which keep them.
  outputOptions: { comments: { jsdoc: false } },
} as const;
const testKit = { testing: 'src/testing/in-process.ts', playwright: 'src/testing/playwright.ts' };

export default defineConfig([
  {
    ...common,
    // The code of the server and of the commands. `src/entry/load-bundle.ts` loads it, so it is not ES modules.
    entry: { program: 'src/cli/main.ts', library: 'src/index.ts' },
    format: 'cjs',
    deps: { alwaysBundle: isBundled },
    plugins: [bundlePackages()],
    dts: false,
    outExtensions: () => ({ js: '.cjs' }),
  },
  {
    ...common,
    entry: {
      main: 'src/entry/main.ts',
      storefront: 'src/entry/storefront.ts',
      'load-bundle': 'src/entry/load-bundle.ts',
      ...testKit,
    },
    plugins: [
      {
        // The test kit starts the same server as the program, and does not contain it.
        name: 'import-library',
        resolveId: (id) =>
          id.endsWith('/server/storefront.ts') ? { id: './storefront.js', external: true } : undefined,
      },
    ],
    dts: false,
    clean: false,
    outExtensions: () => ({ js: '.js' }),
  },
  {
    ...common,
    entry: { storefront: 'src/index.ts', ...testKit },
    dts: { emitDtsOnly: true },
    clean: false,
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  },
  {
    ...common,
    // For tests that `require`: they start the server in a process of its own.
    entry: { testing: 'src/testing/child.ts', playwright: 'src/testing/playwright.ts' },
    format: 'cjs',
    dts: true,
    clean: false,
    outExtensions: () => ({ js: '.cjs', dts: '.d.cts' }),
  },
]);
