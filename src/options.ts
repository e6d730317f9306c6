import { UserError } from './util/issue.ts';
import { MAX_DELAY_MS } from './util/limits.ts';
import { suggestOneOf } from './util/names.ts';

/** A kind of option values. `Value`: the type of a valid value. */
interface Kind<Value> {
  /** A description of the valid values, for error messages. */
  readonly remedy: string;
  isValid(value: unknown): value is Value;
  /** The valid values, if there is a fixed list. */
  readonly choices?: readonly string[];
  /** How the command line parses a text; undefined if the option has no text or a list of choices. */
  readonly syntax?: Syntax;
}

/** The syntaxes of option values in the command line. `cli/options.ts` has the parser of each syntax. */
export type Syntax =
  | 'urls'
  | 'text'
  | 'folder'
  | 'port'
  | 'names'
  | 'paths'
  | 'hosts'
  | 'origins'
  | 'auth'
  | 'delay'
  | 'pace'
  | 'count';

/** An option of the command line. */
interface CommandLineOption {
  readonly flags: string;
  readonly help: string;
  /** The environment variable with the value of the option, if the command line does not have the option. */
  readonly env?: string;
  /** The default value in the command line. */
  readonly default?: string | number;
  /** A description of the default value, if the command line itself has none. */
  readonly defaultText?: string;
}

/** An option of the server. `cli` is undefined if the command line does not have the option. */
interface ServerOption<Value> {
  readonly kind: Kind<Value>;
  readonly cli: CommandLineOption | undefined;
}

/** The highest number of a port. */
export const MAX_PORT = 65_535;

const isText = (value: unknown): value is string => typeof value === 'string' && /\S/.test(value);
const isList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isMs = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isDelay = (value: unknown): value is number => isMs(value) && value <= MAX_DELAY_MS;
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

const FILE: Kind<string> = { remedy: 'the path of a file', isValid: isText, syntax: 'text' };
const FOLDER: Kind<string> = { remedy: 'the path of a folder', isValid: isText, syntax: 'folder' };
const ADDRESS: Kind<string> = { remedy: 'an address to listen on, such as 127.0.0.1', isValid: isText, syntax: 'text' };
const DATABASE_URL: Kind<string> = { remedy: 'the URL of a PostgreSQL database', isValid: isText, syntax: 'text' };
const SCHEMA_NAME: Kind<string> = { remedy: 'the name of a schema', isValid: isText, syntax: 'text' };
const TOKEN: Kind<string> = { remedy: 'a text', isValid: isText, syntax: 'text' };
const BOOLEAN: Kind<boolean> = { remedy: 'true or false', isValid: isBoolean };
const MILLISECONDS: Kind<number> = { remedy: 'milliseconds', isValid: isMs };
const PORT: Kind<number> = {
  remedy: `a whole number from 0 to ${MAX_PORT}`,
  isValid: (value): value is number => /^\d+$/.test(String(value)) && Number(value) <= MAX_PORT,
  syntax: 'port',
};
const PATHS: Kind<readonly string[]> = {
  remedy: 'a list of paths of files and folders',
  isValid: isList,
  syntax: 'paths',
};
const HOSTS: Kind<readonly string[]> = { remedy: 'a list of host names', isValid: isList, syntax: 'hosts' };
const URLS: Kind<readonly string[]> = {
  remedy: 'a list of absolute http or https URLs without user name and password',
  isValid: (value): value is readonly string[] => isList(value) && value.every(isHttpUrl),
  syntax: 'urls',
};
const WEBHOOK_SECRET: Kind<string> = {
  remedy: '"whsec_" and the Base64 of 24 to 64 random bytes',
  isValid: (value): value is string => isText(value) && isWebhookSecret(value),
  syntax: 'text',
};
const ORIGINS: Kind<readonly string[]> = { remedy: 'a list of origins', isValid: isList, syntax: 'origins' };
const OPERATIONS: Kind<boolean | readonly string[]> = {
  remedy: 'true, false or a list of operationIds',
  isValid: (value): value is boolean | readonly string[] => isBoolean(value) || isList(value),
  syntax: 'names',
};
const HANDLERS: Kind<Readonly<Record<string, unknown>> | string> = {
  remedy: 'an object with functions by operationId, or the path of a module',
  isValid: (value): value is Readonly<Record<string, unknown>> | string => isText(value) || isObject(value),
  syntax: 'text',
};
const CREDENTIALS: Kind<'off' | 'form' | readonly string[]> = {
  remedy: `"form", "off" or a list of tokens`,
  isValid: (value): value is 'off' | 'form' | readonly string[] => value === 'form' || value === 'off' || isList(value),
  syntax: 'auth',
};
const DELAY: Kind<number | { readonly from: number; readonly to: number }> = {
  remedy: `milliseconds up to ${MAX_DELAY_MS}, or a range such as { from: 200, to: 800 }`,
  isValid: (value): value is number | { readonly from: number; readonly to: number } =>
    isDelay(value) || isRange(value),
  syntax: 'delay',
};
const PACE: Kind<number> = {
  remedy: `milliseconds up to ${MAX_DELAY_MS}`,
  isValid: isDelay,
  syntax: 'pace',
};
const COUNT: Kind<number> = {
  remedy: 'a whole number from 1',
  isValid: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 1,
  syntax: 'count',
};
const LOG_TARGET: Kind<{ write(line: string): void; readonly hasColors?: boolean }> = {
  remedy: 'an object with a method write',
  isValid: (value): value is { write(line: string): void; readonly hasColors?: boolean } =>
    isObject(value) && 'write' in value && typeof value.write === 'function',
};
const NUMBER_FUNCTION: Kind<() => number> = {
  remedy: 'a function',
  isValid: (value): value is () => number => typeof value === 'function',
};
const TEXT_FUNCTION: Kind<() => string> = {
  remedy: 'a function',
  isValid: (value): value is () => string => typeof value === 'function',
};

