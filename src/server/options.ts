import type { HttpOptions } from '../http/options.ts';
import type { Durability } from '../store/open-state.ts';
import { UserError } from '../util/issue.ts';
import { MAX_DELAY_MS } from '../util/limits.ts';
import { suggestOneOf } from '../util/names.ts';
import type { HandlersOf, ShopApi } from './api-types.ts';
import type { LogStyle } from './logger.ts';

/**
 * Options of `createStorefront`.
 * Most of them are also options of the command line, with the same names.
 * `Api`: the types that openapi-typescript has generated from the contract.
 */
export interface Options<Api extends object = ShopApi> extends ServerOptions {
  readonly handlers?: (HandlersOf<Api> & Readonly<Record<string, unknown>>) | string | undefined;
}

/** Options of a server, for any application. */
export interface ServerOptions extends HttpOptions {
  /** Port to listen on. With 0, the server uses a free port. Default: 0. */
  readonly port?: number | undefined;
  /**
   * Path of the data file, which stores the state.
   * Default: none.
   * Without a data file, the state is in memory and is lost when the process ends.
   */
  readonly data?: string | undefined;
  /**
   * What committed changes survive.
   * `disk`: a power cut.
   * `memory`: not even a restart, because no file is written.
   * Default: `disk`.
   */
  readonly durability?: Durability | undefined;
  /**
   * URL of a PostgreSQL database that stores the state instead of a data file:
   * `postgres://user:password@host:5432/database`.
   * Servers with the same database share the state.
   * Default: none.
   */
  readonly database?: string | undefined;
  /** Schema of the database that contains the tables. Default: `storefront`. */
  readonly databaseSchema?: string | undefined;
  /**
   * Path of the file with the default data.
   * A new data file gets the default data, and a reset restores it.
   * Default: the default data of the application.
   */
  readonly defaultData?: string | undefined;
  /**
   * Whether to reject requests with properties or parameters that the contract does not define.
   * If false, the server ignores them.
   * Default: false.
   */
  readonly strict?: boolean | undefined;
  /** Format of the log. With `off`, the server logs only warnings and errors. Default: `off`. */
  readonly log?: LogStyle | undefined;
  /**
   * Destination of the log.
   * With `hasColors`, the format `pretty` has colors.
   * Default: standard output, or standard error if `log` is `off`.
   */
  readonly logTo?: { write(line: string): void; readonly hasColors?: boolean } | undefined;
  /** Returns the system time for the clocks of sandboxes, in ms since 1970. Default: `Date.now`. */
  readonly nowMs?: (() => number) | undefined;
  /**
   * Returns a time in ms that never decreases.
   * The server uses it to decide when unused sandboxes expire.
   * Default: `performance.now`.
   */
  readonly elapsedMs?: (() => number) | undefined;
  /** Returns a new UUID. Default: `crypto.randomUUID`. */
  readonly newId?: (() => string) | undefined;
  /**
   * Path of the contract, an OpenAPI 3.0 or 3.1 document.
   * The server stores the resources of the contract, and mocks all other operations that have no handler.
   * Default: the contract of the application.
   */
  readonly contract?: string | undefined;
  /**
   * Files and folders that the contract can include with `$ref`, in addition to the files below its own folder or Git
   * repository.
   * Clients can read the included text at `/openapi.json`.
   * Default: none.
   */
  readonly allowRefs?: readonly string[] | undefined;
  /** Operations to mock: `true` for all operations, `false` for none, or a list of operationIds. Default: false. */
  readonly mock?: boolean | readonly string[] | undefined;
  /**
   * Handlers by operationId, or the path of a module that exports handlers.
   * They replace the built-in handlers of the same operations.
   * The value `mocked` mocks an operation.
   */
  readonly handlers?: Readonly<Record<string, unknown>> | string | undefined;
  /**
   * Path of a folder with snapshots.
   * Each file `NAME.json` contains a whole state, or only the collections that differ from the default data.
   * Default: none.
   */
  readonly snapshots?: string | undefined;
  /** Path of a JSON file with synonyms for the search: lists of words that mean the same. Default: none. */
  readonly synonyms?: string | undefined;
  /**
   * Which sandboxes a request can name.
   * `any`: any sandbox; the first request creates it.
   * `declared`: only sandboxes that a client has created with the control API.
   * Default: `any`.
   */
  readonly sandboxes?: 'any' | 'declared' | undefined;
}

/**
 * Options of `repair`.
 * `data`: the path of the data file to repair.
 * `defaultData`: the path of the default data to restore.
 */
export type RepairOptions = Pick<Options, 'defaultData' | 'contract' | 'allowRefs'> & { readonly data: string };

/** A running server. */
export interface Storefront {
  /** The URL of the server, without a slash at the end. */
  readonly url: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** The path of the data file; undefined if there is no data file. */
  readonly dataFile: string | undefined;
  /** The URL of the database that stores the state, without the password; undefined if there is no database. */
  readonly database: string | undefined;
  /** What committed changes survive. */
  readonly durability: Durability;
  /** The number of operations in the contract. */
  readonly operations: number;
  /** The operationIds of the mocked operations. */
  readonly mocked: readonly string[];
  /**
   * Writes all committed changes to the data file, so that another program can read or edit it.
   * Rejects if the file can't be written.
   * The server then still has the changes.
   */
  flush(): Promise<void>;
  /**
   * Stops the server: it accepts no new requests, waits up to 8 s for current requests, and releases the port and the
   * data file.
   */
  close(): Promise<void>;
}

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
