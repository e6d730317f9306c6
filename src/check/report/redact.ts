import type { Contract } from '../../openapi/contract.ts';
import { isNode } from '../../openapi/document.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import {
  isSecretName,
  REDACTED,
  redactFullText,
  redactNamed,
  redactNamedInUrl,
  redactNamedProperties,
  redactText,
} from '../../util/redact-secrets.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import type { Verdict } from '../check.ts';
import { NEUTRAL_HEADERS } from '../credentials.ts';
import type { Exchange, RequestToSend } from '../exchange.ts';

/**
 * What a report redacts: the headers and query parameters that the user has given, and what the contract says about
 * credentials.
 */
type RedactionSource = Pick<Verdict, 'headers' | 'query' | 'secrets'> & { readonly contract: Contract };

/**
 * The shortest given value that is also redacted inside other texts, in characters.
 * A shorter one could be a part of many words.
 */
const MIN_LENGTH = 4;

/**
 * Redacts given values in a text: the values of headers and query parameters that the user has given, also if a server
 * repeats them.
 */
function redactGiven({ headers, query = {}, secrets: others = [] }: RedactionSource, text: string): string {
  const values = Object.entries(headers)
    .filter(([name]) => !NEUTRAL_HEADERS.includes(name.toLowerCase()))
    .flatMap(([, value]) => splitCredentials(value));
  const secrets = [...values, ...others.flatMap(splitCredentials), ...Object.values(query)].filter(
    ({ length }) => length >= MIN_LENGTH,
  );
  const spellings = secrets.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
  return spellings
    .sort((one, other) => other.length - one.length)
    .reduce((redacted, spelling) => redacted.replaceAll(spelling, REDACTED), text);
}

/**
 * Returns a credential and the secrets in it: the token after a scheme, the password in `Basic` credentials, and the
 * values of cookies.
 */
function splitCredentials(value: string): readonly string[] {
  const [, scheme = '', token = ''] = /^(\S+)\s+(\S+)$/.exec(value) ?? [];
  const decoded = /^basic$/i.test(scheme) ? Buffer.from(token, 'base64').toString() : '';
  const cookies = value.includes('=') ? value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1)) : [];
  return [value, token, decoded, decoded.slice(decoded.indexOf(':') + 1), ...cookies];
}

/** Redacts given values and secrets in a text about a response. */
export function redactResponseText(source: RedactionSource, text: string): string {
  const { properties } = source.contract.credentialNames;
  return redactGiven(source, redactText(String(redactNamedProperties(text, properties))));
}

/** Redacts the given headers of all requests. */
export function redactGivenHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = Object.keys(headers).filter((name) => !NEUTRAL_HEADERS.includes(name.toLowerCase()));
  return redactNamed(headers, names);
}

/**
 * Redacts secrets in a request: given values, and values of secret names that come from the contract or from a
 * response.
 * A generated value is no secret, and the report must show it.
 * `exchanges`: the requests and responses before it.
 */
export function redactRequest(
  source: RedactionSource,
  request: RequestToSend,
  exchanges: readonly Exchange[],
): RequestToSend {
  const { contract, query = {} } = source;
  const names = contract.credentialNames;
  // A joined text would need several MB for each request.
  const isIn = (texts: readonly string[], value: string) => texts.some((text) => text.includes(value));
  const received = exchanges.map(({ response }) => response.text);
  const isKnown = (value: string) =>
    value.length >= MIN_LENGTH && (isIn(received, value) || isIn(getDocumentedTexts(contract.document), value));
  const redact = (text: string, values: readonly string[]) =>
    redactGiven(
      source,
      values.some(isKnown) ? redactFullText(String(redactNamedProperties(text, names.properties))) : text,
    );
  const isSecret = (name: string) => isSecretName(name) || names.properties.includes(name);
  const { target, headers = {}, body } = request;
  const url = redactNamedInUrl(target, [...names.query, ...Object.keys(query)]);
  const own = Object.entries(redactNamed(headers, names.headers)).map(([name, value]) => [
    name,
    isSecretName(name) && isKnown(value) ? REDACTED : redactGiven(source, value),
  ]);
  return {
    ...request,
    target: redact(url, findSecretsInQuery(url, isSecret)),
    headers: Object.fromEntries(own),
    ...(typeof body === 'string' ? { body: redact(body, findSecretsInBody(body, isSecret)) } : {}),
  };
}

/**
 * Returns the values of secret names in a query.
 * The target of a request can be an invalid URL, so only its query is parsed.
 */
function findSecretsInQuery(target: string, isSecretName: (name: string) => boolean): readonly string[] {
  const query = new URLSearchParams(target.slice(target.indexOf('?') + 1));
  return [...query].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}

/** Returns the texts and numbers of properties with secret names in a JSON body, or of the fields of a form. */
function findSecretsInBody(body: string, isSecretName: (name: string) => boolean): readonly string[] {
  const json: unknown = tryOrUndefined(() => JSON.parse(body));
  if (json === undefined) return findSecretsInQuery(`/?${body}`, isSecretName);
  const found: string[] = [];
  // A body can be nested too deeply for a recursive function.
  const remaining: { readonly value: unknown; readonly isSecret: boolean }[] = [{ value: json, isSecret: false }];
  for (let next = remaining.pop(); next; next = remaining.pop()) {
    const { value, isSecret } = next;
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value))
        remaining.push({ value: inner, isSecret: isSecret || isSecretName(name) });
    else if (isSecret && (typeof value === 'string' || typeof value === 'number')) found.push(String(value));
  }
  return found;
}

/** The keywords of a document whose values are documented values. */
const DOCUMENTED = ['example', 'examples', 'default', 'x-refused-examples'];

/** Returns the texts and numbers of all examples and defaults of a document. */
const getDocumentedTexts = memoizeByObject((document: object): readonly string[] => {
  const texts = new Set<string>();
  const collect = (value: unknown, isDocumented: boolean): void => {
    if (typeof value === 'string' || typeof value === 'number') {
      if (isDocumented) texts.add(String(value));
    } else if (Array.isArray(value)) for (const entry of value) collect(entry, isDocumented);
    else if (isNode(value))
      for (const [name, inner] of Object.entries(value)) collect(inner, isDocumented || DOCUMENTED.includes(name));
  };
  collect(document, false);
  return [...texts];
});
