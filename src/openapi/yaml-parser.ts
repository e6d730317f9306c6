import type * as JsYaml from 'js-yaml';
import { loadPackage } from '../util/load-package.ts';
import { toExactNumber } from './inexact-data.ts';

/** Returns the module js-yaml, which is loaded on first use. A server with a precompiled contract does not load it. */
export function loadYamlParser(): typeof JsYaml {
  return loadPackage('js-yaml');
}

/** The types of the standard schemas, which the type definitions of js-yaml lack. */
type StandardTypes = Readonly<Record<'merge' | 'int', JsYaml.Type>>;

let schema: JsYaml.Schema | undefined;

/**
 * Returns the core schema of YAML 1.2, with the merge key of YAML 1.1.
 * An integer that JavaScript can't represent becomes an `InexactNumber`.
 */
export function getYamlSchema(): JsYaml.Schema {
  const { CORE_SCHEMA, Type, types } = loadYamlParser() as typeof JsYaml & { readonly types: StandardTypes };
  schema ??= CORE_SCHEMA.extend({
    implicit: [
      types.merge,
      new Type('tag:yaml.org,2002:int', {
        kind: 'scalar',
        resolve: types.int.resolve,
        construct: (text: string) => toExactNumber(text, types.int.construct(text)),
      }),
    ],
  });
  return schema;
}
