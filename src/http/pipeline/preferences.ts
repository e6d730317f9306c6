import type { Wish } from '../../mock/choose-response.ts';
import { HttpProblemError } from '../problem.ts';

/** What a client prefers of its answer (RFC 7240): which of the documented ones, and how late. */
export interface Preferences {
  readonly wish: Wish;
  /** Whether an answer of the mock is wished for, whoever does the operation else. */
  readonly isForced: boolean;
  /** How long the answer waits, in ms. */
  readonly delayMs: number;
  /** Where each was given. */
  readonly given: Partial<Record<Name, Given>>;
}

/** Where a preference was given. */
interface Given {
  readonly value: string;
  readonly in: 'header' | 'query';
}

const NAMES = ['code', 'example', 'dynamic', 'seed', 'delay'] as const;

type Name = (typeof NAMES)[number];

/** The longest that an answer is held back, in ms. */
const LONGEST_MS = 60_000;

const NONE: Preferences = { wish: {}, isForced: false, delayMs: 0, given: {} };

/** What begins the name of a preference in a query: `?__code=404` is for an address bar, which has no headers. */
const PREFIX = '__';
const NAMES_IN_QUERY: ReadonlySet<string> = new Set(NAMES.map((name) => PREFIX + name));

/** The preferences in a `Prefer` header, and in a query, out of which they are taken. Throws a `HttpProblemError` for one that makes no sense. */
export function parsePreferences(
  header: string | undefined,
  query: Readonly<Record<string, string | string[]>>,
): { readonly preferences: Preferences; readonly query: Readonly<Record<string, string | string[]>> } {
  const isInQuery = Object.keys(query).some((name) => NAMES_IN_QUERY.has(name));
  if (header === undefined && !isInQuery) return { preferences: NONE, query };
  const given = { ...inQuery(query), ...inHeader(header ?? '') };
  const read = <Value>(
    name: Name,
    pattern: RegExp,
    wanted: string,
    value: (text: string) => Value,
  ): Value | undefined => {
    const one = given[name];
    if (one === undefined) return undefined;
    if (!pattern.test(one.value)) throw refusal(name, one, wanted);
    return value(one.value);
  };
  const wish = {
    code: read('code', /^[2-5]\d\d$/, 'a status code from 200 to 599', Number),
    example: read('example', /./s, 'the name of an example', String),
    dynamic: read('dynamic', /^(true|false|)$/, 'true or false', (text) => text !== 'false'),
    seed: read('seed', /^-?\d{1,15}$/, 'a whole number', Number),
  };
  const delayMs = read('delay', /^\d{1,5}$/, `whole milliseconds, at most ${LONGEST_MS}`, Number) ?? 0;
  if (given.delay && delayMs > LONGEST_MS) throw refusal('delay', given.delay, `at most ${LONGEST_MS} milliseconds`);
  return {
    preferences: {
      wish,
      delayMs,
      given,
      isForced: wish.code !== undefined || wish.example !== undefined || wish.dynamic === true,
    },
    query: Object.fromEntries(Object.entries(query).filter(([name]) => !NAMES_IN_QUERY.has(name))),
  };
}

/** What was done of the preferences, as `Preference-Applied` has it; undefined where nothing was. */
export function formatPreferenceApplied({ wish, delayMs }: Preferences, isMocked: boolean): string | undefined {
  if (!isMocked && delayMs === 0) return undefined;
  const { seed, ...chosen } = wish;
  const applied = [
    ...(isMocked ? Object.entries({ ...chosen, ...(wish.dynamic ? { seed } : {}) }) : []),
    ['delay', delayMs > 0 ? delayMs : undefined] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${tokenOf(String(value))}`]));
  return applied.length > 0 ? applied.join(', ') : undefined;
}

/** A preference with its value and its parameters, whose values may be quoted and hold commas. */
const PREFERENCE =
  /([^\s,;="]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,;"]*)))?(?:\s*;\s*[^\s,;="]*(?:\s*=\s*(?:"(?:\\.|[^"\\])*"|[^\s,;"]*))?)*/g;

/** Two preferences of the same name: the first one counts (RFC 7240, section 2). */
function inHeader(header: string): Partial<Record<Name, Given>> {
  const found: Partial<Record<Name, Given>> = {};
  for (const [, name = '', quoted, plain = ''] of header.matchAll(PREFERENCE)) {
    const known = NAMES.find((one) => one === name.toLowerCase());
    if (known && !found[known]) found[known] = { in: 'header', value: quoted?.replaceAll(/\\(.)/g, '$1') ?? plain };
  }
  return found;
}

function inQuery(query: Readonly<Record<string, string | string[]>>): Partial<Record<Name, Given>> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = query[PREFIX + name];
      return value === undefined ? [] : [[name, { in: 'query', value: [value].flat()[0] ?? '' }]];
    }),
  );
}

/** A value of a preference: a token as it is, anything else between quotes. */
function tokenOf(value: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : JSON.stringify(value.replaceAll(/[^\x20-\x7e]/g, '?'));
}

function refusal(name: Name, given: Given, wanted: string): HttpProblemError {
  const shown = given.in === 'query' ? PREFIX + name : name;
  return createPreferenceError(
    name,
    given,
    `the preference ${shown}=${given.value.slice(0, 50)} can't be had: use ${wanted}`,
  );
}

/** The fault of a preference that can't be had; `detail` ends with a colon and the remedy. */
export function createPreferenceError(name: Name, given: Given | undefined, detail: string): HttpProblemError {
  const isInQuery = given?.in === 'query';
  const violation = {
    in: isInQuery ? 'query' : 'header',
    pointer: isInQuery ? `/${PREFIX}${name}` : '/Prefer',
    rule: 'preference',
    ...(given ? { value: given.value.slice(0, 200) } : {}),
    remedy: detail.slice(detail.indexOf(': ') + 2),
  } as const;
  return new HttpProblemError({ code: 'invalid-request', detail, violations: [violation] });
}
