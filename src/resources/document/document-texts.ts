import { getTarget, isNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { formatPointer } from '../../util/json-pointer.ts';
import { normalizeName, removeAccents, splitWords } from '../../util/names.ts';
import type { Resource } from '../resource.ts';
import type { SchemaReader } from './schema-reader.ts';

/**
 * Returns what the document says about a response of an operation: its description, and the texts in its examples.
 * `status`: the name of the response, such as `409`.
 * Returns an empty text if the document lacks the response.
 */
export function readResponseText(reader: SchemaReader, route: Route, status: string): string {
  const response = route.responses.find(({ name }) => name === status);
  if (!response) return '';
  const { description } = toNode(getTarget(reader.document, `${route.pointer}/responses${formatPointer(status)}`));
  const examples = Object.values(response.media).flatMap((media) => media.examples.map(({ value }) => value));
  return removeAccents([description ?? '', ...examples.flatMap(listTexts)].join('\n\n'));
}

/** Returns the texts with several words in an example of an error. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : [];
  return isNode(value) || Array.isArray(value) ? Object.values(value).flatMap(listTexts) : [];
}

/** Matches texts that say that something is not so, without accents. */
const NEGATED = /\bnot\b|n't\b|\b(?:n'existe|pas|nicht|kein|no existe|nao existe|non esiste|inexist\w+)\b/i;

/** Returns whether a text without accents says that something is not so: `The user does not exist`. */
export function isNegated(text: string): boolean {
  return NEGATED.test(text);
}

/** Returns the sentences, paragraphs and list items of a text in Markdown, in one line each. */
export function listSentences(text: string): readonly string[] {
  const parts = text.split(/[.;!?]+(?=\s|$)|\n\s*\n|(?:^|\n)\s*[-*]\s/);
  return parts.map((part) => part.replaceAll(/\s+/g, ' ').trim()).filter(Boolean);
}

/**
 * Returns the places in the words of a text where the name of a resource begins, in the singular or the plural.
 * Separators in the name are ignored: `to-do items` has the name of `todoItems`.
 */
export function findNames(words: readonly string[], { name, singular }: Pick<Resource, 'name' | 'singular'>) {
  const own = name.split('.').at(-1) ?? '';
  const names = new Set([own, singular, `${singular}s`].map((one) => normalizeName(removeAccents(one))));
  return words.flatMap((_, start) => {
    const runs = [1, 2, 3].map((count) => words.slice(start, start + count).join(''));
    return runs.some((run) => run !== '' && names.has(run)) ? [start] : [];
  });
}

/** Returns whether a text has the name of a resource, in the singular or the plural. */
export function namesEntries(text: string, resource: Pick<Resource, 'name' | 'singular'>): boolean {
  return findNames(splitWords(removeAccents(text)), resource).length > 0;
}
