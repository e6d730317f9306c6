import { readFileSync } from 'node:fs';
import { getPackageFile } from '../package-file.ts';

/** The version of this package. */
export const version: string = JSON.parse(readFileSync(getPackageFile('package.json'), 'utf8')).version;