/**
 * All options of the server.
 * From this table come the types, the checks, the options of the command line with their environment variables, and the
 * documentation: the docblocks are the table in `docs/create-storefront.md`.
 */
export const OPTIONS = {
  /** Port to listen on. With 0, the server uses a free port. Default: 0. */
  port: option(PORT, {
    flags: '--port <number>',
    help: 'port to listen on; 0 picks a free port',
    env: 'PORT',
    default: 3000,
  }),
  /** Address to listen on. Default: the loopback address 127.0.0.1, and also ::1 if the machine has IPv6. */
  host: option(ADDRESS, {
    flags: '--host <address>',
    help: 'address to listen on',
    env: 'HOST',
    defaultText: '127.0.0.1 and ::1',
  }),
  /**
   * Path of the data file, which stores the state.
   * Default: none.
   * Without a data file, the state is in memory and is lost when the process ends.
   */
  data: option(FILE, { flags: '--data <file>', help: 'path of the file that stores the data', default: 'db.json' }),
  /**
   * Path of the file with the default data.
   * A new data file gets the default data, and a reset restores it.
   * Default: the default data of the application.
   */
  defaultData: option(FILE, {
    flags: '--default-data <file>',
    help: 'file with the data that a reset restores',
    defaultText: 'the examples in the contract, or the sample data of the built-in shop',
  }),
  /**
   * URL of a PostgreSQL database that stores the state instead of a data file:
   * `postgres://user:password@host:5432/database`.
   * Servers with the same database share the state.
   * Default: none.
   */
  database: option(DATABASE_URL, {
    flags: '--database <url>',
    help: 'URL of a PostgreSQL database that stores the state; several servers can share it',
    env: 'DATABASE_URL',
  }),
  /** Schema of the database that contains the tables. Default: `storefront`. */
  databaseSchema: option(SCHEMA_NAME, {
    flags: '--database-schema <name>',
    help: 'database schema that contains the tables',
    defaultText: 'storefront',
  }),
  /**
   * What committed changes survive.
   * `disk`: a power cut.
   * `memory`: not even a restart, because no file is written.
   * Default: `disk`.
   */
  durability: option(choice('disk', 'memory'), {
    flags: '--durability <mode>',
    help: 'durability of changes: disk (they survive a power cut) or memory (they are lost when the server stops)',
    default: 'disk',
  }),
  /** Path of a JSON file with synonyms for the search: lists of words that mean the same. Default: none. */
  synonyms: option(FILE, {
    flags: '--synonyms <file>',
    help: 'path of a JSON file with synonyms for the search',
  }),
  /** Path of a folder with a built front end, served at `/`. Default: none. */
  static: option(FOLDER, {
    flags: '--static <folder>',
    help: 'folder with a built front end to serve',
    env: 'STATIC',
  }),
  /**
   * Whether to reject requests with properties or parameters that the contract does not define.
   * If false, the server ignores them.
   * Default: false.
   */
  strict: option(BOOLEAN, {
    flags: '--strict',
    help: 'reject requests with properties or query parameters that the contract does not define',
    defaultText: 'ignore these properties and parameters',
  }),
  /**
   * Path or URL of the contract: OpenAPI 3.0 to 3.2, or Swagger 2.0 with the package swagger2openapi.
   * The server stores the resources of the contract, and mocks all other operations that have no handler.
   * Default: the contract of the application.
   */
  contract: option(FILE, {
    flags: '--contract <file>',
    help: 'path or URL of the contract: OpenAPI 3.0 to 3.2, or Swagger 2.0 with the package swagger2openapi',
    defaultText: 'the contract of the built-in shop',
  }),
  /**
   * Files and folders that the contract can include with `$ref`, in addition to the files below its own folder or Git
   * repository.
   * Clients can read the included text at `/openapi.json`.
   * Default: none.
   */
  allowRefs: option(PATHS, {
    flags: '--allow-refs <paths>',
    help: 'comma-separated files and folders that $ref can include, in addition to the folder or Git repository of the contract',
    env: 'STOREFRONT_ALLOW_REFS',
  }),
  /** Operations to mock: `true` for all operations, `false` for none, or a list of operationIds. Default: false. */
  mock: option(OPERATIONS, {
    flags: '--mock [operations]',
    help: 'mock all operations, or only the operations with these comma-separated operationIds',
  }),
  /**
   * Handlers by operationId, or the path of a module that exports handlers.
   * They replace the built-in handlers of the same operations.
   * The value `mocked` mocks an operation.
   */
  handlers: option(HANDLERS, {
    flags: '--handlers <file>',
    help: 'path of a module with handlers by operationId; they take precedence over built-in handlers',
  }),
  /**
   * Validation of responses against the contract.
   * `log` logs violations.
   * `strict` also responds with status 500 instead of an invalid response.
   * `off` does not validate responses.
   * Default: `log`.
   */
  verify: option(choice('log', 'strict', 'off'), {
    flags: '--verify <mode>',
    help: 'validation of responses: log (log violations), strict (also send a 500 response instead of an invalid response) or off',
    default: 'log',
  }),
  /**
   * Which sandboxes a request can name.
   * `any`: any sandbox; the first request creates it.
   * `declared`: only sandboxes that a client has created with the control API.
   * `required`: any sandbox, but requests to operations that name none are refused.
   * `visitor`: any sandbox; each browser that names none gets a sandbox by cookie.
   * Default: `any`.
   */
  sandboxes: option(choice('any', 'declared', 'required', 'visitor'), {
    flags: '--sandboxes <mode>',
    help: 'sandboxes that requests can use: any (the first request that names a sandbox creates it), declared (only sandboxes that were created with the control API), required (any, but requests that name none are refused) or visitor (any, and each browser that names none gets its own by cookie)',
    default: 'any',
  }),
  /**
   * Path of a folder with snapshots.
   * Each file `NAME.json` contains a whole state, or only the collections that differ from the default data.
   * Default: none.
   */
  snapshots: option(FOLDER, {
    flags: '--snapshots <folder>',
    help: 'folder with your snapshots: one file NAME.json for each snapshot',
  }),
  /**
   * Check of the credentials that `security` in the contract requires.
   * `form` accepts all credentials in the correct format.
   * `off` requires no credentials.
   * A list accepts only the tokens in the list.
   * The list entry `T=a+b` is the token `T` with only the scopes `a` and `b`.
   * The list entry `T=@u` is the token `T` of the user whose id or login is `u`.
   * Default: `form`.
   */
  auth: option(CREDENTIALS, {
    flags: '--auth <mode>',
    help: 'credentials to accept for operations with a security requirement: form (any credentials in a valid format, and tokens of a login if the contract has one), off (do not check), or comma-separated tokens; TOKEN=read+write limits the token to the scopes read and write, and TOKEN=@ann is the token of the user with the id or login ann',
    defaultText: 'form',
  }),
  /**
   * Delay of the responses of all operations in ms, up to 60,000.
   * With a range, each response has a random delay from the range.
   * Default: none.
   */
  delay: option(DELAY, {
    flags: '--delay <ms>',
    help: 'delay of each response: milliseconds or a range (200-800), up to 60000',
    defaultText: '0',
  }),
  /** Time between two items of a mocked stream in ms, such as server-sent events, up to 60,000. Default: 0. */
  streamPace: option(PACE, {
    flags: '--stream-pace <ms>',
    help: 'time between two items of a mocked stream, such as server-sent events, in milliseconds',
    defaultText: '0',
  }),
  /** Whether a mocked stream stays open after its last item. Default: false. */
  streamOpen: option(BOOLEAN, {
    flags: '--stream-open',
    help: 'keep a mocked stream open after its last item',
    defaultText: 'end it',
  }),
  /**
   * Maximum number of streams that the server sends at the same time.
   * The response to further requests has the status 503.
   * Default: 500.
   */
  maxStreams: option(COUNT, {
    flags: '--max-streams <number>',
    help: 'maximum number of streams that the server sends at the same time',
    defaultText: '500',
  }),
  /** URLs to which the server sends the webhooks of the contract, with `POST`. Default: none. */
  webhookUrl: option(URLS, {
    flags: '--webhook-url <url>',
    help: 'URL to which the server sends the webhooks of the contract; repeatable',
    env: 'STOREFRONT_WEBHOOK_URL',
  }),
  /**
   * Secret with which the server signs webhooks and callbacks (Standard Webhooks): `whsec_` and a key in Base64.
   * Default: none, so that the requests have no signature.
   */
  webhookSecret: option(WEBHOOK_SECRET, {
    flags: '--webhook-secret <secret>',
    help: 'secret that signs webhooks and callbacks: whsec_ and a key in Base64',
    env: 'STOREFRONT_WEBHOOK_SECRET',
  }),
  /**
   * Hosts to which the server may send webhooks and callbacks, in addition to this machine.
   * `.a.test` allows `a.test` and its subdomains.
   * `*` allows all hosts.
   * Default: none.
   */
  allowCallback: option(HOSTS, {
    flags: '--allow-callback <hosts>',
    help: 'comma-separated hosts to which the server may send webhooks and callbacks, in addition to this machine; repeatable',
  }),
  /**
   * Whether the control API is enabled.
   * If `host` is not a loopback address, the control API also needs `controlToken`.
   * Default: true.
   */
  control: option(BOOLEAN, {
    flags: '--no-control',
    help: 'disable the control API, except /_control/health and /_control/ready',
  }),
  /** Bearer token that requests to the control API must send. Default: none. */
  controlToken: option(TOKEN, {
    flags: '--control-token <token>',
    help: 'bearer token that the control API requires',
    env: 'STOREFRONT_CONTROL_TOKEN',
  }),
  /**
   * Allowed host names, in addition to `localhost`, its subdomains, IP addresses and `host`.
   * `.a.test` allows `a.test` and its subdomains.
   * Pages with these host names can read responses and change data.
   * `*` allows all names in the `Host` header.
   * Default: none.
   */
  allowHost: option(HOSTS, {
    flags: '--allow-host <names>',
    env: 'STOREFRONT_ALLOW_HOST',
    help: 'comma-separated host names of the server, in addition to localhost and IP addresses, that requests and pages can use; a leading dot (.example.test) includes subdomains; * allows all names in the Host header',
  }),
  /**
   * Origins whose pages can read responses and change data, in addition to loopback origins and to origins with the
   * host name of the request, a name in `allowHost` or an IP address of this machine.
   * `https://*.a.test` allows the subdomains of `a.test`.
   * `*` allows all origins.
   * Default: none.
   */
  allowOrigin: option(ORIGINS, {
    flags: '--allow-origin <origins>',
    env: 'STOREFRONT_ALLOW_ORIGIN',
    help: 'comma-separated origins, such as https://a.test or https://*.a.test, whose pages may send requests (CORS); * allows all origins, and localhost is always allowed',
  }),
  /** Format of the log. With `off`, the server logs only warnings and errors. Default: `off`. */
  log: option(choice('pretty', 'json', 'off'), {
    flags: '--log <format>',
    help: 'log format; with off, only warnings and errors are logged',
    defaultText: 'pretty on a terminal, otherwise json',
  }),
  /**
   * Destination of the log.
   * With `hasColors`, the format `pretty` has colors.
   * Default: standard output, or standard error if `log` is `off`.
   */
  logTo: option(LOG_TARGET),
  /**
   * Whether to cache the bytes of GET responses until the state changes.
   * The cache does not change any response.
   * Default: true.
   */
  responseCache: option(BOOLEAN),
  /** Time limit for receiving a request, in ms. Default: 30,000. */
  requestTimeoutMs: option(MILLISECONDS),
  /** Returns the system time for the clocks of sandboxes, in ms since 1970. Default: `Date.now`. */
  nowMs: option(NUMBER_FUNCTION),
  /**
   * Returns a time in ms that never decreases.
   * The server uses it to decide when unused sandboxes expire.
   * Default: `performance.now`.
   */
  elapsedMs: option(NUMBER_FUNCTION),
  /** Returns a new UUID. Default: `crypto.randomUUID`. */
  newId: option(TEXT_FUNCTION),
};

