import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Rolldown } from 'tsdown';
import { emitLicenses } from './tools/licenses.ts';

/**
 * Escapes characters outside of ASCII in the code, which are in strings, regular expressions and comments.
 * V8 keeps the code in memory, and needs two bytes for each character if one of them is not in Latin-1.
 */
const toAscii: Rolldown.Plugin = {
  name: 'to-ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk') chunk.code = chunk.code.replaceAll(/[\u0080-\uffff]/g, escapeCharacter);
  },
};

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

// The package does not contain src/, and a map without it still has the lines and names of src/ for stack traces.
const outputOptions = { sourcemapExcludeSources: true } as const;

// The compiler of TypeScript 7, which exports no function for its path, needs half of the time of that of TypeScript 5.
const compiler: string | undefined = await import(
  pathToFileURL(resolve('node_modules/typescript-native/lib/getExePath.js')).href
)
  .then(({ default: getPath }) => getPath())
  .catch(() => undefined);
const dts = compiler === undefined ? {} : { tsgo: { path: compiler }, tsconfig: 'tsconfig.build.json' };

const common = { platform: 'node', target: 'node20.19', sourcemap: true, outputOptions } as const;
const entry = {
  storefront: 'src/index.ts',
  testing: 'src/testing/in-process.ts',
  playwright: 'src/testing/playwright.ts',
  'playwright-reporter': 'src/testing/playwright-reporter.ts',
  'coverage-reporter': 'src/testing/coverage-reporter.ts',
  propagate: 'src/propagate/propagate.ts',
  clock: 'src/propagate/clock.ts',
};

export default defineConfig([
  {
    ...common,
    entry: { main: 'src/cli/main.ts', ...entry },
    dts: false,
    plugins: [toAscii, emitLicenses()],
    // rolldown 1.0 gives a variable in the CommonJS build of this package, which prom-client requires, the name of a function.
    alias: { '@opentelemetry/api': resolve('node_modules/@opentelemetry/api/dist/index.mjs') },
    // Editors read docblocks from the declarations, which keep them.
    outputOptions: { ...outputOptions, comments: { jsdoc: false } },
    outExtensions: () => ({ js: '.js' }),
  },
  {
    ...common,
    entry,
    sourcemap: false,
    dts: { ...dts, emitDtsOnly: true },
    clean: false,
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  },
  {
    ...common,
    // For tests that `require`: they start the server in a process of its own.
    entry: {
      testing: 'src/testing/child.ts',
      playwright: 'src/testing/playwright.ts',
      'playwright-reporter': 'src/testing/playwright-reporter.ts',
      'coverage-reporter': 'src/testing/coverage-reporter.ts',
      propagate: 'src/propagate/propagate.ts',
      clock: 'src/propagate/clock.ts',
    },
    format: 'cjs',
    dts,
    clean: false,
    outExtensions: () => ({ js: '.cjs', dts: '.d.cts' }),
  },
]);
