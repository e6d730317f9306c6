import { isNode } from '../openapi/document.ts';

/** The greatest relative difference of two numbers that count as equal. A 32-bit floating-point number has 7 digits. */
const PRECISION = 1e-6;

/** The number of ms in a day. */
const DAY_MS = 86_400_000;

/**
 * The greatest difference of two instants that count as equal, because a server can drop the time zone: 14 hours, in
 * ms.
 */
const MAX_OFFSET_MS = 14 * 3_600_000;

/**
 * Returns whether a server may have stored `sent` and then returned `got`.
 * Servers normalize values: they trim and change the case of texts, write the same instant in another way, round
 * numbers, sort lists and remove duplicates, and return an object in place of its id.
 * The result is wrong only for values that differ plainly.
 */
export function isSimilar(sent: unknown, got: unknown): boolean {
  if (sent === got) return true;
  if (got === undefined || got === null) return sent === undefined || sent === null || isEmpty(sent);
  if (Array.isArray(sent)) return isSimilarList(sent, got);
  if (isNode(sent)) return isSimilarObject(sent, got);
  // A reference can be returned as the object, or as a list of objects.
  if (typeof got === 'object') return Object.values(got).some((value) => isSimilar(sent, value));
  if (typeof sent === 'boolean' || typeof got === 'boolean') return toNumber(sent) === toNumber(got);
  return isSimilarNumber(toNumber(sent), toNumber(got), sent) || isSimilarText(String(sent), String(got));
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
}

/** Returns whether two lists have a common entry. A server can sort a list, and remove entries from it. */
function isSimilarList(sent: readonly unknown[], got: unknown): boolean {
  if (sent.length === 0) return true;
  const entries = Array.isArray(got) ? got : isNode(got) ? [got, ...Object.values(got)] : String(got).split(/[,;| ]+/);
  return sent.some((one) => entries.some((other) => isSimilar(one, other)));
}

/**
 * Returns whether two objects have a common property with similar values.
 * If they have no common name, any text may represent the object.
 */
function isSimilarObject(sent: Readonly<Record<string, unknown>>, got: unknown): boolean {
  if (!isNode(got)) return !Array.isArray(got);
  const names = Object.keys(sent).filter((name) => Object.hasOwn(got, name));
  return Object.keys(sent).length === 0 || names.some((name) => isSimilar(sent[name], got[name]));
}

/** Returns the number in a value; NaN for a text without one. */
export function toNumber(value: unknown): number {
  return typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
}

function isSimilarNumber(one: number, other: number, sent: unknown): boolean {
  if (Number.isNaN(one) || Number.isNaN(other)) return false;
  const difference = Math.abs(one - other);
  // A server can round a number with a fraction.
  return difference <= PRECISION * Math.abs(one) || (!Number.isInteger(Number(sent)) && difference < 1);
}

function isSimilarText(sent: string, got: string): boolean {
  if (isSameTime(sent, got)) return true;
  const [one, other] = [normalize(sent), normalize(got)];
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  // A server can shorten a text, add markup, or hide a part of it.
  return (short.length >= MIN_COMMON_LENGTH && long.includes(short)) || /[*•…]{3}/.test(got);
}

/** The minimum length of a text that counts as the rest of a longer text. */
const MIN_COMMON_LENGTH = 3;

/** Returns the letters and digits of a text in lower case, without accents. */
function normalize(text: string): string {
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]/gu, '');
  return letters === '' ? text.trim() : letters;
}

const DATE = /^\d{4}-\d\d-\d\d/;

/** Returns whether two texts are the same time, in any time zone and with any precision. */
function isSameTime(one: string, other: string): boolean {
  const [first, second] = [parseTime(one), parseTime(other)];
  if (Number.isNaN(first) || Number.isNaN(second)) return false;
  const isDay = one.length === 'YYYY-MM-DD'.length || other.length === 'YYYY-MM-DD'.length;
  return Math.abs(first - second) <= (isDay ? DAY_MS : MAX_OFFSET_MS);
}

/** Parses a date, or a time in s or ms since 1970. Returns NaN for other texts. */
function parseTime(text: string): number {
  if (DATE.test(text)) return Date.parse(text);
  if (/^\d{10}$/.test(text)) return Number(text) * 1_000;
  return /^\d{13}$/.test(text) ? Number(text) : Date.parse(/^[A-Z][a-z]{2}, /.test(text) ? text : '');
}
