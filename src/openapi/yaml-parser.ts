import type * as JsYaml from 'js-yaml';
import { loadPackage } from '../util/load-package.ts';

/** Returns the module js-yaml, which is loaded on first use. A server with a precompiled contract does not load it. */
export function loadYamlParser(): typeof JsYaml {
  return loadPackage('js-yaml');
}
