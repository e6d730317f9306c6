import { CommanderError, InvalidArgumentError } from 'commander';

/** The longest that an answer waits, in ms. */
const LONGEST_MS = 60_000;

/** How long an answer waits, in ms, or between which bounds, as it stands on a command line. */
export function parseDelay(text: string): number | { readonly from: number; readonly to: number } {
  const [, from = '', to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const bounds = { from: Number(from), to: Number(to ?? from) };
  if (from === '' || bounds.from > bounds.to || bounds.to > LONGEST_MS)
    throw new InvalidArgumentError(`Give whole milliseconds up to ${LONGEST_MS}, or two bounds: 200 or 200-800.`);
  return to === undefined ? bounds.from : bounds;
}

/** A moment as ISO 8601 has it, or in ms since 1970. */
export function parseMoment(text: string | undefined): string | number {
  if (text !== undefined && /^\d+$/.test(text)) return Number(text);
  if (text !== undefined && ISO.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw amiss(text, 'moment', 'one such as 2025-06-01T12:00:00Z, or ms since 1970');
}

const ISO = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/;

/** Whole ms, back where negative. */
export function parseMs(text: string | undefined): number {
  if (text !== undefined && /^[+-]?\d{1,16}$/.test(text)) return Number(text);
  throw amiss(text, 'time to advance by', 'whole milliseconds, such as 86400000 or -3600000');
}

/** What ids are made of. */
export function parseSeed(text: string | undefined): number {
  if (text !== undefined && /^\d{1,10}$/.test(text)) return Number(text);
  throw amiss(text, 'seed', 'a whole number, such as 7');
}

/** What is wrong with an argument that is missing, or none of its kind. */
function amiss(text: string | undefined, kind: string, remedy: string): CommanderError {
  return createUsageError(`${text === undefined ? `the ${kind} is missing` : `${text} is no ${kind}`}: give ${remedy}`);
}

/** A whole number that is not negative. */
export function parseCount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
}

/** A share of requests. */
export function parseProbability(text: string): number {
  if (/^(0|1|0?\.\d+|1\.0+|0\.\d+)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a number from 0 to 1, such as 0.2.');
}

/** Names with commas between them. */
export function parseList(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new InvalidArgumentError('Give names with commas between them.');
}

/** An object of JSON. */
export function parseJson(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // No JSON at all: told as below.
  }
  throw new InvalidArgumentError(`Give an object of JSON, such as '{"body":{"quantity":3}}'.`);
}

/** Any value of JSON, in an object: commander takes a parsed `null` for a missing value. */
export function anyJson(text: string): { readonly value: unknown } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    throw new InvalidArgumentError('Give JSON: a text stands between quotes.');
  }
}

/** Headers, of which one more is added by its name. */
export function header(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Give a header such as 'Retry-After: 5'.");
  return { ...before, [name]: value };
}

/** A command line that makes no sense. */
export function createUsageError(said: string): CommanderError {
  return new CommanderError(2, 'storefront.misused', said);
}

/** Host names with commas between them, added to those of an option before; throws where one has a port or isn't a name. */
export function hostNames(text: string, previous: readonly string[] = []): readonly string[] {
  const entries = listEntries(text);
  if (entries.every((entry) => /^(\*|[\w.-]+)$/.test(entry))) return [...previous, ...entries];
  throw new InvalidArgumentError('Give host names without a port, with commas between them.');
}

/** Origins with commas between them, added to those of an option before; throws where one is no origin. */
export function origins(text: string, previous: readonly string[] = []): readonly string[] {
  const entries = listEntries(text);
  if (entries.some((entry) => entry !== '*' && entry.includes('*')))
    throw new InvalidArgumentError('Give each origin in full: * stands for every origin, not for a part of one.');
  if (entries.every((entry) => /^(\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+\/?)$/i.test(entry)))
    return [...previous, ...entries];
  throw new InvalidArgumentError('Give origins such as https://shop.example, with commas between them, or *.');
}

function listEntries(text: string): readonly string[] {
  return text.split(',').map((entry) => entry.trim());
}
