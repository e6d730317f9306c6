import { splitWords } from '../../util/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import type { Resource } from '../resource.ts';
import type { IdBounds, QueryField } from './list-query.ts';

/** Words of a description that is about times and not about ids. */
const OF_TIME = /\b(?:time|times|timestamps?|dates?|days?|unix|epoch|iso|seconds?|milliseconds?|ms)\b/;

/**
 * Returns the query parameters `before` and `after` that have the id of an entry by their type and their description:
 * `Only messages before this message`.
 * Returns undefined if only `after` has one, because it is a cursor by its name.
 */
export function findIdBounds(
  reader: SchemaReader,
  resource: Resource,
  fields: readonly QueryField[],
): IdBounds | undefined {
  const find = (word: string) => {
    const named = fields.filter(({ labels }) => labels.some((label) => isNamed(label, word)));
    const [only, ...others] = named;
    return only && others.length === 0 && hasId(reader, resource, only, word) ? only.name : undefined;
  };
  const [before, after] = [find('before'), find('after')];
  const isPlain = !fields.some(({ labels }) => labels.some((label) => isNamed(label, 'after')));
  if (before === undefined || (after === undefined && !isPlain)) return undefined;
  return { before, ...(after !== undefined && { after }) };
}

/** Returns whether a parameter is `before`, `before_id` or `beforeMessageId`. */
function isNamed(label: string, word: string): boolean {
  const [first, ...others] = splitWords(label);
  return first === word && (others.length === 0 || others.at(-1) === 'id');
}

/** Returns whether the values of a parameter have the type of the ids, and its description is about an entry. */
function hasId(
  reader: SchemaReader,
  { schema, id, singular }: Resource,
  { schema: own, types, description }: QueryField,
  word: string,
): boolean {
  const pointer = schema === '' ? undefined : reader.getProperties(schema).get(id.property ?? '');
  const text = splitWords(description).join(' ');
  if (pointer === undefined || !new RegExp(`\\b${word}\\b`).test(text) || OF_TIME.test(text)) return false;
  const isNumber = types.length > 0 && types.every((type) => type === 'integer');
  const names = ['this', 'that', 'the', 'the given', 'the specified', 'a given', 'a specific', 'which'];
  const isEntry = new RegExp(
    `\\bids?\\b|\\b${word} (?:${names.join('|')}) (?:${splitWords(singular).join(' ')}|entry|item)\\b`,
  );
  if (!isEntry.test(text)) return false;
  if (isNumber) return reader.allowsNumber(pointer);
  const hasFormat = reader.getKeyword(own, 'format') === reader.getKeyword(pointer, 'format');
  return types.join() === 'string' && reader.getTypes(pointer).includes('string') && hasFormat;
}
