import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { minifySync, transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import { projectFile } from './support/fixtures/default-data.ts';

/** The source files: path below src/, text, and text without types and comments. */
const sources = await Promise.all(
  readdirSync(projectFile('src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map(async (path) => {
      const text = readFileSync(projectFile(`src/${path}`), 'utf8');
      return { path, text, code: await getCode(path, text) };
    }),
);

/** A folder of src/, or a file directly in src/. */
type Folder = string;

/** Folders and files that a folder may import from, with the reason. All may import `util`. */
interface ImportRule {
  readonly may: readonly string[];
  readonly because: string;
}

/** The import rules: cli → server → http → control, sandbox → store, openapi. Types count as much as values. */
const rules: Readonly<Record<Folder, readonly ImportRule[]>> = {
  'index.ts': [
    { may: ['server'], because: 'createStorefront, its options and the version are what the package exports' },
    { may: ['shop', 'application.ts'], because: 'the package exports the types that front ends and handlers use' },
  ],
  'application.ts': [
    { may: ['store', 'openapi'], because: 'types of the contract that an application implements, and of its state' },
    { may: ['application-views.ts'], because: 'types of what the console and the control API show of an application' },
  ],
  'application-views.ts': [{ may: ['store'], because: 'types of what is shown of the state' }],
  'package-file.ts': [],
  cli: [
    { may: ['server', 'check', 'client'], because: 'each command runs one of them' },
    { may: ['control/operation.ts'], because: 'types of the control API' },
    { may: ['shop/model'], because: 'it hands the model of the shop to the check' },
  ],
  server: [
    {
      may: ['http', 'control', 'sandbox', 'shop', 'store', 'mock', 'openapi', 'application.ts', 'package-file.ts'],
      because: 'startApplication joins the parts, and createStorefront hands the shop to it',
    },
    { may: ['application-views.ts'], because: 'it hands the tables of the application to the control API' },
    { may: ['resources'], because: 'createStorefront serves the resources of a contract that is not of the shop' },
  ],
  http: [
    { may: ['control', 'sandbox', 'mock', 'store', 'openapi'], because: 'it serves what they do' },
    { may: ['application.ts'], because: 'it calls the handlers of any application' },
  ],
  control: [
    { may: ['sandbox'], because: 'it controls sandboxes' },
    { may: ['store'], because: 'states, and their validation, are what it reads and replaces' },
    {
      may: ['application.ts', 'application-views.ts'],
      because: 'types of what is shown of an application, and of its collections',
    },
  ],
  sandbox: [
    { may: ['store'], because: 'a sandbox has a store' },
    { may: ['control/operation.ts'], because: 'types of faults, matchers and journal entries, made from control.yaml' },
  ],
  shop: [
    {
      may: ['application.ts', 'application-views.ts', 'package-file.ts'],
      because: 'it implements the application interface',
    },
    { may: ['store', 'openapi'], because: 'operations read and change the state of a contract' },
    { may: ['sandbox/id-generator.ts'], because: 'the orders of a built-in snapshot have seeded ids' },
    { may: ['check'], because: 'the model of the shop is checked by the means that every API is checked by' },
  ],
  resources: [
    { may: ['application.ts', 'application-views.ts'], because: 'it implements the application interface' },
    {
      may: ['store', 'openapi', 'mock'],
      because: 'it serves the resources of any contract, and generates missing values',
    },
  ],
  check: [{ may: ['mock', 'openapi'], because: 'it checks any server over HTTP, by its contract alone' }],
  client: [{ may: ['control'], because: 'types of the control API' }],
  console: [
    {
      may: ['control/operation.ts'],
      because: 'types of the control API, which is all that the page knows of the server',
    },
  ],
  // A page in the browser, which reads the contract over HTTP.
  reference: [],
  testing: [
    { may: ['server', 'client'], because: 'the kit starts a server and controls it over HTTP' },
    { may: ['control/operation.ts'], because: 'types that tests use' },
    {
      may: ['shop/api-types.ts', 'shop/types.ts'],
      because: 'the packaged application is the shop: types that tests use',
    },
  ],
  mock: [{ may: ['openapi'], because: 'responses are made from the contract' }],
  store: [],
  openapi: [],
  util: [],
};

/** The folders that import a package: to replace a package, change one folder. */
const packages: Readonly<Record<string, readonly string[]>> = {
  'openapi-backend': ['openapi'],
  ajv: ['openapi'],
  'ajv-formats': ['openapi'],
  'js-yaml': ['openapi'],
  'jsonpath-rfc9535': ['openapi'],
  'json-schema-faker': ['mock'],
  lowdb: ['store'],
  'jsonc-parser': ['store'],
  flexsearch: ['shop/search'],
  koa: ['http'],
  '@koa/cors': ['http'],
  '@koa/router': ['http'],
  'co-body': ['http'],
  '@fastify/busboy': ['http'],
  send: ['http'],
  'prom-client': ['http/metrics.ts'],
  pino: ['server/logger.ts'],
  commander: ['cli', 'check/options.ts'],
  'openapi-typescript': ['cli/types-command.ts'],
  'fast-check': ['check', 'shop/model'],
  re2js: ['sandbox/matcher'],
  pg: ['store/postgres'],
};

/** Packages that are bundled into the files of the pages. They are not dependencies of the package. */
const pagePackages: Readonly<Record<string, readonly string[]>> = {
  preact: ['console'],
  rapidoc: ['reference'],
};

/** Words of the shop, also within a name such as `productId`. `order` alone may be that of a list. */
const SHOP_WORDS = /product|cart|orders|orderId|shop/i;

/** Lines that may have such a word. */
const exemptLines: readonly string[] = [
  // The mock guesses the value of a property by its name, in any document.
  '[/product|article|goods|sku|(^|_|order|line)item/i, ({ pick }) =>',
];

/** The files that import the modules of Node that reach outside of the process, or that bring what differs from run to run. */
const modules: Readonly<Record<string, readonly string[]>> = {
  'node:fs': [
    'openapi/document.ts',
    'openapi/compiled-contract.ts',
    'server/file-watcher.ts',
    'server/version.ts',
    'store',
    'cli/control-commands.ts',
    'cli/server-options.ts',
    'cli/types-command.ts',
    'check/command.ts',
  ],
  'node:fs/promises': ['store'],
  'node:tty': ['server/logger.ts'],
  'node:util': ['store', 'mock', 'sandbox/matcher/value-matcher.ts'],
  // A check waits where a server limits the rate of requests, and before it repeats a sequence.
  'node:timers/promises': [
    'store',
    // The other servers store their journals.
    'sandbox/shared/shared-journals.ts',
    'http/pipeline/faults.ts',
    'http/pipeline/retry-detector.ts',
    'check',
    'shop/model',
  ],
  // Which process has a data file, what its platform has for a lock, and whether it has folders to sync.
  'node:process': ['store/lock.ts', 'store/disk.ts'],
  // The syntax of IP addresses.
  'node:net': ['store/lock.ts', 'http/access-policy.ts'],
  'node:os': ['store/lock.ts'],
  'node:events': ['http/server.ts', 'server/start-application.ts', 'check/client.ts'],
  'node:http': ['http', 'server/live-contract.ts', 'mock/status-problem.ts', 'check', 'client'],
  'node:https': ['check/transport.ts', 'client'],
  'node:stream': ['http'],
  'node:stream/consumers': ['client'],
  'node:child_process': ['testing/child.ts'],
  // The checksums of the write-ahead log.
  'node:zlib': ['store/log-lines.ts'],
  // Ids, names of locks and temporary files, hashes of files, the comparison of tokens, and a default seed.
  'node:crypto': [
    'server/start-application.ts',
    'store/lock.ts',
    'store/file-content.ts',
    'store/durable-file.ts',
    // The ids of changes, and the hashes of collections.
    'store/postgres/ids.ts',
    'cli/main.ts',
    'http/control/access.ts',
    // The hash of a request, by which a repeated request is recognized.
    'http/pipeline/idempotency.ts',
    // A key that no server has stored.
    'check/idempotency-key.ts',
    // The hash of a contract, by which its compiled form is found.
    'openapi/compiled-contract.ts',
  ],
  'node:path': [
    'openapi/compiled-contract.ts',
    // References to other files are relative to the file that has them.
    'openapi/source-files.ts',
    'store',
    'server',
    'sandbox/snapshots.ts',
    'check/report/report.ts',
    'cli/types-command.ts',
  ],
  // Custom handlers are a module that the command line names.
  'node:url': [
    'package-file.ts',
    'openapi/compiled-contract.ts',
    'server/handler-registry.ts',
    'testing/child.ts',
    'cli/types-command.ts',
  ],
  // Rarely needed modules are loaded on first use, from the project that has them.
  'node:module': [
    'sandbox/matcher/patterns.ts',
    'cli/types-command.ts',
    'server/handler-registry.ts',
    'util/load-package.ts',
  ],
};

/** Globals that only entry points may use; they pass them down. */
const reaches: readonly { what: string; pattern: RegExp; places: readonly string[] }[] = [
  { what: 'the process', pattern: /\bprocess\b\s*[.[]/, places: ['cli/main.ts', 'testing/child.ts'] },
  { what: 'the console', pattern: /\bconsole\s*[.[]/, places: [] },
  {
    what: 'the clock',
    pattern: /\bDate\.now\b|\bnew Date\b|\bDate\(/,
    // The console runs in a browser, and shows times.
    places: ['server/start-application.ts', 'mock/realistic-values.ts', 'util/iso-time.ts', 'console'],
  },
  // Two runs of the same tests on one server must not share sandboxes, and two checks must not share idempotency keys.
  {
    what: 'chance',
    pattern: /\bMath\.random\b|\bcrypto\.|\brandomUUID\b/,
    places: ['server/start-application.ts', 'testing/playwright.ts', 'check/idempotency-key.ts'],
  },
];

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
    const described = ['cli/options.ts', 'cli/help-footer.ts', 'control/schema.d.ts'];
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

  it.each(Object.entries({ ...packages, ...pagePackages, ...modules }))('imports %s only in %j', (name, places) => {
    const importers = strangeImports.filter(({ to }) => to === name).map(({ from }) => from);
    expect(importers).not.toEqual([]);
    expect(importers.filter((path) => !places.some((place) => lies(path, place)))).toEqual([]);
  });

  it('imports no external package without a rule', () => {
    const known = new Set([...Object.keys(packages), ...Object.keys(pagePackages), ...Object.keys(modules)]);
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
