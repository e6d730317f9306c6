import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import * as library from '../../src/index.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

/** Loads the library with `loadBundle` in a process with V8 options. Returns its exports, and for each loaded file whether V8 refused its code cache. */
function loadLibrary(...v8Options: readonly string[]): { names: string[]; refused: (boolean | undefined)[] } {
  const program = `
    import { loadBundle, scripts } from ${JSON.stringify(projectFile('dist/load-bundle.js'))};
    const names = Object.keys(loadBundle('library.cjs'));
    console.log(JSON.stringify({ names, refused: [...scripts.values()].map((script) => script.cachedDataRejected) }));`;
  const args = [...v8Options, '--input-type=module', '--eval', program];
  return JSON.parse(
    execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } }),
  );
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
});

describe('The entry point of the package', () => {
  it('has all exports of the library', async () => {
    const entry = await import(projectFile('dist/storefront.js'));
    expect(Object.keys(entry).toSorted()).toEqual(Object.keys(library).toSorted());
  });
});
