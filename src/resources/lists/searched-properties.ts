import { normalizeName, removeAccents, splitWords, toSingular } from '../../util/names.ts';
import type { FilterProperty } from './list-filters.ts';

/** Words of a description that says that a search also reads other properties than it names, in several languages. */
const OF_ALL = new RegExp(
  `\\b(?:${[
    'all|any|every|etc|e\\.?g|such as|like|including|full[- ]?text|fields?|properties',
    'tous|toutes?|tout|chaque|champs?|comme|notamment|exemple|ex|texte integral',
    'tod[oa]s? (?:el|l[oa]s|[oa]s?)|cualquier|campos?|como|ejemplo|qualquer|exemplo|incluindo|incluyendo',
    'alle[mnrs]?|jede[mnrs]?|felder\\w*|wie|usw|z\\.?\\s?b|volltext|tutt[ie]|ogni|campi|come|ecc|esempio',
  ].join('|')})\\b`,
);

/**
 * Returns the text properties that the description of a search names: `title` and `author` for `Search term for title
 * or author`. Returns undefined if it names none, or other properties too.
 */
export function findSearched(
  description: string,
  properties: readonly FilterProperty[],
): readonly string[] | undefined {
  if (OF_ALL.test(removeAccents(description).toLowerCase())) return undefined;
  const text = splitWords(description).join(' ');
  const [, after] = /\b(?:by|in|for|of|on|within|across|against|match\w*|contain\w*) (.+)$/.exec(text) ?? [];
  if (after === undefined) return findListed(description, properties);
  const names = properties.flatMap(({ name, isText, isList }) => {
    const words = splitWords(name).join(' ');
    const one = isList ? toSingular(words) : words;
    return isText && words !== '' && new RegExp(`\\b(?:${words}|${one})(?:s|es)?\\b`).test(after) ? [name] : [];
  });
  return names.length === 0 ? findListed(description, properties) : names;
}

/** Matches words before the properties that a search reads, in languages other than English. */
const BEFORE_NAMES =
  /(?:^|\s)(?:par|dans|sur|selon|por|en|sobre|segun|em|pel[oa]s?|nach|uber|in|per|su|op|naar)(?=\s)/g;

/** Matches what separates the names of properties: a comma, a slash, or a word for `or` or `and`. */
const SEPARATOR = /[,/|]|\s(?:ou|o|u|oder|und|et|e|y|or|and|of|en)\s/;

/** Matches words before the name of a property in a list of names. */
const ARTICLES =
  /^(?:(?:par|dans|sur|por|en|em|nach|in|per|the|le|la|les|l'|el|los|las|o|a|os|as|der|die|das|dem|den|il|lo|son|sa|su|seu|sua)\s+|l')+/;

/** Matches words after the name of a property, such as `de l'utilisateur`. */
const REST = /^(?:de|du|des|d'|del|do|da|dos|das|der|von|vom|di|dans|en|em|in)(?![a-z])/;

/**
 * Returns the text properties in a description in any language that lists only such properties after a preposition, as
 * in `Recherche par nom ou email`, or that consists of at least two of their names.
 */
function findListed(description: string, properties: readonly FilterProperty[]): readonly string[] | undefined {
  const [first = ''] = removeAccents(description)
    .toLowerCase()
    .split(/[.;(\n]/);
  const text = first.replaceAll('\u2019', "'").trim();
  const lists = [...text.matchAll(BEFORE_NAMES)].map((match) => text.slice(match.index + match[0].length));
  const named = lists.map((list) => readNames(list, properties)).find((names) => names !== undefined);
  if (named) return named;
  const all = readNames(text.slice(text.indexOf(':') + 1), properties);
  return all && all.length > 1 ? all : undefined;
}

/** Returns the text properties that a list of names consists of. Returns undefined if it has another word. */
function readNames(list: string, properties: readonly FilterProperty[]): readonly string[] | undefined {
  const parts = list.split(SEPARATOR).map((part) => part.trim().replace(ARTICLES, ''));
  const found = parts.map((part) => properties.find((property) => property.isText && startsWithName(part, property)));
  const names = found.flatMap((property) => property?.name ?? []);
  return names.length === parts.length ? [...new Set(names)] : undefined;
}

/** Returns whether a text is the name of a property, with nothing behind it but words such as `of the user`. */
function startsWithName(text: string, { name }: FilterProperty): boolean {
  const words = text.split(/\s+/);
  return words.some((_word, index) => {
    const start = normalizeName(words.slice(0, index + 1).join(' '));
    const rest = words.slice(index + 1).join(' ');
    return [normalizeName(name), `${normalizeName(name)}s`].includes(start) && (rest === '' || REST.test(rest));
  });
}
