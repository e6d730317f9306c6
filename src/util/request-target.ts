import { tryOrUndefined } from './try-or-undefined.ts';

/**
 * Returns a path that `decodeURIComponent` can decode.
 * If the path contains an invalid escape, each `%` becomes `%25`.
 */
export function toDecodablePath(path: string): string {
  if (!path.includes('%')) return path;
  return tryOrUndefined(() => decodeURIComponent(path)) === undefined ? path.replaceAll('%', '%25') : path;
}

/** The maximum number of query parameters in a request. */
export const MAX_PARAMETERS = 1_000;

/** Returns whether a query has more than `MAX_PARAMETERS` parameters. Does not parse the query. */
export function hasTooManyParameters(querystring: string): boolean {
  let count = 0;
  for (let start = 0; start < querystring.length; ) {
    const separator = querystring.indexOf('&', start);
    const end = separator === -1 ? querystring.length : separator;
    if (end > start && ++count > MAX_PARAMETERS) return true;
    start = end + 1;
  }
  return false;
}

/**
 * Parses the query of a URL.
 * A parameter that occurs several times gets an array of values.
 * Decision: parses as browsers do, because front ends send search terms without encoding.
 * `+` is a space, and a `%` without a valid escape is a percent sign.
 */
export function parseQuery(querystring: string): Readonly<Record<string, string | string[]>> {
  if (querystring === '') return {};
  const parameters = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(querystring)) {
    const earlier = parameters.get(name);
    if (earlier === undefined) parameters.set(name, value);
    else if (Array.isArray(earlier)) earlier.push(value);
    else parameters.set(name, [earlier, value]);
  }
  return Object.fromEntries(parameters);
}

/** The start of the URL paths of images. */
export const IMAGES_PATH = '/images';

/** Returns whether a URL path is the path of an image. The path may include a query. */
export function isImagePath(path: string): boolean {
  return path.startsWith(`${IMAGES_PATH}/`);
}

/** The start of the URL paths of uploaded files that no operation returns. */
export const FILES_PATH = '/_files';

/** Matches the path of an uploaded file below a base path: the hash of the file, and its name. */
const FILE = /^\/_files\/([0-9a-f]{32})(?:\/[^/]*)?$/;

/**
 * Returns the hash in the path of an uploaded file: `/_files/HASH/report.pdf`.
 * The path can begin with a base path of the contract, such as `/api`.
 * Returns undefined for other paths.
 */
export function getFileHash(basePaths: readonly string[], path: string): string | undefined {
  const base = basePaths.find((one) => path.startsWith(`${one}${FILES_PATH}/`)) ?? '';
  return FILE.exec(path.slice(base.length))?.[1];
}

/** Returns the path in a request target, without the query. Several slashes at the start become one slash. */
export function getPathname(target: string): string {
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  return path.startsWith('//') ? path.replace(/^\/+/, '/') : path;
}

/** Returns whether a path equals a base path or is below it: `/pets/1` is below `/pets`, but `/petstore` is not. */
export function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

/** The URL path of the console. */
export const CONSOLE_PATH = '/_console';

/** The URL path of the API reference. */
export const REFERENCE_PATH = '/_docs';

/** Returns whether a path is below `/_console` or `/_docs`. Operations of the contract can't have such a path. */
export function isPackagePage(path: string): boolean {
  return path.startsWith('/_') && (isBelow(path, CONSOLE_PATH) || isBelow(path, REFERENCE_PATH));
}

/**
 * The media type of JSON.
 * It has no charset parameter (RFC 8259).
 * It is written exactly as in the contract, because the test tool dredd compares the two texts.
 */
export const JSON_TYPE = 'application/json';

/** The media type of an HTML form. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The media type of a form with files. */
export const MULTIPART_TYPE = 'multipart/form-data';

/** Returns whether a content type is `application/x-www-form-urlencoded`. */
export function isFormType(type: string | undefined): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(type ?? '');
}

/** Matches a path that is already a valid URI reference (RFC 3986) and contains no percent-encoding. */
const PLAIN_PATH = /^\/(?!\/)[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;

/**
 * Converts a path to a valid URI reference (RFC 3986).
 * Percent-encodes invalid characters.
 * Does not encode existing percent-encodings again.
 */
export function toUriReference(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  return path
    .replaceAll(/%(?![0-9a-fA-F]{2})/g, '%25')
    .replaceAll(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g, encodeURIComponent)
    .replace(/^\/\/+/, '/');
}

/**
 * Replaces the names of the parameters in a path template: `/pets/{petId}` becomes `/pets/{}`.
 * Two templates with the same result match the same paths.
 */
export function toPattern(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

/**
 * Returns whether a text can be a segment of a URL path.
 * Clients and servers remove empty segments, `.` and `..`
 * (RFC 3986, section 5.2.4).
 * A single surrogate can't be encoded.
 */
export function isPathSegment(text: string): boolean {
  return !['', '.', '..'].includes(text) && !/\p{Surrogate}/u.test(text);
}

/** Replaces the parameters in a path template by their values, percent-encoded: `/pets/{petId}` becomes `/pets/7`. */
export function fillPath({ path, parameters }: PathWithStyles, values: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{([^}]*)\}/g, (_text, name: string) => {
    const { prefix = '' } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {};
    return prefix + encodeURIComponent(values[name] ?? '');
  });
}

/** A path template, and the prefixes that the styles `label` and `matrix` add to the values of its parameters. */
interface PathWithStyles {
  readonly path: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly prefix: string }[];
}

/** The methods that change no data (RFC 9110, section 9.2.1, and the HTTP Method Registry of IANA). */
export const SAFE_METHODS: readonly string[] = [
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'QUERY',
  'PROPFIND',
  'REPORT',
  'SEARCH',
];
