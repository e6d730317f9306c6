import type { IncomingHttpHeaders } from 'node:http';
import type { ResponsePreferences } from '../mock/choose-response.ts';
import { MAX_DELAY_MS } from '../util/limits.ts';
import { HttpProblemError } from '../util/problem.ts';

/**
 * The preferences of a request (RFC 7240).
 * They select a response that the contract documents, and delay the response: `Prefer: code=404, delay=500`.
 */
export interface Preferences {
  /** The preferences that select a documented response. */
  readonly choice: ResponsePreferences;
  /** Whether the response must be generated from the contract, even if the operation has a handler. */
  readonly isMockRequired: boolean;
  /** The delay of the response, in ms. */
  readonly delayMs: number;
  /** How a stream is sent; undefined if no preference says it. */
  readonly stream?: StreamPreferences | undefined;
  /** The text of each preference, and whether it was sent in the header or in the query. */
  readonly sources: Partial<Record<Name, Source>>;
}

/** How the items of a stream are sent: `Prefer: pace=200ms, items=5, open`. */
export interface StreamPreferences {
  /** The time between two items, in ms. */
  readonly paceMs: number | undefined;
  /** The number of items after which the stream ends. */
  readonly items: number | undefined;
  /** Whether the stream stays open after its last item. */
  readonly isOpen: boolean | undefined;
}

/** The text of a preference, and where it was sent. */
interface Source {
  readonly value: string;
  readonly in: 'header' | 'query';
}

type Query = Readonly<Record<string, string | string[]>>;

/** The maximum number of items that a request can ask for. */
const MAX_ITEMS = 1_000;

/** A time in ms, or with a unit. */
const DURATION = {
  isValid: (text: string) => (parseDuration(text) ?? Number.POSITIVE_INFINITY) <= MAX_DELAY_MS,
  remedy: `a time such as 200, 200ms or 1s, at most ${MAX_DELAY_MS / 1_000}s`,
};

/** The valid values of each preference. `remedy`: what to use instead of an invalid value, for the error message. */
const VALID_VALUES = {
  code: { isValid: (text: string) => /^[2-5]\d\d$/.test(text), remedy: 'a status code from 200 to 599' },
  example: { isValid: (text: string) => text !== '', remedy: 'the name of an example' },
  dynamic: { isValid: (text: string) => /^(true|false|)$/.test(text), remedy: 'true or false' },
  seed: { isValid: (text: string) => /^-?\d{1,15}$/.test(text), remedy: 'a whole number' },
  delay: DURATION,
  pace: DURATION,
  items: {
    isValid: (text: string) => /^\d{1,4}$/.test(text) && Number(text) <= MAX_ITEMS,
    remedy: `a whole number, at most ${MAX_ITEMS}`,
  },
  open: { isValid: (text: string) => /^(true|false|)$/.test(text), remedy: 'true or false' },
};

/** Parses a time: `200ms`, `200` (ms) or `1s`. Returns the ms; undefined if the text is invalid. */
function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,5})(ms|s)?$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (unit === 's' ? 1_000 : 1);
}

type Name = keyof typeof VALID_VALUES;

const NAMES = Object.keys(VALID_VALUES) as Name[];

/** The result for requests without preferences. */
export const NO_PREFERENCES: Preferences = { choice: {}, isMockRequired: false, delayMs: 0, sources: {} };

/**
 * The prefix of preferences in the query, such as `?__code=404`.
 * They exist because the address bar of a browser can't send a `Prefer` header.
 */
const PREFIX = '__';
const NAMES_IN_QUERY: ReadonlySet<string> = new Set(NAMES.map((name) => PREFIX + name));

/**
 * Separates the preferences of a query string from the rest of it, which can be a text such as JSON instead of a form.
 * Returns both as query strings.
 */
export function splitPreferences(querystring: string): readonly [preferences: string, rest: string] {
  if (!querystring.includes(PREFIX)) return ['', querystring];
  const parts = querystring.split('&');
  const isPreference = (part: string) => NAMES_IN_QUERY.has(part.replace(/=.*/s, ''));
  return [parts.filter(isPreference).join('&'), parts.filter((part) => !isPreference(part)).join('&')];
}

/**
 * Parses the preferences in the `Prefer` header and in the query.
 * Also returns the query without the preferences.
 * Throws an `HttpProblemError` if a preference is invalid.
 */
