import { isLoginPath, isLogoutPath, isTokenRefreshPath } from '../openapi/login-paths.ts';
import type { Route } from '../openapi/routes.ts';
import type { Credential } from '../openapi/security.ts';
import { isSecretName } from '../util/redact-secrets.ts';
import type { RequestToSend } from './exchange.ts';

/**
 * The token or API key that the check sends if the user has specified no credentials.
 * Mock servers accept any well-formed credentials.
 */
const TOKEN = 'storefront-check';

/**
 * The bearer token that the check sends to a storefront server: like those of logins, a JSON Web Token without a
 * signature (RFC 7519, section 6). If an operation logs users in, the server accepts no others. It names no user.
 */
const STOREFRONT_TOKEN = `${encode({ alg: 'none', typ: 'JWT' })}.${encode({ client_id: TOKEN })}.`;

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/**
 * The values of the `Authorization` header for the schemes `bearer` and `basic`.
 * Basic credentials are a user name and a password in Base64.
 * For any other scheme, the header contains the name of the scheme and the token.
 */
const AUTHORIZATIONS: Readonly<Record<string, string>> = {
  bearer: `Bearer ${TOKEN}`,
  basic: `Basic ${Buffer.from(`storefront:${TOKEN}`).toString('base64')}`,
};

/** What the user sends with every request: headers by lower-case name, and query parameters. */
export interface CommonInput {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Returns what the user sends with each request to one operation. */
  readonly getOwnInput?: (route: Route) => Pick<CommonInput, 'headers' | 'query'>;
}

/**
 * Adds credentials to a request, for one security requirement of its operation: the first for which the user has
 * specified a credential, else the first.
 * Adds only the credentials that the user has not specified.
 * Also adds the query parameters of the user, and the headers for the operation.
 */
export function addCredentials(route: Route, client: CommonInput, request: RequestToSend): RequestToSend {
  const { security } = route;
  const common = getInput(route, client);
  const isGiven = (credential: Credential) => isSpecified(common, credential);
  const requirement =
    security.find((each) => each.length > 0 && each.every(isGiven)) ??
    security.find((each) => each.some(isGiven)) ??
    security[0] ??
    [];
  const missing = requirement.filter((credential) => !isGiven(credential));
  const target = Object.entries(common.query).reduce(
    (changed, [name, value]) => addParameter(changed, name, value),
    request.target,
  );
  const headers = { ...client.getOwnInput?.(route).headers, ...request.headers };
  const completed: RequestToSend = { ...request, headers, target };
  return missing.reduce<RequestToSend>((changed, credential) => addCredential(common, changed, credential), completed);
}

/** Adds generated credentials to a request, in place of those of the user. */
export function addGeneratedCredentials(route: Route, request: RequestToSend): RequestToSend {
  return addCredentials(route, { headers: {}, query: {} }, request);
}

/** Returns whether the user has specified a credential of an operation. */
export function hasGivenCredentials(route: Route, client: CommonInput): boolean {
  const common = getInput(route, client);
  return route.security.flat().some((credential) => isSpecified(common, credential));
}

/**
 * Returns whether an operation logs a user in or renews a token, so that it refuses all requests without the secret of
 * a user.
 */
export function isLogin({ method, path, knownNames }: Route): boolean {
  const hasSecret = () => knownNames.body.some(isSecretName);
  return method === 'POST' && (isLoginPath(path, hasSecret) || isTokenRefreshPath(path));
}

/** Returns whether the path of an operation is that of a change of a password, such as `/auth/change-password`. */
export function changesPassword({ method, path }: Route): boolean {
  return method !== 'GET' && /pass(?:word|code|phrase)[^/]*$/i.test(path);
}

/** Returns whether an operation logs a user out, so that the server refuses the credentials of later requests. */
export function isLogout({ path, pathNames }: Route): boolean {
  return pathNames.length === 0 && isLogoutPath(path);
}

/** Returns what the user sends with each request to an operation. */
export function getInput(route: Route, client: CommonInput): CommonInput {
  const { headers, query } = client.getOwnInput?.(route) ?? {};
  return { headers: { ...client.headers, ...headers }, query: { ...client.query, ...query } };
}

/** Returns whether the check uses a sandbox of a storefront server. */
export function isStorefront({ headers }: Pick<CommonInput, 'headers'>): boolean {
  return Object.hasOwn(headers, 'x-sandbox');
}

/** Returns whether the user has specified a credential. */
function isSpecified({ headers, query }: CommonInput, { in: location, name }: Credential): boolean {
  if (location === 'query') return Object.hasOwn(query, name);
  if (location === 'header') return Object.hasOwn(headers, name);
  return (headers.cookie ?? '').split(';').some((pair) => pair.trim().startsWith(`${name}=`));
}

function addCredential(common: CommonInput, request: RequestToSend, credential: Credential): RequestToSend {
  const { headers = {}, target } = request;
  const { in: location, name, scheme } = credential;
  if (location === 'query') return { ...request, target: addParameter(target, name, TOKEN) };
  if (location === 'cookie') {
    const cookies = [headers.cookie ?? common.headers.cookie ?? [], `${name}=${TOKEN}`].flat();
    return { ...request, headers: { ...headers, cookie: cookies.join('; ') } };
  }
  if (scheme === 'bearer' && isStorefront(common))
    return { ...request, headers: { [name]: `Bearer ${STOREFRONT_TOKEN}`, ...headers } };
  const value = scheme === undefined ? TOKEN : (AUTHORIZATIONS[scheme] ?? `${scheme} ${TOKEN}`);
  return { ...request, headers: { [name]: value, ...headers } };
}

/** Adds a query parameter to a request target, unless the target already has it. */
function addParameter(target: string, name: string, value: string): string {
  const parameter = encodeURIComponent(name);
  if (new RegExp(`[?&]${parameter.replaceAll(/[.*()']/g, String.raw`\$&`)}=`).test(target)) return target;
  return `${target}${target.includes('?') ? '&' : '?'}${parameter}=${encodeURIComponent(value)}`;
}

/** Headers of the user that contain no credentials. A request without credentials has only these. */
export const NEUTRAL_HEADERS: readonly string[] = [
  'accept',
  'accept-encoding',
  'accept-language',
  'host',
  'origin',
  'user-agent',
  'x-sandbox',
];

/**
 * Returns the headers of the user that a request has: all, or only those without credentials if the request is
 * anonymous.
 */
export function getCommonHeaders(
  headers: Readonly<Record<string, string>>,
  { isAnonymous }: RequestToSend,
): Readonly<Record<string, string>> {
  if (isAnonymous !== true) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => NEUTRAL_HEADERS.includes(name)));
}
