import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { builtCheckout, lastingFolder } from '../support/harness/checkout.ts';
import { runCommand, startCommand } from '../support/harness/commands.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** The major versions of Node.js that the package supports. */
const NODES = ['20', '22', '24'];

const OFFLINE_FIRST = ['--prefer-offline', '--no-audit', '--no-fund'];

let folder = '';
let tarball = '';
let remove = async () => {};

beforeAll(async () => {
  ({ folder, remove } = await lastingFolder());
  const project = await builtCheckout(join(folder, 'project'));
  const packed = await runCommand('npm', ['pack', '--pack-destination', folder], { cwd: project });
  expect(packed).toMatchObject({ exitCode: 0 });
  tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '');
});
afterAll(() => remove());

describe('the packed package', () => {
  it('contains only the files that are needed to run it and the documentation', async () => {
    const { output } = await runCommand('tar', ['-tzf', tarball], { cwd: folder });
    const paths = output.split('\n').filter((path) => path !== '');
    const tops = new Set(paths.map((path) => path.replace(/^package\//, '').replace(/\/.*/, '/')));
    expect([...tops].toSorted()).toEqual(
      [
        '.github/',
        'LICENSE',
        'README.md',
        'db.json.default',
        'dist/',
        'docs/',
        'images/',
        'openapi.yaml',
        'package.json',
        'skills/',
        'src/',
      ].toSorted(),
    );
  });

  it('contains the code, the types, and the images of all products', async () => {
    const { output } = await runCommand('tar', ['-tzf', tarball], { cwd: folder });
    const { products } = JSON.parse(await readFile(projectFile('db.json.default'), 'utf8'));
    const code = [
      'main.js',
      'storefront.js',
      'testing.js',
      'testing.cjs',
      'playwright.js',
      'playwright.cjs',
      'playwright-reporter.js',
      'playwright-reporter.cjs',
      'coverage-reporter.js',
      'coverage-reporter.cjs',
      'propagate.js',
      'propagate.cjs',
      'clock.js',
      'clock.cjs',
    ];
    const types = ['storefront.d.ts', 'testing.d.ts', 'testing.d.cts', 'playwright.d.ts', 'playwright.d.cts'];
    const pages = ['console', 'reference'].flatMap((name) => [`${name}/index.html`, `${name}/licenses.txt`]);
    const needed = [...[...code, ...types, ...pages].map((name) => `dist/${name}`), ...products.map(getImage)];
    expect(output.split('\n')).toEqual(expect.arrayContaining(needed.map((path) => `package/${path}`)));
  });

  it('contains a source map of each program file', async () => {
    const { output } = await runCommand('tar', ['-tzf', tarball], { cwd: folder });
    const paths = output.split('\n');
    const programs = paths.filter((path) => /^package\/dist\/[^/]+\.c?js$/.test(path));
    expect(programs.length).toBeGreaterThan(5);
    // A file that only exports what another file has contains no code, and the runtime of the bundler has no source.
    const hasCode = (path: string) => {
      const lines = readFileSync(join(folder, 'project', path.replace('package/', '')), 'utf8').split('\n');
      const isRuntime =
        lines.some((line) => line.includes('rolldown/runtime')) && !lines.some((line) => line.includes('region src/'));
      return !isRuntime && lines.some((line) => !/^((import|export) .*)?$/.test(line));
    };
    expect(programs.filter((path) => hasCode(path) && !paths.includes(`${path}.map`))).toEqual([]);
  });
});

describe('the package.json in the tarball', () => {
  it('has no script that npm runs or warns about during the installation', async () => {
    const { output } = await runCommand('tar', ['-xOzf', tarball, 'package/package.json'], { cwd: folder });
    const scripts = Object.keys(JSON.parse(output).scripts);
    expect(scripts.filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  it('is derived from package.json, which packing does not change', async () => {
    const packed = await readFile(join(folder, 'project', 'package.json'), 'utf8');
    expect(packed).toBe(await readFile(projectFile('package.json'), 'utf8'));
    expect(JSON.parse(packed).scripts.prepare).toBe('node tools/build.mjs --prepare');
  });
});

describe.each(NODES)('the package with Node.js %s', (line) => {
  let place = { cwd: '', programs: '' };
  let installed = { exitCode: null as number | null, output: 'never begun' };

  beforeAll(async () => {
    place = { cwd: join(folder, `shop-${line}`), programs: await installNode(line) };
    await mkdir(place.cwd);
    installed = await runCommand('npm', ['install', '--engine-strict', ...OFFLINE_FIRST, tarball], place);
  });

  it('runs with this version of Node', async () => {
    expect((await runCommand('node', ['--version'], place)).output).toMatch(new RegExp(`^v${line}\\.`));
  });

  it('installs in an empty folder with strict engine checks of all dependencies', () => {
    expect(installed).toMatchObject({ exitCode: 0 });
    expect(installed.output).not.toContain('install-scripts');
  });

  it('has less than 40 MB with its dependencies', async () => {
    const { output } = await runCommand('du', ['-sm', 'node_modules'], place);
    expect(Number(output.split('\t')[0])).toBeLessThan(40);
  });

  it('prints its version with storefront --version', async () => {
    const { version } = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
    const result = await runCommand('npx', ['--no-install', 'storefront', '--version'], place);
    expect(result).toMatchObject({ exitCode: 0, output: expect.stringContaining(version) });
  });

  it('checks its own server with storefront check', async () => {
    const result = await runCommand('npx', ['--no-install', 'storefront', 'check', '--runs', '5'], place);
    expect(result).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('Contract check passed: no violations found'),
    });
  });

  it('starts with storefront, serves requests, and ends with 0 on SIGTERM', async () => {
    const shop = startCommand(join(place.cwd, 'node_modules/.bin/storefront'), ['--port', '0'], {
      ...place,
      cwd: await tempFolder(),
    });
    const [url] = await shop.said(/http:\/\/[\w.:]+/);
    const ask = createFetchClient(url);
    const products = await ask('GET', '/api/products');
    expect(products.status).toBe(200);
    for (const path of ['/', '/docs']) {
      const [script = ''] = /\/_\w+\/assets\/[^"]*\.js/.exec((await ask('GET', path)).text) ?? [];
      expect((await ask('GET', script)).status, path).toBe(200);
    }
    expect((await ask('GET', `/${products.body[0].image}`)).headers.get('content-type')).toBe('image/svg+xml');
    expect((await ask('POST', '/api/orders')).status).toBe(201);
    expect((await ask('GET', '/_control/metrics')).text).toContain('process_cpu_seconds_total');
    shop.kill('SIGTERM');
    expect(await shop.ended).toMatchObject({ exitCode: 0, signal: null });
  });

  it('starts with createStorefront in a program, which ends after close()', async () => {
    await writeFile(join(place.cwd, 'program.mjs'), PROGRAM);
    expect(await runCommand('node', ['program.mjs'], place)).toEqual({
      exitCode: 0,
      signal: null,
      output: '200 after 201\n',
    });
  });
});

describe('the types of the package', () => {
  let cwd = '';

  beforeAll(async () => {
    cwd = await installPackage('types', []);
    await writeFile(join(cwd, 'program.ts'), TYPED_PROGRAM);
  });

  it.each([
    { module: 'NodeNext', moduleResolution: 'NodeNext' },
    { module: 'ESNext', moduleResolution: 'Bundler' },
  ])('compile without skipLibCheck: %j', async (how) => {
    const compilerOptions = { ...how, ...CHECKED, target: 'ES2022', lib: ['ES2022'], types: [] };
    await expectToCompile(cwd, { compilerOptions, files: ['program.ts'] });
  });
});

describe('the types of the test kit', () => {
  let cwd = '';

  beforeAll(async () => {
    const { devDependencies } = JSON.parse(await readFile(projectFile('package.json'), 'utf8'));
    cwd = await installPackage('kit-types', [`@types/node@${devDependencies['@types/node']}`]);
    await writeFile(join(cwd, 'imported.ts'), IMPORTED_KIT);
    await writeFile(join(cwd, 'required.cts'), REQUIRED_KIT);
  });

  it.each([
    { module: 'NodeNext', moduleResolution: 'NodeNext' },
    { module: 'Node16', moduleResolution: 'Node16' },
    { module: 'Preserve', moduleResolution: 'Bundler' },
  ])('compile for import and require without skipLibCheck: %j', async (how) => {
    const compilerOptions = { ...how, ...CHECKED, target: 'ES2022', lib: ['ES2023'], types: ['node'] };
    await expectToCompile(cwd, { compilerOptions, files: ['imported.ts', 'required.cts'] });
  });
});

/** Installs the package, and other packages, in a new project. Returns its folder. */
async function installPackage(name: string, others: readonly string[]): Promise<string> {
  const cwd = join(folder, name);
  await mkdir(cwd);
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  const installed = await runCommand('npm', ['install', ...OFFLINE_FIRST, tarball, ...others], { cwd });
  expect(installed).toMatchObject({ exitCode: 0 });
  return cwd;
}

async function expectToCompile(cwd: string, config: object): Promise<void> {
  await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify(config));
  const compiler = projectFile('node_modules/typescript/bin/tsc');
  expect(await runCommand('node', [compiler, '--project', cwd], { cwd })).toMatchObject({ exitCode: 0, output: '' });
}

const CHECKED = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true, noEmit: true };

const PROGRAM = `
import { createStorefront } from 'storefront';

const shop = await createStorefront();
const ordered = await fetch(shop.url + '/api/orders', { method: 'POST' });
const listed = await fetch(shop.url + '/api/orders');
await Promise.all([ordered.text(), listed.text()]);
await shop.close();
console.log(listed.status + ' after ' + ordered.status);
`;

/** Compiles only with the types of the contract: with wider types an expected error is missing. */
const TYPED_PROGRAM = `
import { createStorefront, type Options, type paths } from 'storefront';

type Products = paths['/api/products']['get']['responses']['200']['content']['application/json'];

const options: Options = { port: 0, data: 'db.json', nowMs: () => 0 };
const shop = await createStorefront(options);
export const port: number = shop.port;
export const prices = (products: Products): number[] => products.map(({ priceCents }) => priceCents);
// @ts-expect-error a product has no colour
export const colours = (products: Products) => products.map(({ colour }) => colour);
// @ts-expect-error a port is a number
await createStorefront({ port: '3000' });
await shop.close();
`;

const IMPORTED_KIT = `
import { type StorefrontFixtures, storefrontFixtures } from 'storefront/playwright';
import { type paths, startStorefront, VerificationError } from 'storefront/testing';

const shop = await startStorefront({ nowMs: () => 0 });
const sandbox = await shop.sandbox({ from: 'empty-cart' });
const fault = await sandbox.fault({ operation: 'createOrder', status: 500 });
export const applied: number = fault.applied;
export const names: string[] = (await sandbox.state()).products.map(({ name }) => name);
export const said = (error: unknown) => error instanceof VerificationError && error.verdict.message;
export const fixtures = storefrontFixtures({ server: shop.url, by: 'cookie' });
export const use = ({ shop }: StorefrontFixtures) => shop.clock.freeze(new Date());
export type Products = paths['/api/products'];
// @ts-expect-error a fault has no colour
await sandbox.fault({ colour: 'red' });
// @ts-expect-error there is no such way
storefrontFixtures({ server: shop.url, by: 'host' });
`;

const REQUIRED_KIT = `
import { storefrontFixtures } from 'storefront/playwright';
import { type paths } from 'storefront/testing';
import testing = require('storefront/testing');

export type Products = paths['/api/products'];
export async function started() {
  const shop: testing.TestStorefront = await testing.startStorefront({ mock: ['createOrder'] });
  // @ts-expect-error a function can't go to another process
  await testing.startStorefront({ nowMs: () => 0 });
  // @ts-expect-error nor can handlers
  await testing.startStorefront({ handlers: {} });
  return [shop.port.toFixed(), storefrontFixtures({ server: shop.url, by: 'header' })];
}
`;

function getImage({ image }: { readonly image: string }): string {
  return image;
}

/** Installs a major version of Node.js from the npm package `node` and returns the folder of its programs. */
async function installNode(line: string): Promise<string> {
  const cwd = join(folder, `node-${line}`);
  await mkdir(cwd);
  await writeFile(join(cwd, 'package.json'), '{}');
  const got = await runCommand('npm', ['install', ...OFFLINE_FIRST, `node@${line}`], { cwd });
  expect(got).toMatchObject({ exitCode: 0 });
  return join(cwd, 'node_modules/node/bin');
}
