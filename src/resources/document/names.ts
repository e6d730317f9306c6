import { normalizeName } from '../../util/names.ts';
import { toPattern } from '../../util/request-target.ts';

/**
 * Returns the name of the path parameter in a segment such as `{petId}` or `{petId}.json`; undefined if the segment is
 * not a parameter.
 */
export function getParameterName(segment: string): string | undefined {
  return /^\{([^{}]+)\}(?:\.\w+)?$/.exec(segment)?.[1];
}

/**
 * Normalizes a path template: `/pets/` and `/pets.json` become `/pets`.
 * An OData key in parentheses becomes a segment: `/pets({petId})` becomes `/pets/{petId}`.
 */
export function toTemplate(path: string): string {
  return path.replace(/(?<=.)\/$|\.(?:json|xml|\{format\})$/, '').replaceAll(/(?<=\w)\('?(\{[^{}]+\})'?\)/g, '/$1');
}

/**
 * Normalizes a path template and removes the names of its parameters.
 * So `/pets/{id}` and `/pets/{petId}` can be compared.
 */
export function getPathForm(path: string): string {
  return toPattern(toTemplate(path));
}

/** Returns the path template without its last segment. */
export function getParentPath(path: string): string {
  const template = toTemplate(path);
  return template.slice(0, template.lastIndexOf('/'));
}

/** Returns the last segment of a path template. */
export function getLastSegment(path: string): string {
  const template = toTemplate(path);
  return template.slice(template.lastIndexOf('/') + 1);
}

/** Matches segments that stand for the user who sends a request, such as `/me/tasks`. */
export const OWN_SEGMENT =
  /^(?:me|mine|self|myself|mias|mios|minhas|meus|mis(?:[-_].+)?|mes[-_].+|meine(?:[-_].+)?)$|^my(?:[-_].+)?$/i;

/** Returns whether a path ends with a word for the user, such as `/blocks/me`: its entries are those of other paths. */
export function endsWithOwner(path: string): boolean {
  return /.\/(?:me|my|mine|self|myself|mias|mios|minhas|meus)$/i.test(toTemplate(path));
}

/** Matches the end of an id's name, such as `petid`. The name must have no uppercase letters and no separators. */
const ID_ENDING = /(?:id|uuid|guid|identifier)$/;

/** Names of properties, other than ids, that often identify an entry. */
export const TEXT_KEYS = ['slug', 'key', 'code', 'login', 'username', 'handle', 'name', 'number', 'title'];

/**
 * Returns the names that the property for a path parameter can have, the best first: `petid` and `id` for `petId`.
 * The names have no uppercase letters and no separators.
 * `singular`: the name of an entry, such as `pet`.
 */
export function getKeyNames(parameter: string, singular: string): readonly string[] {
  const own = normalizeName(parameter);
  const entry = normalizeName(singular);
  const rest = own.includes(entry) && own !== entry ? [own.replace(entry, '')] : [];
  // `{task_try_number}` can be the property `try_number` or `number`.
  const words = parameter.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/);
  const tails = words.map((_, index) => normalizeName(words.slice(index).join('')));
  const first = normalizeName(getAlternatives(parameter)[0] ?? '');
  const ids =
    ID_ENDING.test(first) || own === entry ? ['id', `${entry}id`, `id${entry}`, 'uuid', 'guid', 'identifier'] : [];
  const texts = own === entry ? TEXT_KEYS : [];
  return [...new Set([own, first, ...rest, ...ids, ...tails, ...texts])];
}

/**
 * Splits the name of a path parameter that can be one of several properties: `id_or_slug` into `id` and `slug`, and
 * `idOrSlug` into `id` and `Slug`.
 */
export function getAlternatives(parameter: string): readonly string[] {
  return parameter.split(/_or_|Or(?=[A-Z])/);
}

/** Returns a noun with its indefinite article, such as `an order`. */
export function addArticle(singular: string): string {
  return /^(?:[aeio]|u(?!ni|s))/i.test(singular) ? `an ${singular}` : `a ${singular}`;
}

/** Returns whether a path is that of a search in other lists: `/search`, `/external-search` or `/autocomplete`. */
export function isSearchPath(path: string): boolean {
  return /^(?:[a-z]+[-_])*(?:global|quick|fulltext)?(?:search|autocomplete|typeahead|suggest|suggestions|lookup)$/i.test(
    getLastSegment(path),
  );
}