export function parsePreferences(headers: IncomingHttpHeaders, query: Query) {
  const header = headers.prefer?.toString() || undefined;
  const isInQuery = Object.keys(query).some((name) => NAMES_IN_QUERY.has(name));
  if (header === undefined && !isInQuery) return { preferences: NO_PREFERENCES, query };
  const sources = { ...findInQuery(query), ...findInHeader(header ?? '') };
  refuseInvalid(sources);
  const { code, example, dynamic, seed, delay, pace, items, open } = sources;
  const count = items && Number(items.value);
  const choice = {
    code: code && Number(code.value),
    example: example?.value,
    dynamic: dynamic && dynamic.value !== 'false',
    seed: seed && Number(seed.value),
    items: count,
  };
  const isMockRequired = choice.code !== undefined || choice.example !== undefined || choice.dynamic === true;
  const stream =
    (pace ?? items ?? open)
      ? { paceMs: pace && parseDuration(pace.value), items: count, isOpen: open && open.value !== 'false' }
      : undefined;
  return {
    preferences: { choice, isMockRequired, delayMs: (delay && parseDuration(delay.value)) ?? 0, stream, sources },
    query: Object.fromEntries(Object.entries(query).filter(([name]) => !NAMES_IN_QUERY.has(name))),
  };
}

function refuseInvalid(sources: Preferences['sources']): void {
  for (const name of NAMES) {
    const source = sources[name];
    if (!source || VALID_VALUES[name].isValid(source.value)) continue;
    const [prefix, place] = source.in === 'query' ? [PREFIX, 'query'] : ['', 'Prefer header'];
    const preference = `${prefix}${name}=${source.value.slice(0, 50)}`;
    const remedy = `use ${VALID_VALUES[name].remedy}`;
    const message = `the preference ${preference} in the ${place} is invalid: ${remedy}`;
    throw createPreferenceError(name, source, { message, remedy });
  }
}

/**
 * Returns the value of the response header `Preference-Applied`.
 * Returns undefined if no preference was applied.
 * `isMocked`: whether the response was generated from the contract.
 * Only the preference `delay` can be applied to other responses.
 */
export function formatPreferenceApplied({ choice, delayMs }: Preferences, isMocked: boolean): string | undefined {
  if (!isMocked && delayMs === 0) return undefined;
  const { seed, items: _, ...chosen } = choice;
  const applied = [
    ...(isMocked ? Object.entries({ ...chosen, ...(choice.dynamic ? { seed } : {}) }) : []),
    ['delay', delayMs > 0 ? delayMs : undefined] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${formatValue(String(value))}`]));
  return applied.length > 0 ? applied.join(', ') : undefined;
}

/** Returns the value of `Preference-Applied` for the preferences of a stream, after `applied`. */
export function formatStreamPreferences({ paceMs, items, isOpen }: StreamPreferences, applied = ''): string {
  const values = [
    applied,
    paceMs === undefined ? '' : `pace=${paceMs}ms`,
    items === undefined ? '' : `items=${items}`,
    isOpen === undefined ? '' : `open=${isOpen}`,
  ];
  return values.filter((value) => value !== '').join(', ');
}

/** Matches a preference with its value and its parameters. Quoted values can contain commas. */
const PREFERENCE =
  /([^\s,;="]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,;"]*)))?(?:\s*;\s*[^\s,;="]*(?:\s*=\s*(?:"(?:\\.|[^"\\])*"|[^\s,;"]*))?)*/g;

/**
 * Returns the preferences in a `Prefer` header.
 * If a preference occurs several times, only the first value is used (RFC 7240, section 2).
 */
function findInHeader(header: string): Preferences['sources'] {
  const sources: Partial<Record<Name, Source>> = {};
  for (const [, token = '', quoted, plain = ''] of header.matchAll(PREFERENCE)) {
    const name = NAMES.find((known) => known === token.toLowerCase());
    if (name && !sources[name]) sources[name] = { in: 'header', value: quoted?.replaceAll(/\\(.)/g, '$1') ?? plain };
  }
  return sources;
}

function findInQuery(query: Query): Preferences['sources'] {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = query[PREFIX + name];
      return value === undefined ? [] : [[name, { in: 'query', value: [value].flat()[0] ?? '' }]];
    }),
  );
}

/**
 * Formats the value of a preference for a header: a token (RFC 9110) unchanged, and any other text in double quotes.
 */
function formatValue(value: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : JSON.stringify(value.replaceAll(/[^\x20-\x7e]/g, '?'));
}

/** Creates the error for an invalid preference, with status 400. `source`: where the client sent the preference. */
export function createPreferenceError(
  name: Name,
  source: Source | undefined,
  { message: detail, remedy }: { readonly message: string; readonly remedy: string },
): HttpProblemError {
  const violation = {
    in: source?.in ?? 'header',
    pointer: source?.in === 'query' ? `/${PREFIX}${name}` : '/Prefer',
    rule: 'preference',
    ...(source ? { value: source.value.slice(0, 200) } : {}),
    remedy,
  } as const;
  return new HttpProblemError({ code: 'invalid-request', detail, violations: [violation] });
}
