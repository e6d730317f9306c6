import type { IncomingHttpHeaders } from 'node:http';
import { findCookie, listCookieValues } from '../openapi/parameters.ts';
import { type Credential, SESSION_COOKIE } from '../openapi/security.ts';
import type { ServerOptions } from '../options.ts';
import type { HttpProblem, Violation } from '../util/problem.ts';

/** The parts of a request that can contain credentials. `query`: the parsed query. */
interface CredentialSource {
  readonly headers: IncomingHttpHeaders;
  readonly query: Readonly<Record<string, string | string[]>>;
}

/**
 * A token that the server accepts. If `scopes` is undefined, the token has all scopes.
 * `user`: the id or the login of the user that the token names.
 */
interface Token {
  readonly value: string;
  readonly scopes: readonly string[] | undefined;
  readonly user: string | undefined;
}

/**
 * Checks the credentials of a request.
 * Returns a problem (error response) if they are not accepted.
 * Otherwise returns the id or the login of the user that the option `auth` names for the token, or undefined.
 * `security`: the alternatives that the contract accepts.
 * The request must have all credentials of one alternative.
 */
export type Authenticate = (
  security: readonly (readonly Credential[])[],
  sent: CredentialSource,
) => HttpProblem | string | undefined;

/** The result of checking one credential. `unscoped`: the token is valid, but lacks a required scope. */
type CredentialResult = 'missing' | 'invalid' | 'unscoped' | 'accepted';

/**
 * Creates the function that checks the credentials of requests.
 * `auth`: the server option.
 * `realm`: the name of the API in the header `WWW-Authenticate`.
 * `isIssued`: returns whether a text is a token that a login has returned. Such tokens are accepted too.
 * `hasLogin`: whether all bearer tokens are from logins, unless the option names them.
 */
export function createAuthentication(
  auth: ServerOptions['auth'] = 'form',
  { realm, ...logins }: LoginTokens & { readonly realm: string },
): Authenticate {
  if (auth === 'off') return () => undefined;
  const tokens = { ...logins, named: auth === 'form' ? undefined : auth.map(parseToken) };
  const quotedRealm = `realm="${realm.replaceAll(/[^\x20-\x7e]|["\\]/g, '')}"`;
  return (security, sent) => {
    const checked = security.map((requirement) =>
      requirement.map((credential) => ({ credential, ...checkCredential(credential, sent, tokens) })),
    );
    const accepted = checked.filter((credentials) => credentials.every(({ result }) => result === 'accepted'));
    if (accepted.length > 0) return accepted.flat().find(({ user }) => user !== undefined)?.user;
    const unscoped = checked.find((each) => each.every(({ result }) => result === 'accepted' || result === 'unscoped'));
    if (unscoped) return createScopeProblem(unscoped, quotedRealm);
    const isSent = checked.flat().some(({ result }) => result !== 'missing');
    return createCredentialsProblem(security, { isSent, realm: quotedRealm, tokens });
  };
}

/**
 * Parses a token of the option `auth`.
 * `abc` is a token with all scopes.
 * `abc=read+write` is the token `abc` with the scopes `read` and `write`.
 * `abc=@7` and `abc=read+@7` are tokens of the user whose id or login is `7`.
 * In `YWJj==`, the `=` at the end are part of the token.
 */
function parseToken(text: string): Token {
  const [, value, scopes] = /^(.+?)=(?!=*$)(.*)$/.exec(text) ?? [];
  const [, limited, user] = /^(?:(.*?)\+)?@(.+)$/.exec(scopes ?? '') ?? [undefined, scopes];
  return { value: value ?? text, scopes: limited?.split('+'), user };
}

/** What is known about the tokens of logins. */
interface LoginTokens {
  readonly isIssued: (text: string) => boolean;
  readonly hasLogin: boolean;
}

/** The tokens that the server accepts. `named`: those of the option `auth`. Undefined if it accepts others too. */
interface AcceptedTokens extends LoginTokens {
  readonly named: readonly Token[] | undefined;
}

/** Matches a bearer token (RFC 6750, section 2.1). */
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

function checkCredential(
  credential: Credential,
  sent: CredentialSource,
  { named, isIssued, hasLogin }: AcceptedTokens,
): { readonly result: CredentialResult; readonly user?: string | undefined } {
  const own = findValue(credential, sent);
  const cookie = own === undefined ? findTokenCookie(credential, sent, isIssued) : undefined;
  const value = own ?? (named && !isIssued(cookie ?? '') ? undefined : cookie);
  if (value === undefined) return { result: 'missing' };
  if (!hasValidFormat(credential, value)) return { result: 'invalid' };
  const texts = getTokenCandidates(credential, value);
  const isOfLogin = hasLogin && credential.scheme === 'bearer';
  if (!named) return { result: !isOfLogin || texts.some(isIssued) ? 'accepted' : 'invalid' };
  const token = named.find((accepted) => texts.includes(accepted.value));
  if (!token) return { result: texts.some(isIssued) ? 'accepted' : 'invalid' };
  const { user } = token;
  const hasScopes = credential.scopes.every((scope) => token.scopes?.includes(scope) ?? true);
  return { result: hasScopes ? 'accepted' : 'unscoped', user };
}