type OptionTable = typeof OPTIONS;

/** Options of a server, for any application. */
export type ServerOptions = {
  readonly [Name in keyof OptionTable]?: OptionTable[Name] extends ServerOption<infer Value>
    ? Value | undefined
    : never;
};

/**
 * Throws a `UserError` for the first unknown option, or for the first option with an invalid value.
 * The value undefined is always valid and means the default value.
 */
export function refuseInvalidOptions(options: object): void {
  const names = Object.keys(OPTIONS);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(OPTIONS, name))
      throw new UserError(`Unknown option ${name} of the server: ${suggestOneOf(name, names, 'options')}.`);
    const { kind } = OPTIONS[name as keyof OptionTable];
    if (!kind.isValid(value))
      throw new UserError(
        `Invalid option ${name} of the server${isSecret(name, value) ? '' : `. It is ${format(value)}`}: use ${kind.remedy}.`,
      );
  }
}

/** Returns whether the value of an option can have a password or a token, which is not in error messages. */
function isSecret(name: string, value: unknown): boolean {
  const names = ['database', 'controlToken', 'webhookSecret', 'webhookUrl'];
  return name === 'auth' ? Array.isArray(value) : names.includes(name);
}

function option<Value>(kind: Kind<Value>, cli?: CommandLineOption): ServerOption<Value> {
  return { kind, cli };
}

function choice<Choice extends string>(...choices: readonly Choice[]): Kind<Choice> {
  const quoted = choices.map((value) => JSON.stringify(value));
  const remedy = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return { remedy, isValid: (value): value is Choice => choices.some((one) => one === value), choices };
}

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Returns whether a text is a secret of Standard Webhooks. */
function isWebhookSecret(text: string): boolean {
  const [, key = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(key, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}

function isRange(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { from, to } = value;
  return isDelay(from) && isDelay(to) && from <= to;
}

function format(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
