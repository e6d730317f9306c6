import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { minifySync, transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import { projectFile } from './support/fixtures/default-data.ts';
import {
  bundledPackages,
  exemptLines,
  type Folder,
  modules,
  packages,
  reaches,
  rules,
  SHOP_WORDS,
} from './support/fixtures/import-rules.ts';

/** The source files: path below src/, text, and text without types and comments. */
const sources = await Promise.all(
  readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map(async (path) => {
      const text = readFileSync(projectFile(`src/${path}`), 'utf8');
      return { path, text, code: await getCode(path, text) };
    }),
);

const imports = sources.flatMap(({ path, text }) =>
  ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => ({ from: path, to: getTarget(path, fileName) })),
);
const ownImports = imports.filter(({ to }) => to.own).map(({ from, to }) => ({ from, to: to.name }));
const strangeImports = imports.filter(({ to }) => !to.own).map(({ from, to }) => ({ from, to: to.name }));

describe('the source code', () => {
  it('has an import rule for each folder', () => {
    expect(new Set(sources.map(({ path }) => getFolder(path)))).toEqual(new Set(Object.keys(rules)));
    expect(ownImports.length).toBeGreaterThan(sources.length);
  });

  it.each(Object.entries(rules))('in %s imports from other folders only as the rules allow', (folder, allowed) => {
    const places = ['util', ...allowed.flatMap(({ may }) => may)];
    const strays = ownImports.filter(
      ({ from, to }) =>
        getFolder(from) === folder && getFolder(to) !== folder && !places.some((place) => lies(to, place)),
    );
    expect(strays.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('imports the shop only where the engine receives it, and for the types of the package', () => {
    const importers = ownImports.filter(({ from, to }) => lies(to, 'shop') && !lies(from, 'shop'));
    const places = ['index.ts', 'server', 'cli', 'testing'];
    expect(importers.filter(({ from }) => !places.some((place) => lies(from, place)))).toEqual([]);
  });

  it('names products, carts and orders only in the shop and in examples of the packaged program', () => {
    // `own-paths.ts` has words of documents for what each user has alone.
    const described = ['cli/options.ts', 'cli/help-footer.ts', 'control/schema.d.ts', 'resources/users/own-paths.ts'];
    const named = sources.filter(({ path, text }) => !lies(path, 'shop') && SHOP_NAMES.test(text));
    expect(named.map(({ path }) => path).filter((path) => !described.includes(path))).toEqual([]);
  });

  it('uses each of its import rules', () => {
    const all = Object.entries(rules).flatMap(([folder, list]) => list.map((rule) => ({ folder, ...rule })));
    const unused = all.flatMap(({ folder, may }) =>
      may
        .filter((place) => !ownImports.some(({ from, to }) => getFolder(from) === folder && lies(to, place)))
        .map((place) => `${folder} → ${place}`),
    );
    expect(unused).toEqual([]);
  });

  it('has no comment line of more than 120 columns', () => {
    const long = sources
      .filter(({ path }) => !path.endsWith('schema.d.ts'))
      .flatMap(({ path, text }) => text.split('\n').map((line, index) => ({ place: `${path}:${index + 1}`, line })))
      .filter(({ line }) => line.length > MAX_COLUMNS && /^\s*(\/?\*|\/\/)/.test(line));
    expect(long.map(({ place }) => place)).toEqual([]);
  });

  it('has each file that the architecture names', () => {
    const text = readFileSync(projectFile('docs/architecture.md'), 'utf8');
    const named = [...text.matchAll(/`([\w-]+\/[\w/-]+\.tsx?)`/g)].map(([, path = '']) => path.replace(/^src\//, ''));
    const files = new Set(sources.map(({ path }) => path));
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((path) => !/^(test|tools)\//.test(path) && !files.has(path))).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(getCycles(ownImports)).toEqual([]);
  });

  it.each(['openapi', 'mock', 'util'])('in %s serves any document: it names no product, cart or order', (folder) => {
    const own = sources.filter(({ path }) => getFolder(path) === folder);
    const named = own.flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => SHOP_WORDS.test(line) && !exemptLines.some((exempt) => line.includes(exempt)))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(own.length).toBeGreaterThan(5);
    expect(named).toEqual([]);
  });

  it.each(Object.entries({ ...packages, ...bundledPackages, ...modules }))('imports %s only in %j', (name, places) => {
    const importers = strangeImports.filter(({ to }) => to === name).map(({ from }) => from);
    expect(importers).not.toEqual([]);
    expect(importers.filter((path) => !places.some((place) => lies(path, place)))).toEqual([]);
  });

  it('imports no external package without a rule', () => {
    const known = new Set([...Object.keys(packages), ...Object.keys(bundledPackages), ...Object.keys(modules)]);
    expect(strangeImports.filter(({ to }) => !known.has(to))).toEqual([]);
  });

  it('has a rule for every dependency of the package', () => {
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      readFileSync(projectFile('package.json'), 'utf8'),
    );
    // TypeScript is a dependency of openapi-typescript.
    const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).filter(
      (name) => name !== 'typescript',
    );
    expect(Object.keys(packages).toSorted()).toEqual(needed.toSorted());
  });

  it.each(reaches)('uses $what only in $places', ({ pattern, places }) => {
    const reaching = sources.filter(({ code }) => pattern.test(code)).map(({ path }) => path);
    expect(reaching.filter((path) => !places.some((place) => lies(path, place)))).toEqual([]);
  });
});

/** The maximum length of a comment line, in columns. The formatter enforces the same for code. */
const MAX_COLUMNS = 120;

/** Names of the shop. `order` and `product` alone are also words of sorting and multiplication. */
const SHOP_NAMES =
  /\bproducts\b|product[A-Z]|Products?\b|\bcart\b|cart[A-Z]|[a-z]Cart|\borders\b|order(Id|Time)|createOrder|delivery ?option/;

function getFolder(path: string): Folder {
  return path.split('/')[0] ?? path;
}

/** Returns whether a file is the given file or is in the given folder. */
function lies(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function getTarget(from: string, specifier: string): { own: boolean; name: string } {
  if (specifier.startsWith('.')) return { own: true, name: join(dirname(from), specifier) };
  // `ajv-formats/dist/formats.js` belongs to the package `ajv-formats`.
  return { own: false, name: /^(?:node:.*|@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? specifier };
}

/** Returns a TypeScript text without types and comments. */
async function getCode(path: string, text: string): Promise<string> {
  const { code } = await transformWithOxc(text, path);
  const codegen = { removeWhitespace: false, legalComments: 'none' } as const;
  return minifySync(path, code, { compress: false, mangle: false, codegen }).code;
}

/** Returns the import cycles, each as a path of files. */
function getCycles(edges: readonly { from: string; to: string }[]): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]) => {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(' → '));
    if (way.includes(file) || done.has(file)) return;
    for (const { to } of edges.filter(({ from }) => from === file)) visit(to, [...way, file]);
    done.add(file);
  };
  for (const { from } of edges) visit(from, []);
  return cycles;
}
