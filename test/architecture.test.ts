import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { projectFile } from './support/default-data.ts';

/** The source files, by their path below src/, each with its text and with what is left of it without types and comments. */
const sources = readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(projectFile(`src/${path}`), 'utf8') }))
  .map((source) => ({ ...source, code: codeOf(source.text) }));

/** A room is a folder of src/, or a file that stands beside the folders. */
type Room = string;

/**
 * Which rooms the files of a room may import, beside their own; where a file of another room is named, that file alone. Types count as
 * much as values. The arrows: main → storefront → http → operations → domain, store, search → the types of the contract.
 */
const arrows: Readonly<Record<Room, readonly string[]>> = {
  // The four faults that stop a start are told apart by their classes.
  'main.ts': [
    'storefront.ts',
    'options.ts',
    'listen.ts',
    'contract/document.ts',
    'operations/casting.ts',
    'store/data-file.ts',
    // What is loaded at once is a fault, its options, and no more.
    'check/fault.ts',
    'check/options.ts',
    'check/command.ts',
    'check/own-sandbox.ts',
    'control/client.ts',
    'control/command.ts',
    'control/steer.ts',
  ],
  // The refusal is for programs that bring handlers of their own.
  'storefront.ts': [
    'service.ts',
    'sandboxes',
    'state-check.ts',
    'warm-up.ts',
    'http/server.ts',
    'operations',
    'search',
    'store',
    'contract',
    'domain/refusal.ts',
    'listen.ts',
    'logger.ts',
    'options.ts',
    'steering.ts',
    'mock/undocumented.ts',
  ],
  'steering.ts': ['contract', 'control/handler.ts', 'listen.ts', 'mock/undocumented.ts', 'options.ts', 'sandboxes'],
  'warm-up.ts': [],
  'state-check.ts': ['http/problem.ts', 'operations/casting.ts', 'store', 'contract'],
  'service.ts': ['target.ts', 'http', 'mock', 'operations/casting.ts', 'contract', 'sandboxes/journal.ts'],
  'json-pointer.ts': [],
  // What a request is aimed at, for those who answer it and those who look at it later.
  'target.ts': [],
  'listen.ts': ['http/server.ts'],
  'options.ts': [
    'logger.ts',
    'check/options.ts',
    'control/command.ts',
    'control/options.ts',
    'control/option-values.ts',
    'contract/answers.ts',
    'operations/handler.ts',
    'store/open-state.ts',
  ],
  'logger.ts': [],
  http: ['target.ts', 'control', 'sandboxes', 'mock', 'operations', 'search', 'store', 'domain', 'contract'],
  // What QA steers by: it decides as operations do.
  control: ['sandboxes', 'store'],
  // What a project's tests import: it steers a server over HTTP, and starts one by what the package exports and its command line carries.
  kit: [
    'storefront.ts',
    'options.ts',
    'control/client.ts',
    'control/operation.ts',
    'contract/schema.d.ts',
    'store/state.ts',
  ],
  // Orders of ready-made states, and ids of a seed.
  // The words of control, in which faults are wished for and the journal is shown.
  sandboxes: ['json-pointer.ts', 'store', 'domain/order.ts', 'mock/random.ts', 'control/operation.ts', 'target.ts'],
  operations: ['domain', 'store', 'search', 'contract/operation.ts'],
  mock: ['json-pointer.ts', 'contract'],
  // It judges our server as it judges any other: over HTTP, by the contract alone.
  check: ['json-pointer.ts', 'mock', 'contract'],
  search: ['contract/operation.ts'],
  store: ['json-pointer.ts', 'contract/operation.ts'],
  domain: ['contract/operation.ts'],
  contract: ['json-pointer.ts'],
};

/** In which rooms a package is imported: whoever wants to swap one finds one room to change. */
const packages: Readonly<Record<string, readonly Room[]>> = {
  'openapi-backend': ['contract'],
  ajv: ['contract'],
  'ajv-formats': ['contract'],
  'js-yaml': ['contract'],
  yaml: ['contract'],
  'json-schema-faker': ['mock'],
  lowdb: ['store'],
  'jsonc-parser': ['store'],
  flexsearch: ['search'],
  koa: ['http'],
  '@koa/cors': ['http'],
  'co-body': ['http'],
  send: ['http'],
  pino: ['logger.ts'],
  commander: ['options.ts', 'check/options.ts', 'control'],
  'fast-check': ['check'],
};