/**
 * Returns the token of a cookie that stands for another credential: a login without a token in its response sets
 * `session`, and the cookie that a login sets also stands for the others of the document, such as `refresh_token`.
 */
function findTokenCookie(
  { in: location, scheme }: Credential,
  { headers }: CredentialSource,
  isIssued: LoginTokens['isIssued'],
): string | undefined {
  if (location === 'cookie') return listCookieValues(headers.cookie).find(isIssued);
  return scheme === 'bearer' ? findCookie(headers.cookie, SESSION_COOKIE) : undefined;
}

/**
 * Returns the value of a credential in a request, without its scheme: `abc` for `Bearer abc`.
 * Returns undefined if the request does not contain the credential, or has another scheme.
 */
function findValue(
  { in: location, name, scheme }: Credential,
  { headers, query }: CredentialSource,
): string | undefined {
  if (location === 'query') return [query[name]].flat()[0];
  if (location === 'cookie') return findCookie(headers.cookie, name);
  const header = headers[name]?.toString();
  if (scheme === undefined || header === undefined) return header;
  const [, sentScheme = '', value = ''] = /^(\S+)\s*(.*)$/.exec(header) ?? [];
  return sentScheme.toLowerCase() === scheme ? value : undefined;
}

function hasValidFormat({ scheme }: Credential, value: string): boolean {
  if (scheme === 'bearer') return TOKEN68.test(value);
  if (scheme === 'basic') return TOKEN68.test(value) && decodeBase64(value).includes(':');
  return value.trim() !== '';
}

/**
 * Returns the texts of a credential that may be equal to an accepted token.
 * For the scheme `Basic`, these are the value and the decoded `user:password`.
 * For an API key in the header `Authorization`, they are the whole header and its part after a scheme.
 * For any other credential, it is the value.
 */
function getTokenCandidates({ name, scheme }: Credential, value: string): readonly string[] {
  if (scheme === 'basic') return [value, decodeBase64(value)];
  return name === 'authorization' ? [value, value.replace(/^\S+ +/, '')] : [value];
}

function decodeBase64(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

/**
 * Values for creating the response to missing or invalid credentials.
 * `isSent`: whether the request has credentials.
 * `realm`: the parameter `realm` of `WWW-Authenticate`.
 */
interface Challenge {
  readonly isSent: boolean;
  readonly realm: string;
  readonly tokens: AcceptedTokens;
}

function createCredentialsProblem(
  security: readonly (readonly Credential[])[],
  { isSent, realm, tokens }: Challenge,
): HttpProblem {
  const needed = security.map((requirement) => requirement.map(describeCredential).join(' and ')).join(', or ');
  const isOfLogin = tokens.hasLogin && security.flat().some(({ scheme }) => scheme === 'bearer');
  const source = tokens.named ? ' with one of the tokens in --auth' : isOfLogin ? ' with the token of a login' : '';
  const remedy = `send ${needed}${source}`;
  const detail = `the credentials are ${isSent ? 'invalid' : 'missing'}: ${remedy}`;
  const challenges = security.flat().map((credential) => createChallenge(credential, realm, isSent));
  return {
    code: 'credentials-required',
    detail,
    violations: createViolations(security[0] ?? [], remedy),
    headers: { 'WWW-Authenticate': [...new Set(challenges)].join(', ') },
  };
}

function createScopeProblem(
  requirement: readonly { readonly credential: Credential; readonly result: CredentialResult }[],
  realm: string,
): HttpProblem {
  const credentials = requirement.filter(({ result }) => result === 'unscoped').map(({ credential }) => credential);
  const scopes = [...new Set(credentials.flatMap((credential) => credential.scopes))];
  const remedy = `use a token with the scopes ${scopes.join(', ')}`;
  return {
    code: 'scope-required',
    detail: `the token lacks a scope: ${remedy}`,
    violations: createViolations(credentials, remedy),
    headers: { 'WWW-Authenticate': `Bearer ${realm}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
  };
}

function createViolations(credentials: readonly Credential[], remedy: string): readonly Violation[] {
  return credentials.map((credential) => {
    const { in: location, name } = credential;
    return { in: location, pointer: `/${name}`, rule: 'security', remedy };
  });
}

/**
 * Returns the value of the header `WWW-Authenticate` for a credential (RFC 9110, section 11.6.1).
 * Uses the scheme `ApiKey` for an API key, because no official scheme exists.
 */
function createChallenge({ in: location, name, scheme }: Credential, realm: string, isSent: boolean): string {
  if (scheme === undefined) return `ApiKey ${realm}, in="${location}", name="${name}"`;
  const challenge = `${scheme.charAt(0).toUpperCase()}${scheme.slice(1)} ${realm}`;
  return scheme === 'bearer' && isSent ? `${challenge}, error="invalid_token"` : challenge;
}

function describeCredential({ in: location, name, scheme }: Credential): string {
  if (scheme === 'bearer') return 'the header Authorization: Bearer TOKEN';
  if (scheme === 'basic')
    return 'the header Authorization: Basic CREDENTIALS, where CREDENTIALS is USER:PASSWORD in Base64';
  if (scheme !== undefined) return `the header Authorization with the scheme ${scheme}`;
  return location === 'query' ? `the query parameter ${name}` : `the ${location} ${name}`;
}
