import { tryOrUndefined } from './try-or-undefined.ts';

/** Returns a path that `decodeURIComponent` accepts. If the path contains an invalid escape, replaces each `%` with `%25`. */
export function toDecodablePath(path: string): string {
  if (!path.includes('%')) return path;
  return tryOrUndefined(() => decodeURIComponent(path)) === undefined ? path.replaceAll('%', '%25') : path;
}

/**
 * Returns the parameters of a query by name. A parameter that occurs several times has an array of values. Decision: parses queries as browsers do,
 * because front ends send search terms without encoding: `+` is a space, and a `%` without a valid escape is a percent sign.
 */
export function parseQuery(querystring: string): Readonly<Record<string, string | string[]>> {
  if (querystring === '') return {};
  const parameters = new URLSearchParams(querystring);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const values = parameters.getAll(name);
    return [name, values.length > 1 ? values : (values[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}

/** The URL path of the images. */
export const IMAGES_PATH = '/images';

/** Returns whether a path, with or without a query, is the path of an image. */
export function isImagePath(path: string): boolean {
  return path.startsWith(`${IMAGES_PATH}/`);
}

/** Returns the path of a request target, without the query. Several slashes at the start become one slash. */
export function getPathname(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('//') ? path.replace(/^\/+/, '/') : path;
}

/** Returns whether a path equals a base path or is below it. */
export function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

/** The media type of JSON. It has no charset parameter (RFC 8259), and equals the text in the contract, because the test tool dredd compares both literally. */
export const JSON_TYPE = 'application/json';

/** The media type of an HTML form. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media type of a form with files. */
export const MULTIPART_TYPE = 'multipart/form-data';

/** Returns whether a content type is `application/x-www-form-urlencoded`. */
export function isFormType(type: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type ?? '');
}
