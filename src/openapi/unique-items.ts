import type * as AjvPackage from 'ajv';
import { loadPackage } from '../util/load-package.ts';

/**
 * Creates the definition of the keyword `uniqueItems` for ajv.
 * It replaces ajv's own, which compares each entry with all others if the entries can be objects or arrays.
 * The errors are the same.
 */
export function createUniqueItems(): AjvPackage.CodeKeywordDefinition {
  const { _, str } = loadPackage<typeof AjvPackage>('ajv');
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: {
      message: ({ params: { i, j } }) => str`must NOT have duplicate items (items ## ${j} and ${i} are identical)`,
      params: ({ params: { i, j } }) => _`{i: ${i}, j: ${j}}`,
    },
    code(context) {
      const { gen, data, schema } = context;
      if (schema !== true) return;
      // The code of precompiled validators calls the function by this name.
      const find = gen.scopeValue('func', { ref: findEqualEntries, code: _`findEqualEntries` });
      const found = gen.const('equalEntries', _`${find}(${data})`);
      context.setParams({ i: _`${found}[0]`, j: _`${found}[1]` });
      context.fail(_`${found} !== undefined`);
    },
  };
}

/**
 * Returns the indexes of two equal entries of a list, the smaller index first.
 * Returns undefined if all entries are different.
 * Two objects are equal if they have the same properties in any order.
 * The time is linear in the size of the list, except for sorting the names of properties.
 */
export function findEqualEntries(list: readonly unknown[]): readonly [earlier: number, later: number] | undefined {
  const scalars = new Map<unknown, number>();
  const texts = new Map<string, number>();
  for (const [index, entry] of list.entries()) {
    const isScalar = typeof entry !== 'object' || entry === null;
    const [indexes, key] = isScalar ? [scalars, entry] : [texts as Map<unknown, number>, formatCanonically(entry)];
    const earlier = indexes.get(key);
    if (earlier !== undefined) return [earlier, index];
    indexes.set(key, index);
  }
  return undefined;
}

/** Formats a JSON value as text. Equal values have the same text: the properties of objects are sorted. */
function formatCanonically(value: unknown): string {
  // A number that is too large is not null, as `JSON.stringify` would format it.
  if (typeof value === 'number') return String(value === 0 ? 0 : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(formatCanonically).join()}]`;
  const names = Object.keys(value).sort();
  const properties = names.map(
    (name) => `${JSON.stringify(name)}:${formatCanonically((value as Readonly<Record<string, unknown>>)[name])}`,
  );
  return `{${properties.join()}}`;
}
