// The packages that the build bundles into dist/, because the server needs them for its first response: one file is loaded in less than half the time of
// hundreds. They stay dependencies, which development and tests load as usual. Packages that only some requests need are not bundled.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { minify } from 'rolldown/utils';
import type { Rolldown } from 'tsdown';

/** The bundled dependencies. The packages that they depend on are bundled with them. */
const BUNDLED = new Set([
  '@koa/cors',
  '@koa/router',
  'ajv-formats/dist/formats.js',
  'commander',
  'flexsearch',
  'json-schema-faker',
  'jsonc-parser',
  'koa',
  'lowdb',
  'pino',
  'send',
]);

/** The name of the chunk with the code of the packages. */
const CHUNK = 'packages';

/** Returns whether an import is bundled: an import of these packages, or an import within them. The imports of declarations are not. */
export function isBundled(id: string, importer: string | undefined): boolean {
  if (importer?.endsWith('.d.ts')) return false;
  return BUNDLED.has(id) || (importer?.includes('/node_modules/') ?? false);
}

/** Creates the plugin that bundles the packages and writes their licenses to dist/licenses.txt. */
export function bundlePackages(): Rolldown.Plugin {
  return {
    name: 'bundle-packages',
    outputOptions: (options) => ({
      ...options,
      codeSplitting: { groups: [{ name: CHUNK, test: /\/node_modules\// }] },
    }),
    load: {
      filter: { id: /\.json$|\/jsonc-parser\/lib\/umd\/main\.js$/ },
      handler(id) {
        // JSON.parse reads a large object several times faster than the parser of JavaScript.
        if (id.endsWith('.json'))
          return { code: `module.exports = JSON.parse(${JSON.stringify(minifyJson(id))});`, moduleType: 'js' };
        // The main module loads its parts in a way that can't be bundled.
        const esModule = JSON.stringify(id.replace('/umd/', '/esm/'));
        return { code: `import * as jsonc from ${esModule};\nexport default jsonc;`, moduleType: 'js' };
      },
    },
    generateBundle: {
      // After the plugins that format the code.
      order: 'post',
      async handler(_options, bundle) {
        const chunks = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part : []));
        for (const chunk of chunks) chunk.code = escapeCharacters(await shortenCode(chunk));
        this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: formatLicenses(chunks) });
      },
    },
  };
}

/** Removes the white space from the code of the packages, because Node parses it at each start. The code of this project stays readable. */
async function shortenCode({ name, code }: Rolldown.OutputChunk): Promise<string> {
  return name === CHUNK ? (await minify(`${name}.js`, code, { compress: false, mangle: false })).code : code;
}

/** Escapes the characters for which V8 would store the whole text with two bytes for each character. */
function escapeCharacters(code: string): string {
  return code.replaceAll(/[^\0-\xff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the licenses of the packages in the chunks. */
function formatLicenses(chunks: readonly Rolldown.OutputChunk[]): string {
  const files = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort().map(readLicense).join('\n');
}

function minifyJson(path: string): string {
  return JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
}

/** Returns the name, the version and the license of the package in a folder. */
function readLicense(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) ?? 'README.md';
  const path = join(folder, file);
  return `${name} ${version}, license ${license}\n\n${existsSync(path) ? readFileSync(path, 'utf8').trim() : ''}\n`;
}
