import type * as JsYaml from 'js-yaml';
import { loadPackage } from '../util/load-package.ts';

/** Loads js-yaml on first use. A contract that is precompiled does not need it. */
export function loadYamlParser(): typeof JsYaml {
  return loadPackage('js-yaml');
}
