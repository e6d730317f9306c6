import { MAX_DELAY_MS } from '../util/limits.ts';
import { suggestOneOf } from '../util/similar-names.ts';
import { UserError } from '../util/user-error.ts';
import type { Options } from './options.ts';

/** The rule for the values of an option. `remedy`: a description of the valid values, for error messages. */
interface OptionRule {
  readonly remedy: string;
  readonly isValid: (value: unknown) => boolean;
}

/** The valid values of each option that has a fixed list of values. The command line accepts the same values. */
export const OPTION_CHOICES = {
  durability: ['disk', 'memory'],
  verify: ['log', 'strict', 'off'],
  sandboxes: ['any', 'declared'],
  log: ['pretty', 'json', 'off'],
} as const;

const MAX_PORT = 65_535;

const isText = (value: unknown): value is string => typeof value === 'string' && /\S/.test(value);
const isList = (value: unknown) => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMs = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isDelay = (value: unknown) => isMs(value) && value <= MAX_DELAY_MS;
const isBoolean = (value: unknown) => typeof value === 'boolean';

const FILE: OptionRule = { remedy: 'the path of a file', isValid: isText };
const FOLDER: OptionRule = { remedy: 'the path of a folder', isValid: isText };
const BOOLEAN: OptionRule = { remedy: 'true or false', isValid: isBoolean };
const FUNCTION: OptionRule = { remedy: 'a function', isValid: (value) => typeof value === 'function' };

/** The rules for the options of `createStorefront`, by the name of the option. */
const RULES: Readonly<Record<keyof Options, OptionRule>> = {
  port: {
    remedy: `a whole number from 0 to ${MAX_PORT}`,
    isValid: (value) => /^\d+$/.test(String(value)) && Number(value) <= MAX_PORT,
  },
  host: { remedy: 'an address to listen on, such as 127.0.0.1', isValid: isText },
  data: FILE,
  database: { remedy: 'the URL of a PostgreSQL database', isValid: isText },
  databaseSchema: { remedy: 'the name of a schema', isValid: isText },
  durability: createChoice(OPTION_CHOICES.durability),
  defaultData: FILE,
  synonyms: FILE,
  static: FOLDER,
  strict: BOOLEAN,
  contract: FILE,
  allowRefs: { remedy: 'a list of paths of files and folders', isValid: isList },
  mock: {
    remedy: 'true, false or a list of operationIds',
    isValid: (value) => isBoolean(value) || isList(value),
  },
  handlers: {
    remedy: 'an object with functions by operationId, or the path of a module',
    isValid: (value) => isText(value) || isObject(value),
  },
  verify: createChoice(OPTION_CHOICES.verify),
  sandboxes: createChoice(OPTION_CHOICES.sandboxes),
  snapshots: FOLDER,
  auth: {
    remedy: `"form", "off" or a list of tokens`,
    isValid: (value) => value === 'form' || value === 'off' || isList(value),
  },
  delay: {
    remedy: `milliseconds up to ${MAX_DELAY_MS}, or a range such as { from: 200, to: 800 }`,
    isValid: (value) => isDelay(value) || isRange(value),
  },
  control: BOOLEAN,
  controlToken: { remedy: 'a text', isValid: isText },
  allowHost: { remedy: 'a list of host names', isValid: isList },
  allowOrigin: { remedy: 'a list of origins', isValid: isList },
  log: createChoice(OPTION_CHOICES.log),
  logTo: {
    remedy: 'an object with a method write',
    isValid: (value) => isObject(value) && 'write' in value && typeof value.write === 'function',
  },
  nowMs: FUNCTION,
  elapsedMs: FUNCTION,
  newId: FUNCTION,
  responseCache: BOOLEAN,
  requestTimeoutMs: { remedy: 'milliseconds', isValid: isMs },
};

/**
 * Throws a `UserError` for the first unknown option, or for the first option with an invalid value.
 * The value undefined is always valid and means the default value.
 */
export function refuseInvalidOptions(options: object): void {
  const names = Object.keys(RULES);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(RULES, name))
      throw new UserError(`Unknown option ${name} of the server: ${suggestOneOf(name, names, 'options')}.`);
    const { remedy, isValid } = RULES[name as keyof Options];
    if (!isValid(value))
      throw new UserError(`Invalid option ${name} of the server. It is ${format(value)}: use ${remedy}.`);
  }
}

function createChoice(values: readonly string[]): OptionRule {
  const quoted = values.map((value) => JSON.stringify(value));
  const remedy = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { remedy, isValid: (value) => typeof value === 'string' && values.includes(value) };
}

function isRange(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { from, to } = value as Partial<Record<string, unknown>>;
  return isDelay(from) && isDelay(to) && (from as number) <= (to as number);
}

function format(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
