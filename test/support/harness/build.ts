import { execFileSync } from 'node:child_process';
import { projectFile } from '../fixtures/default-data.ts';

/** Builds the program before all tests. Does nothing if the build is up to date. */
export function setup(): void {
  execFileSync(process.execPath, [projectFile('tools/build.mjs'), '--if-stale'], { stdio: 'inherit' });
}
