// Bundles the npm packages that the server needs for its first response into dist/. Node loads one file in less than half the time of hundreds of files. The
// packages are still dependencies, which development and tests load from node_modules. Packages that only some requests need are not bundled.
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
  'jsonc-parser',
  'koa',
  'lowdb',
  'pino',
  'send',
]);

/** The name of the chunk with the code of the packages. */
const CHUNK = 'packages';

/**
 * Returns whether the build bundles an import: an import of a bundled package, or an import within such a package. Imports in type declarations are not
 * bundled.
 */
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
      filter: { id: /\.json$|\/jsonc-parser\/lib\/umd\/main\.js$|\/util\/import-module\.ts$/ },
      handler(id) {
        if (id.endsWith('.ts')) return { code: 'export const importModule = importFromBundle;', moduleType: 'js' };
        // JSON.parse reads a large object several times faster than the JavaScript parser.
        if (id.endsWith('.json'))
          return { code: `module.exports = JSON.parse(${JSON.stringify(minifyJson(id))});`, moduleType: 'js' };
        // The main module of jsonc-parser loads its parts in a way that can't be bundled. Its ES module can be bundled.
        const esModule = JSON.stringify(id.replace('/umd/', '/esm/'));
        return { code: `import * as jsonc from ${esModule};\nexport default jsonc;`, moduleType: 'js' };
      },
    },
    generateBundle: {
      // Runs after the plugins that format the code.
      order: 'post',
      async handler(_options, bundle) {
        const chunks = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part : []));
        for (const chunk of chunks) chunk.code = wrapCode(escapeCharacters(await shortenCode(chunk)));
        this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: formatLicenses(chunks) });
      },
    },
  };
}

/** Creates the plugin that writes the licenses of all packages in a bundle to licenses.txt. */
export function emitLicenses(): Rolldown.Plugin {
  return {
    name: 'emit-licenses',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).flatMap((part) => (part.type === 'chunk' ? part : []));
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source: formatLicenses(chunks) });
    },
  };
}

/** Removes the white space from the code of the packages, because Node parses it at each start. The code of this project stays readable. */
async function shortenCode({ name, code }: Rolldown.OutputChunk): Promise<string> {
  return name === CHUNK ? (await minify(`${name}.js`, code, { compress: false, mangle: false })).code : code;
}

/** Escapes all characters that are not ASCII. If a file contains one above U+00FF, V8 stores the whole file with two bytes for each character. */
function escapeCharacters(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Makes a function of the code of a CommonJS module, in strict mode like an ES module. src/entry/load-bundle.ts calls the function. */
function wrapCode(code: string): string {
  return `(function (exports, require, module, __filename, __dirname, importFromBundle) {'use strict';${code}\n})`;
}

/** Returns the licenses of the packages in the chunks. Also returns the licenses of packages that are included in a file of another package. */
function formatLicenses(chunks: readonly Rolldown.OutputChunk[]): string {
  const files = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = files.flatMap((file) => {
    const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
    if (folder === undefined) return [];
    return file.endsWith('?url') ? listContained(folder) : [folder];
  });
  // webpack collects the license comments of the packages that a bundle contains.
  const collected = files.map((file) => `${file.replace(/\?.*/, '')}.LICENSE.txt`).filter((file) => existsSync(file));
  const texts = [
    ...[...new Set(folders)].sort().map(readLicense),
    ...collected.map((file) => readFileSync(file, 'utf8')),
  ];
  return [...new Set(texts)].join('\n');
}

/** Returns the folders of a package and of all its direct and indirect dependencies, for a package whose file includes its dependencies. */
function listContained(folder: string): readonly string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const [root = ''] = /^.*\/node_modules\//.exec(folder) ?? [];
  return [folder, ...Object.keys(dependencies).flatMap((name) => listContained(join(root, name)))];
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