/** Which files import the modules of Node with which the world outside is reached, or which bring what differs from run to run. */
const modules: Readonly<Record<string, readonly string[]>> = {
  'node:fs': ['contract/document.ts', 'contract/live.ts', 'store', 'storefront.ts', 'options.ts', 'check/command.ts'],
  'node:fs/promises': ['store'],
  'node:vm': ['sandboxes/patterns.ts'],
  'node:util': ['store', 'mock', 'sandboxes/comparing.ts'],
  'node:timers/promises': ['store', 'http/dispatch.ts'],
  // Which process has a data file, what its platform has for a lock, and whether it has folders to sync.
  'node:process': ['store/lock.ts', 'store/disk.ts'],
  'node:net': ['store/lock.ts'],
  'node:os': ['store/lock.ts'],
  'node:events': ['storefront.ts'],
  'node:http': ['http', 'service.ts', 'check', 'control/client.ts'],
  'node:https': ['check/client.ts', 'control/client.ts'],
  'node:stream': ['http'],
  'node:stream/consumers': ['control/client.ts'],
  'node:child_process': ['kit/child.ts'],
  // Ids; names for locks and for what stands beside a data file while it is replaced.
  // A seed, where none is named.
  'node:crypto': ['storefront.ts', 'store/lock.ts', 'store/durable-file.ts', 'main.ts', 'control/access.ts'],
  // A team's own handlers are a module that is named on the command line.
  'node:path': [
    'store',
    'storefront.ts',
    'steering.ts',
    'operations/casting.ts',
    'check/report/report.ts',
    'sandboxes/snapshots.ts',
  ],
  'node:url': ['storefront.ts', 'operations/casting.ts', 'kit/child.ts'],
};

/** What the files that start the program hand down, so that nothing below reaches for it. */
const reaches: readonly { what: string; pattern: RegExp; places: readonly string[] }[] = [
  { what: 'the process', pattern: /\bprocess\b\s*[.[]/, places: ['main.ts', 'kit/child.ts'] },
  { what: 'the console', pattern: /\bconsole\s*[.[]/, places: [] },
  {
    what: 'the clock',
    pattern: /\bDate\.now\b|\bnew Date\b|\bDate\(/,
    places: ['storefront.ts', 'mock/lifelike.ts', 'control/sandbox-handlers.ts', 'sandboxes/journal-entry.ts'],
  },
  // Two runs of the same tests on one server are not to share sandboxes.
  {
    what: 'chance',
    pattern: /\bMath\.random\b|\bcrypto\.|\brandomUUID\b/,
    places: ['storefront.ts', 'kit/playwright.ts'],
  },
];

const imports = sources.flatMap(({ path, text }) =>
  ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => ({ from: path, to: targetOf(path, fileName) })),
);
const ownImports = imports.filter(({ to }) => to.own).map(({ from, to }) => ({ from, to: to.name }));
const strangeImports = imports.filter(({ to }) => !to.own).map(({ from, to }) => ({ from, to: to.name }));

describe('the source', () => {
  it('is where these rules look', () => {
    expect(new Set(sources.map(({ path }) => roomOf(path)))).toEqual(new Set(Object.keys(arrows)));
    expect(ownImports.length).toBeGreaterThan(sources.length);
  });

  it.each(Object.entries(arrows))('of %s imports no other room than %j', (room, allowed) => {
    const strays = ownImports.filter(
      ({ from, to }) => roomOf(from) === room && roomOf(to) !== room && !allowed.some((place) => lies(to, place)),
    );
    expect(strays.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('has no cycle of imports', () => {
    expect(cyclesOf(ownImports)).toEqual([]);
  });

  it('takes of the contract, below http, nothing but types', () => {
    expect(sources.find(({ path }) => path === 'contract/operation.ts')?.code.trim()).toBe('export {};');
  });

  it.each(Object.entries({ ...packages, ...modules }))('imports %s only in %j', (name, places) => {
    const importers = strangeImports.filter(({ to }) => to === name).map(({ from }) => from);
    expect(importers).not.toEqual([]);
    expect(importers.filter((path) => !places.some((place) => lies(path, place)))).toEqual([]);
  });

  it('imports nothing from outside that has no place here', () => {
    const known = new Set([...Object.keys(packages), ...Object.keys(modules)]);
    expect(strangeImports.filter(({ to }) => !known.has(to))).toEqual([]);
  });

  it('has a place for every dependency of the package', () => {
    const { dependencies } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8'));
    expect(Object.keys(packages).toSorted()).toEqual(Object.keys(dependencies).toSorted());
  });

  it.each(reaches)('reaches for $what only in $places', ({ pattern, places }) => {
    const reaching = sources.filter(({ code }) => pattern.test(code)).map(({ path }) => path);
    expect(reaching.filter((path) => !places.includes(path))).toEqual([]);
  });
});

function roomOf(path: string): Room {
  return path.split('/')[0] ?? path;
}

/** Whether a file is, or lies in, a place. */
function lies(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function targetOf(from: string, specifier: string): { own: boolean; name: string } {
  if (specifier.startsWith('.')) return { own: true, name: join(dirname(from), specifier) };
  return { own: false, name: specifier };
}

/** A text of TypeScript without its types and comments. */
function codeOf(text: string): string {
  const compilerOptions: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    removeComments: true,
    verbatimModuleSyntax: true,
  };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/** The cycles among files, each as the path that leads round. */
function cyclesOf(edges: readonly { from: string; to: string }[]): string[] {
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
