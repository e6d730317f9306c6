import { normalizeName } from '../util/normalize-name.ts';
import { toPattern } from '../util/path-template.ts';

/** The name of a path parameter in a path segment such as `{petId}` or `{petId}.json`; undefined if the segment has no parameter. */
export function getParameterName(segment: string): string | undefined {
  return /^\{([^{}]+)\}(?:\.\w+)?$/.exec(segment)?.[1];
}

/** Returns the path without a slash or a file extension such as `.json` at its end. */
export function removeEnding(path: string): string {
  return path.replace(/(?<=.)\/$|\.(?:json|xml|\{format\})$/, '');
}

/** Returns a path template without the names of its parameters, and without a slash or a file extension at its end. */
export function getPathForm(path: string): string {
  return toPattern(removeEnding(path));
}

/** Returns the path template without its last segment. */
export function getParentPath(path: string): string {
  return path.slice(0, removeEnding(path).lastIndexOf('/'));
}

/** Returns the last segment of a path template. */
export function getLastSegment(path: string): string {
  const template = removeEnding(path);
  return template.slice(template.lastIndexOf('/') + 1);
}

/** The endings of names that are ids. */
const ID_ENDING = /(?:id|uuid|guid|identifier)$/;

/** The names of properties that often identify an entry, besides ids. */
export const TEXT_KEYS = ['slug', 'key', 'code', 'login', 'username', 'handle', 'name', 'number', 'title'];

/**
 * Returns the normalized names that the property with the value of a path parameter can have, the best first. `singular`: the name of an entry, such as `pet` for
 * the parameter `petId`.
 */
export function getKeyNames(parameter: string, singular: string): readonly string[] {
  const own = normalizeName(parameter);
  const entry = normalizeName(singular);
  const rest = own.includes(entry) && own !== entry ? [own.replace(entry, '')] : [];
  // `{task_try_number}` names `try_number` or `number`.
  const words = parameter.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/);
  const tails = words.map((_, index) => normalizeName(words.slice(index).join('')));
  // `{idOrSlug}` and `{id_or_slug}` name `id`.
  const first = normalizeName(parameter.split(/_or_|Or(?=[A-Z])/)[0] ?? '');
  const ids = ID_ENDING.test(first) || own === entry ? ['id', `${entry}id`, 'uuid', 'guid', 'identifier'] : [];
  const texts = own === entry ? TEXT_KEYS : [];
  return [...new Set([own, first, ...rest, ...ids, ...tails, ...texts])];
}

/** Returns the name of an entry with its article: `an order`. */
export function addArticle(singular: string): string {
  return /^(?:[aeio]|u(?!ni|s))/i.test(singular) ? `an ${singular}` : `a ${singular}`;
}
