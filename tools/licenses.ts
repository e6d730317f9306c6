// The licenses of the packages that the program and its pages contain.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rolldown } from 'vite';

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

/** Returns the name, the version and the license of the package in a folder. */
function readLicense(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) ?? 'README.md';
  const path = join(folder, file);
  return `${name} ${version}, license ${license}\n\n${existsSync(path) ? readFileSync(path, 'utf8').trim() : ''}\n`;
}
