import { CommanderError, InvalidArgumentError } from 'commander';

/** The longest that an answer waits, in ms. */
const LONGEST_MS = 60_000;

/** How long an answer waits, in ms, or between which bounds, as it stands on a command line. */
export function delay(text: string): number | { readonly from: number; readonly to: number } {
  const [, from = '', to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const bounds = { from: Number(from), to: Number(to ?? from) };
  if (from === '' || bounds.from > bounds.to || bounds.to > LONGEST_MS)
    throw new InvalidArgumentError(`Give whole milliseconds up to ${LONGEST_MS}, or two bounds: 200 or 200-800.`);
  return to === undefined ? bounds.from : bounds;
}

/** A moment as ISO 8601 has it, or in ms since 1970. */
export function momentOf(text: string | undefined): string | number {
  if (text !== undefined && /^\d+$/.test(text)) return Number(text);
  if (text !== undefined && ISO.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw amiss(text, 'moment', 'one such as 2025-06-01T12:00:00Z, or ms since 1970');
}

const ISO = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/;

/** Whole ms, back where negative. */
export function wholeMs(text: string | undefined): number {
  if (text !== undefined && /^[+-]?\d{1,16}$/.test(text)) return Number(text);
  throw amiss(text, 'time to advance by', 'whole milliseconds, such as 86400000 or -3600000');
}

/** What ids are made of. */
export function seed(text: string | undefined): number {
  if (text !== undefined && /^\d{1,10}$/.test(text)) return Number(text);
  throw amiss(text, 'seed', 'a whole number, such as 7');
}

/** What is wrong with an argument that is missing, or none of its kind. */
function amiss(text: string | undefined, kind: string, remedy: string): CommanderError {
  return misused(`${text === undefined ? `the ${kind} is missing` : `${text} is no ${kind}`}: give ${remedy}`);
}

/** A whole number that is not negative. */
export function count(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number.');
}

/** A share of requests. */
export function share(text: string): number {
  if (/^(0|1|0?\.\d+|1\.0+|0\.\d+)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a number from 0 to 1, such as 0.2.');
}

/** Names with commas between them. */
export function list(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new InvalidArgumentError('Give names with commas between them.');
}

/** An object of JSON. */
export function json(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // No JSON at all: told as below.
  }
  throw new InvalidArgumentError(`Give an object of JSON, such as '{"body":{"quantity":3}}'.`);
}

/** A command line that makes no sense. */
export function misused(said: string): CommanderError {
  return new CommanderError(2, 'storefront.misused', said);
}
