import { type Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { MAX_PORT } from '../options.ts';
import { MAX_DELAY_MS, parseExactJson } from '../util/limits.ts';

/** Parses a delay in ms, or a range such as `200-800`. */
export function parseDelay(text: string): number | { readonly from: number; readonly to: number } {
  const [, from = '', to] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to ?? from) };
  if (from === '' || range.from > range.to || range.to > MAX_DELAY_MS)
    throw new InvalidArgumentError(`Use whole milliseconds up to ${MAX_DELAY_MS}, or a range: 200 or 200-800.`);
  return to === undefined ? range.from : range;
}

/** Parses the time between two items of a stream, in ms. */
export function parsePace(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_DELAY_MS) return Number(text);
  throw new InvalidArgumentError(`Use whole milliseconds up to ${MAX_DELAY_MS}, such as 200.`);
}

/** Parses a time in ISO 8601 or in ms since 1970. Throws a usage error if the time is missing or invalid. */
export function parseTime(text = ''): string | number {
  if (/^\d+$/.test(text)) return Number(text);
  if (ISO_TIME.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw createValueError(text, 'time', 'Use a time such as 2025-06-01T12:00:00Z, or milliseconds since 1970.');
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/;

/** Parses a positive or negative duration in ms. Throws a usage error if the duration is missing or invalid. */
export function parseMs(text = ''): number {
  if (/^[+-]?\d{1,16}$/.test(text)) return Number(text);
  throw createValueError(text, 'duration', 'Use whole milliseconds, such as 86400000 or -3600000.');
}

/** Parses a seed. Throws a usage error if the seed is missing or invalid. */
export function parseSeed(text = ''): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw createValueError(text, 'seed', 'Use a whole number, such as 7.');
}

function createValueError(text: string, kind: string, remedy: string): CommanderError {
  return createUsageError(`${text === '' ? `Missing ${kind}` : `Invalid ${kind} ${text}`}. ${remedy}`);
}

/** Parses a positive integer. */
export const parsePositive = createParser(/^[1-9]\d{0,14}$/, 'Use a whole number from 1.', Number);

/** Parses a non-negative integer. */
export const parseCount = createParser(/^\d{1,15}$/, 'Use a whole number.', Number);

/** Parses a probability from 0 to 1. */
export const parseProbability = createParser(/^(0|1|0?\.\d+|1\.0+)$/, 'Use a number from 0 to 1, such as 0.2.', Number);

/** Returns the value of an option unchanged. Throws an error if the value is empty or contains only white space. */
export const parseText = createParser(/\S/, 'The value is empty.', String);

/**
 * Creates a function that converts a text to a value.
 * The function throws an error if the text does not match `pattern`.
 * `remedy`: the error message, which says what to do.
 */
function createParser<Value>(pattern: RegExp, remedy: string, convert: (text: string) => Value) {
  return (text: string): Value => {
    if (pattern.test(text)) return convert(text);
    throw new InvalidArgumentError(remedy);
  };
}

/** Parses a comma-separated list of names. */
export function parseList(text: string): readonly string[] {
  const names = splitList(text);
  if (names.every((name) => name !== '')) return names;
  throw new InvalidArgumentError('Separate names with commas.');
}

/** Parses `off`, `form`, or a comma-separated list of tokens. */
export function parseAuth(text: string): 'off' | 'form' | readonly string[] {
  if (text === 'off' || text === 'form') return text;
  const tokens = splitList(text);
  if (tokens.some((token) => NO_USER.test(token)))
    throw new InvalidArgumentError('Write the id or the login of the user after @, such as TOKEN=@ann.');
  if (tokens.every((token) => token !== '')) return tokens;
  throw new InvalidArgumentError('Use off, form, or tokens separated with commas.');
}

/** Matches a token of a user that is not named. */
const NO_USER = /=(?:.*\+)?@$/;

/** Parses a JSON object. */
export function parseJson(text: string): object {
  try {
    const value = parseExactJson(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    refuseInexact(error);
    // The error below reports invalid JSON too.
  }
  throw new InvalidArgumentError(`Use a JSON object, such as '{"body":{"quantity":3}}'.`);
}

/**
 * Parses a JSON value, and wraps it in an object.
 * Without the object, commander would replace null with an empty string.
 */
export function parseAnyJson(text: string): { readonly value: unknown } {
  try {
    return { value: parseExactJson(text) };
  } catch (error) {
    refuseInexact(error);
    throw new InvalidArgumentError('Use JSON. A JSON string has double quotes.');
  }
}

/**
 * Throws an `InvalidArgumentError` if JSON has an integer that JavaScript can't represent.
 * `error`: the error of `parseExactJson`.
 */
function refuseInexact(error: unknown): void {
  if (error instanceof RangeError) throw new InvalidArgumentError(`In the JSON, ${error.message}.`);
}

/** Parses a header, and adds it to the headers of earlier options (`previous`). The option can be repeated. */
export function parseHeader(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Use a header such as 'Retry-After: 5'.");
  return { ...previous, [name]: value };
}

/** Creates an error for an invalid command line. The exit code is 2. */
export function createUsageError(message: string): CommanderError {
  return new CommanderError(2, 'storefront.usage', message);
}

/**
 * Parses a comma-separated list of host names, and adds them to the names of earlier options (`previous`).
 * The option can be repeated.
 */
export function parseHostNames(text: string, previous: readonly string[] = []): readonly string[] {
  const names = splitList(text);
  if (names.every((name) => /^(\*|[\w.-]+)$/.test(name))) return [...previous, ...names];
  throw new InvalidArgumentError('Use host names without a port, separated with commas.');
}

/** Parses a URL, and adds it to the URLs of earlier options (`previous`). The server checks it. */
export function parseUrls(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, parseText(text)];
}

/**
 * Parses a comma-separated list of paths, and adds them to the paths of earlier options (`previous`).
 * The option can be repeated.
 */
export function parsePaths(text: string, previous: readonly string[] = []): readonly string[] {
  const paths = splitList(text);
  if (paths.every((path) => path !== '')) return [...previous, ...paths];
  throw new InvalidArgumentError('Separate paths with commas.');
}

/**
 * Parses a comma-separated list of origins, and adds them to the origins of earlier options (`previous`).
 * The option can be repeated.
 */
export function parseOrigins(text: string, previous: readonly string[] = []): readonly string[] {
  const origins = splitList(text);
  if (origins.some((origin) => !/^(?:\*|(?:[a-z]+:\/\/\*\.)?[^*]*)$/i.test(origin)))
    throw new InvalidArgumentError(
      'Use * only before a domain, as in https://*.shop.example, or alone to allow all origins.',
    );
  if (origins.every((origin) => /^(\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/?#@]+\/?)$/i.test(origin)))
    return [...previous, ...origins];
  throw new InvalidArgumentError('Use * or comma-separated origins such as https://shop.example.');
}

/** Parses a port number from 0 to 65535. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= MAX_PORT) return port;
  throw new InvalidArgumentError(`Use a whole number from 0 to ${MAX_PORT}.`);
}

/** Parses the value of an environment variable. Throws an `InvalidArgumentError` that names the variable. */
export function parseVariable<Value>(name: string, text: string, parse: (text: string) => Value): Value {
  try {
    return parse(text);
  } catch (error) {
    const { message } = error as InvalidArgumentError;
    throw new InvalidArgumentError(`The environment variable ${name} is ${JSON.stringify(text)}. ${message}`);
  }
}

function splitList(text: string): readonly string[] {
  return text.split(',').map((entry) => entry.trim());
}

/** The definition of an option. `values`: the possible values, or a function that parses the value. */
export type OptionRow = readonly [
  flags: string,
  description: string,
  values?: readonly string[] | ((text: string, previous: never) => unknown),
  defaultValue?: string | number,
];

/** Adds options to a command. */
export function addOptions(command: Command, rows: readonly OptionRow[]): Command {
  for (const [flags, description, values, defaultValue] of rows) {
    const option = new Option(flags, description).default(defaultValue);
    if (typeof values === 'function') option.argParser(values as (text: string) => unknown);
    else if (values) option.choices(values);
    command.addOption(option);
  }
  return command;
}
