/** A path that decodes: where its escapes are broken, each `%` is taken as written, as in a query. */
export function toDecodablePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    // Its result is used, since a bundler takes a call whose result isn't for one that does nothing.
    return decodeURIComponent(path) === '' ? '' : path;
  } catch {
    // The only way in which decodeURIComponent fails is a broken escape.
    return path.replaceAll('%', '%25');
  }
}

/** A query by the names in it. Ours: read as browsers do, since terms come unencoded from front ends: `+` is a space, a `%` that starts no escape is taken as written. */
export function parseQuery(querystring: string): Readonly<Record<string, string | string[]>> {
  if (querystring === '') return {};
  const parameters = new URLSearchParams(querystring);
  const entries = [...new Set(parameters.keys())].map((name) => {
    const values = parameters.getAll(name);
    return [name, values.length > 1 ? values : (values[0] ?? '')] as const;
  });
  return Object.fromEntries(entries);
}

/** The path below which the images are. */
export const IMAGES_PATH = '/images';

/** Whether a path, or a target with a query, is that of an image. */
export function isImagePath(path: string): boolean {
  return path.startsWith(`${IMAGES_PATH}/`);
}

/** The path of a target, as the shop's operations are found by it. */
export function getPathname(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('//') ? path.replace(/^\/+/, '/') : path;
}

/** Whether a body of this content type is a form, which is written as a query is. */
export function isFormType(type: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type ?? '');
}
