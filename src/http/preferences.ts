import type { Wish } from '../mock/mock.ts';
import { FaultError } from './problem.ts';

/** What a client prefers of its answer (RFC 7240): which of the documented ones, and how late. */
export interface Preferences {
  readonly wish: Wish;
  /** Whether an answer of the mock is wished for, whoever does the operation else. */
  readonly isForced: boolean;
  /** How long the answer waits, in ms. */
  readonly delayMs: number;
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

const NONE: Preferences = { wish: {}, isForced: false, delayMs: 0 };

/** What begins the name of a preference in a query: `?__code=404` is for an address bar, which has no headers. */
const PREFIX = '__';

/** The preferences in a `Prefer` header, and in a query, out of which they are taken. Throws a `FaultError` for one that makes no sense. */
export function preferencesOf(
  header: string | undefined,
  query: Readonly<Record<string, string | string[]>>,
): { readonly preferences: Preferences; readonly query: Readonly<Record<string, string | string[]>> } {
  const isInQuery = Object.keys(query).some((name) => NAMES.some((known) => name === PREFIX + known));
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
    code: read('code', /^[1-5]\d\d$/, 'a status code from 100 to 599', Number),
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
      isForced: wish.code !== undefined || wish.example !== undefined || wish.dynamic === true,
    },
    query: Object.fromEntries(
      Object.entries(query).filter(([name]) => !NAMES.some((known) => name === PREFIX + known)),
    ),
  };
}

/** What was done of the preferences, as `Preference-Applied` has it; undefined where nothing was. */
export function appliedText({ wish, delayMs }: Preferences, isMocked: boolean): string | undefined {
  const { seed, ...chosen } = wish;
  const applied = [
    ...(isMocked ? Object.entries({ ...chosen, ...(wish.dynamic ? { seed } : {}) }) : []),
    ['delay', delayMs > 0 ? delayMs : undefined] as const,
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${tokenOf(String(value))}`]));
  return applied.length > 0 ? applied.join(', ') : undefined;
}

/** Two preferences of the same name: the first one counts (RFC 7240, section 2). */
function inHeader(header: string): Partial<Record<Name, Given>> {
  const found: Partial<Record<Name, Given>> = {};
  for (const [, name = '', quoted, plain = ''] of header.matchAll(
    /([^\s,;="]+)\s*(?:=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,;"]*)))?(?:\s*;[^,]*)?/g,
  )) {
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

function refusal(name: Name, { value, in: place }: Given, wanted: string): FaultError {
  const shown = place === 'query' ? PREFIX + name : name;
  return preferenceFault(`the preference ${shown}=${value.slice(0, 50)} can't be had: use ${wanted}`, place, value);
}

/** The fault of a preference that can't be had. */
export function preferenceFault(detail: string, place: Given['in'] = 'header', value?: string): FaultError {
  const remedy = detail.slice(detail.indexOf(': ') + 2);
  const violation = {
    in: place,
    pointer: place === 'header' ? '/Prefer' : '/__code',
    rule: 'preference',
    remedy,
  } as const;
  return new FaultError({
    code: 'invalid-request',
    detail,
    violations: [value === undefined ? violation : { ...violation, value: value.slice(0, 200) }],
  });
}
