import { defineConfig } from 'tsdown';

const common = { platform: 'node', target: 'node20.19', dts: true } as const;

export default defineConfig([
  {
    ...common,
    entry: {
      main: 'src/main.ts',
      storefront: 'src/storefront.ts',
      testing: 'src/kit/in-process.ts',
      playwright: 'src/kit/playwright.ts',
    },
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  },
  {
    ...common,
    // For tests that `require`. The server is a module of ES, so they have it in a process of its own.
    entry: { testing: 'src/kit/child.ts', playwright: 'src/kit/playwright.ts' },
    format: 'cjs',
    clean: false,
    outExtensions: () => ({ js: '.cjs', dts: '.d.cts' }),
  },
]);
