import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/cli/config.ts';
import { readCommandLine } from '../../src/cli/options.ts';
import type { Config } from '../../src/config.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const read = (args: readonly string[], config: Config, environment: Readonly<Record<string, string>> = {}) =>
  readCommandLine({ args, environment, config, isTerminal: false, version: '1' });

describe('loadConfig', () => {
  it('reads the file that the documentation shows', async () => {
    const folder = await folderWith({ 'package.json': '{ "type": "module" }' });
    await copyFile(projectFile('test/examples/config/storefront.config.mjs'), join(folder, 'storefront.config.mjs'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(projectFile('.'), join(folder, 'node_modules', 'storefront'), 'dir');
    const config = await loadConfig(folder);
    expect(config).toMatchObject({ port: 4000, check: { baseline: 'baseline.json', before: expect.any(Function) } });
    expect(read(['check'], config)).toMatchObject({
      kind: 'check',
      options: {
        url: 'https://staging.example.com/api',
        contract: 'openapi.yaml',
        allowWrites: true,
        exclude: ['deleteAccount', 'tag:internal'],
        report: ['check.xml', 'check.sarif'],
        runs: 50,
      },
    });
  });

  it.each([
    ['operations', 'tag:admin'],
    ['credentials', 'apiKey'],
  ] as const)('reads the %s that the documentation shows', async (setting, name) => {
    const folder = await folderWith({ 'package.json': '{ "type": "module" }' });
    await copyFile(projectFile(`test/examples/config/${setting}.config.mjs`), join(folder, 'storefront.config.mjs'));
    await mkdir(join(folder, 'node_modules'));
    await symlink(projectFile('.'), join(folder, 'node_modules', 'storefront'), 'dir');
    const config = await loadConfig(folder);
    expect(Object.keys(config.check?.[setting] ?? {})).toContain(name);
    expect(read(['check', '--runs', '3'], config)).toMatchObject({ kind: 'check', options: { runs: 3 } });
  });

  it.each([
    ['storefront.config.json', '{ "port": 4001 }'],
    ['package.json', '{ "storefront": { "port": 4001 } }'],
    ['storefront.config.mjs', 'export default { port: 4001 };'],
  ])('reads %s', async (name, text) => {
    expect(await loadConfig(await folderWith({ [name]: text }))).toEqual({ port: 4001 });
  });

  it('returns an empty configuration without a file, and does not read the folder above', async () => {
    const folder = await folderWith({ 'storefront.config.json': '{ "port": 4001 }' });
    await mkdir(join(folder, 'inner'));
    expect(await loadConfig(join(folder, 'inner'))).toEqual({});
  });

  it.each([
    ['{', /^Cannot read the configuration \S+storefront\.config\.json: /],
    ['[]', 'has no configuration: export an object as default'],
    ['{ "prot": 1 }', 'storefront.config.json: Unknown option prot of the server: did you mean "port"'],
    ['{ "port": "x" }', 'storefront.config.json: Invalid option port of the server'],
    ['{ "check": 1 }', 'check is not an object'],
    ['{ "check": { "before": 1 } }', 'check.before is not a function'],
    ['{ "check": { "operations": [] } }', 'check.operations must be an object'],
    ['{ "check": { "credentials": { "a": 1 } } }', 'check.credentials must be an object'],
    ['{ "check": { "parameters": 1 } }', 'check.parameters must be an object'],
  ])('refuses %s', async (text, problem) => {
    const folder = await folderWith({ 'storefront.config.json': text });
    await expect(loadConfig(folder)).rejects.toThrow(problem);
  });
});

describe('readCommandLine with a configuration', () => {
  it('prefers the command line, then the environment, then the configuration', () => {
    const config: Config = { port: 4001, host: '0.0.0.0', log: 'off', verify: 'strict' };
    expect(read(['--port', '4003', '--log', 'json'], config, { PORT: '4002', HOST: '::1' })).toMatchObject({
      kind: 'serve',
      options: { port: 4003, host: '::1', log: 'json', verify: 'strict', durability: 'disk' },
    });
  });

  it('uses a contract of the command line instead of the one in the file', () => {
    const config: Config = { contract: 'a.yaml' };
    expect(read(['b.yaml'], config)).toMatchObject({ options: { contract: 'b.yaml' } });
    expect(read(['explain'], config)).toMatchObject({ kind: 'explain', options: { contract: 'a.yaml' } });
    expect(read(['check', '--contract', 'b.yaml'], config)).toMatchObject({ options: { contract: 'b.yaml' } });
  });

  it('replaces lists of the configuration, and keeps the permission to write for its server', () => {
    const url = 'http://a.test';
    const config: Config = { check: { url, only: ['a', 'b'], allowWrites: true } };
    expect(read(['check', '--only', 'c'], config)).toMatchObject({ options: { url, only: ['c'], allowWrites: true } });
    expect(read(['check', 'http://b.test'], config)).toMatchObject({
      options: { only: ['a', 'b'], allowWrites: false },
    });
  });

  it('adds headers of the command line to those of the check', () => {
    const config: Config = { check: { headers: { 'X-Team': 'a' }, query: { key: '1' }, runs: 3, maxTime: 60 } };
    expect(read(['check', 'http://localhost', '-H', 'X-Own: b', '--runs', '4'], config)).toMatchObject({
      options: { headers: { 'x-team': 'a', 'x-own': 'b' }, query: { key: '1' }, runs: 4, maxTime: 60 },
    });
  });

  it.each<[object, string]>([
    [{ run: 3 }, 'Unknown setting check.run: did you mean "runs"?'],
    [{ runs: 'many' }, 'Invalid setting check.runs of the configuration: --runs must be an integer'],
    [{ allowWrites: 'yes' }, 'Invalid setting check.allowWrites: use true or false'],
    [{ headers: { 'a b': 'c' } }, 'Invalid setting check.headers of the configuration: Use a header'],
    [{ confidence: 'low' }, 'Invalid setting check.confidence'],
    [{ url: 'nope' }, 'Invalid setting check.url of the configuration: Use a URL'],
    [{ url: 5 }, 'Invalid setting check.url'],
    [{ only: [] }, 'Invalid setting check.only'],
    [{ report: false }, 'Invalid setting check.report'],
    [{ summary: null }, 'Invalid setting check.summary'],
    [{ headers: { a: null } }, 'Invalid setting check.headers'],
  ])('refuses the check settings %j', (check, reason) => {
    expect(read(['check'], { check })).toEqual({ kind: 'refuse', reason: expect.stringContaining(reason) });
  });
});
