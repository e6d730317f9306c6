import { defineConfig } from 'tsdown';

const common = { platform: 'node', target: 'node20.19', sourcemap: true } as const;
const entry = {
  storefront: 'src/index.ts',
  testing: 'src/testing/in-process.ts',
  playwright: 'src/testing/playwright.ts',
};

export default defineConfig([
  {
    ...common,
    entry: { main: 'src/cli/main.ts', ...entry },
    dts: false,
    // Editors read docblocks from the declarations, which keep them.
    outputOptions: { comments: { jsdoc: false } },
    outExtensions: () => ({ js: '.js' }),
  },
  {
    ...common,
    entry,
    sourcemap: false,
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
