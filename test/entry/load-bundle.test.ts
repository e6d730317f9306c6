import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const LOADER = projectFile('dist/load-bundle.js');

/** Runs an ES module that prints JSON in a process with V8 options. Returns the printed value. */
function runModule(program: string, v8Options: readonly string[] = []) {
  const args = [...v8Options, '--input-type=module', '--eval', program];
  const env = { ...process.env, NODE_OPTIONS: '' };
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env }));
}

/** Loads the library with `loadBundle` in a process with V8 options. Returns its exports, and for each loaded file whether V8 refused its code cache. */
function loadLibrary(...v8Options: readonly string[]): { names: string[]; refused: (boolean | undefined)[] } {
  const program = `
    import { loadBundle, scripts } from ${JSON.stringify(LOADER)};
    const names = Object.keys(loadBundle('library.cjs'));
    console.log(JSON.stringify({ names, refused: [...scripts.values()].map(({ script }) => script.cachedDataRejected) }));`;
  return runModule(program, v8Options);
}

/** Creates a folder with the loader and a bundle that exports the function `getValue`. `value`: the JavaScript expression that the function returns. */
async function makeBundle(value: string): Promise<string> {
  const folder = await tempFolder();
  copyFileSync(LOADER, join(folder, 'load-bundle.mjs'));
  writeBundle(folder, value);
  return folder;
}

function writeBundle(folder: string, value: string): void {
  writeFileSync(join(folder, 'bundle.cjs'), `(function (exports) { exports.getValue = () => ${value}; })`);
}

/** Loads the bundle in a folder, and writes its code cache. Returns the result of `getValue`, and whether V8 refused an earlier code cache. */
function loadAndCache(folder: string): { value: unknown; isRefused: boolean | undefined } {
  const program = `
    import { writeFileSync } from 'node:fs';
    import { formatCache, loadBundle, scripts } from ${JSON.stringify(join(folder, 'load-bundle.mjs'))};
    const value = loadBundle('bundle.cjs').getValue();
    const [[path, loaded]] = scripts;
    try { writeFileSync(path, formatCache(loaded)); } catch {}
    console.log(JSON.stringify({ value, isRefused: loaded.script.cachedDataRejected }));`;
  return runModule(program);
}

describe('loadBundle', () => {
  it('loads the library with the code caches of the build', () => {
    const { names, refused } = loadLibrary();
    expect(names.toSorted()).toEqual(Object.keys(library).toSorted());
    // The build starts the program, which does not load `library.cjs`.
    expect(refused.filter((isRefused) => isRefused === false).length).toBeGreaterThanOrEqual(4);
    expect(refused).not.toContain(true);
  });

  it('compiles the files if V8 refuses the caches, for example because of its options', () => {
    const { names, refused } = loadLibrary('--stack-size=900');
    expect(names.toSorted()).toEqual(Object.keys(library).toSorted());
    expect(refused).toContain(true);
    expect(refused).not.toContain(false);
  });

  it('never runs the code in the cache of an earlier file with the same length', async () => {
    const folder = await makeBundle('1');
    loadAndCache(folder);
    expect(loadAndCache(folder)).toEqual({ value: 1, isRefused: false });
    writeBundle(folder, '2');
    expect(loadAndCache(folder)).toEqual({ value: 2 });
  });

  it('compiles the file if its cache is damaged or can not be read', async () => {
    const folder = await makeBundle('1');
    loadAndCache(folder);
    const path = join(folder, readdirSync(folder).find((file) => file.endsWith('.cache')) ?? '');
    const cache = readFileSync(path);
    // The header of the cache is intact.
    writeFileSync(path, cache.fill(0, 300, cache.length - 4));
    expect(loadAndCache(folder)).toEqual({ value: 1 });
    expect(loadAndCache(folder)).toEqual({ value: 1, isRefused: false });
    writeFileSync(path, '');
    expect(loadAndCache(folder)).toEqual({ value: 1 });
    rmSync(path);
    mkdirSync(path);
    expect(loadAndCache(folder)).toEqual({ value: 1 });
  });

  it('loads a bundle with the same code cache from another folder, and no stack trace names the earlier folder', async () => {
    const folder = await makeBundle('new Error().stack');
    loadAndCache(folder);
    const moved = await tempFolder();
    cpSync(folder, moved, { recursive: true });
    const { value, isRefused } = loadAndCache(moved);
    expect(isRefused).toBe(false);
    expect(value).toContain('storefront/dist/bundle.cjs:1:');
    expect(value).not.toContain(folder);
  });
});

describe('A bundle of the build', () => {
  it('is in strict mode, like the sources', () => {
    const folder = projectFile('dist');
    const bundles = readdirSync(folder).filter((name) =>
      /^(program|library|storefront-.*|packages-.*)\.cjs$/.test(name),
    );
    expect(bundles).toHaveLength(4);
    for (const name of bundles)
      expect(readFileSync(join(folder, name), 'utf8'), name).toMatch(/^\(function \([^)]*\) \{'use strict';/);
  });
});

describe('The entry point of the package', () => {
  it('has all exports of the library', async () => {
    const entry = await import(projectFile('dist/storefront.js'));
    expect(Object.keys(entry).toSorted()).toEqual(Object.keys(library).toSorted());
  });
});
