import { tryOrUndefined } from './try-or-undefined.ts';

/** Returns a path that `decodeURIComponent` accepts: if an escape is invalid, each `%` stands for itself, as in a query. */
export function toDecodablePath(path: string): string {
  if (!path.includes('%')) return path;
  // decodeURIComponent throws only for an invalid escape.
  return tryOrUndefined(() => decodeURIComponent(path)) === undefined ? path.replaceAll('%', '%25') : path;
}

/**
 * Returns the parameters of a query by name; a repeated one has an array. Decision: read as browsers do, since front ends send search terms without
 * encoding them: `+` is a space, and a `%` that starts no escape stands for itself.
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

/** The path of the folder of images. */
export const IMAGES_PATH = '/images';

/** Returns whether a path, with or without a query, is that of an image. */
export function isImagePath(path: string): boolean {
  return path.startsWith(`${IMAGES_PATH}/`);
}

/** Returns the path of a request target, without the query, and with one slash at the start. */
export function getPathname(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('//') ? path.replace(/^\/+/, '/') : path;
}

/** Returns whether a content type is that of a URL-encoded form. */
export function isFormType(type: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type ?? '');
}
