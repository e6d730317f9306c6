import type * as Re2 from 're2js';
import { loadPackage } from './load-package.ts';

/**
 * Loads the package re2js, which matches regular expressions without backtracking.
 * Loading takes 7 ms, and most servers do not need it.
 */
export function loadRe2(): typeof Re2 {
  return loadPackage('re2js');
}
