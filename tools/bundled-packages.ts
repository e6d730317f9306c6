// The packages that the build bundles into dist/, because the server needs them for its first response: one file is loaded in less than half the time of
// hundreds. They stay dependencies, which development and tests load as usual. Packages that only some requests need are not bundled.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Returns whether an import is bundled: an import of these packages, or an import within them. The imports of declarations are not. */
export function isBundled(id: string, importer: string | undefined): boolean {
  if (importer?.endsWith('.d.ts')) return false;
  return BUNDLED.has(id) || (importer?.includes('/node_modules/') ?? false);
}

/** Creates the plugin that bundles the packages and writes their licenses to dist/licenses.txt. */
export function bundlePackages(): Rolldown.Plugin {
  return {
    name: 'bundle-packages',
    load: {
      filter: { id: /\/mime-db\/db\.json$|\/jsonc-parser\/lib\/umd\/main\.js$/ },
      handler(id) {
        // JSON.parse reads a large object several times faster than the parser of JavaScript.
        if (id.endsWith('.json'))
          return { code: `module.exports = JSON.parse(${JSON.stringify(minifyJson(id))});`, moduleType: 'js' };
        // The main module loads its parts in a way that can't be bundled.
        const esModule = JSON.stringify(id.replace('/umd/', '/esm/'));
        return { code: `import * as jsonc from ${esModule};\nexport default jsonc;`, moduleType: 'js' };
      },
    },
    generateBundle(_options, bundle) {
      const files = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
      const folders = files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
      const source = [...new Set(folders)].sort().map(readLicense).join('\n');
      this.emitFile({ type: 'asset', fileName: 'licenses.txt', source });
    },
  };
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
