import { Command, InvalidArgumentError, Option } from 'commander';
import type { CsrfOptions } from './csrf-token.ts';
import type { CredentialSources, PactStates } from './hooks.ts';
import type { SettingsBySelector } from './operation-settings.ts';
import type { Confidence } from './rules.ts';

/** A parsed `storefront check` command. */
export interface CheckCommand {
  /** The URL of the server; undefined for the built-in shop. */
  readonly url?: string | undefined;
  /** The path or the URL of the OpenAPI document; undefined for the built-in contract. */
  readonly contract?: string | undefined;
  /** Files and folders outside the folder of the document that it can include with `$ref`. Default: none. */
  readonly allowRefs?: readonly string[] | undefined;
  /** The maximum time to wait until the server responds, in s. */
  readonly wait: number;
  /** The maximum time to wait for a response, in s. Default: 30. */
  readonly timeout?: number | undefined;
  /** The maximum number of requests in a second. Default: no limit. */
  readonly rate?: number | undefined;
  /** Whether the check accepts any certificate of the server. Default: false. */
  readonly insecure?: boolean | undefined;
  /** The path of a PEM file with the certificates of further authorities. */
  readonly ca?: string | undefined;
  /** The path of a PEM file with the certificate of the client. */
  readonly cert?: string | undefined;
  /** The path of a PEM file with the key of the client. Default: the file of the certificate. */
  readonly key?: string | undefined;
  /** Where the server expects a CSRF token. Default: nowhere. */
  readonly csrf?: CsrfOptions | undefined;
  /** Whether the check may send requests that change the data of the server. */
  readonly allowWrites: boolean;
  /** Whether the server has its default data and no other client. Default: false. */
  readonly isFresh?: boolean;
  /**
   * Whether the server forbids undocumented query parameters and properties, as `storefront --strict` does.
   * Default: false.
   */
  readonly strict?: boolean;
  /** Headers of all requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Query parameters of all requests, such as an API key. Default: none. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** The operations to check: operationIds, methods, paths, tags or `deprecated`. Default: all operations. */
  readonly only?: readonly string[] | undefined;
  /** The operations to which no requests are sent. Default: none. */
  readonly exclude?: readonly string[] | undefined;
  /** Settings of single operations, from the configuration. Default: none. */
  readonly operations?: SettingsBySelector | undefined;
  /** The values of parameters in valid requests to all operations that have them, by name. Default: none. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** The credentials of the security schemes, from the configuration. Default: generated ones. */
  readonly credentials?: CredentialSources | undefined;
  /** The seed of the generated requests. Default: a random seed. */
  readonly seed?: number | undefined;
  /**
   * The number of random requests to each operation.
   * If a behaviour model describes the contract, the check also sends this many random request sequences.
   */
  readonly runs: number;
  /** The maximum duration of the check, in s; 0 or undefined for no limit. */
  readonly maxTime?: number | undefined;
  /**
   * Headers that select additional sandboxes (isolated states of the server): one set of headers for each sandbox.
   * Different parts of the check run in different sandboxes at the same time.
   */
  readonly sandboxHeaders?: readonly Readonly<Record<string, string>>[];
  /** The least confidence of a violation that makes the check fail. Default: likely. */
  readonly confidence?: Confidence | undefined;
  /** The path of a HAR file: the check sends no requests, and checks the recorded ones. */
  readonly har?: string | undefined;
  /** The path of a pact whose interactions are checked. */
  readonly pact?: string | undefined;
  /** The provider states of the pact, from the configuration. With a URL, the check sends its interactions. */
  readonly states?: PactStates | undefined;
  /** The address of a storefront server whose recorded requests are checked. */
  readonly journal?: string | undefined;
  /** The path of a file with known failures, which do not make the check fail. */
  readonly baseline?: string | undefined;
  /** Whether the check adds its failures to the baseline, and removes those that are fixed. */
  readonly updateBaseline?: boolean;
  /** Whether a fixed failure in the baseline makes the check fail. */
  readonly strictBaseline?: boolean;
  /** The paths of reports to write. The end of the name determines the format. */
  readonly report?: readonly string[] | undefined;
  /** The folder of the repository, if the check runs in GitHub Actions and prints annotations. */
  readonly annotationsFor?: string | undefined;
  /** The path of a file to which a Markdown summary is appended. */
  readonly summary?: string | undefined;
}

/** The default value of `runs`. */
const DEFAULT_RUNS = 50;

/** The default maximum duration of a check, in s. */
const DEFAULT_MAX_TIME_SECONDS = 300;

/** The default maximum time to wait for a response, in s. */
export const DEFAULT_TIMEOUT_SECONDS = 30;

/** The maximum value of the options --wait, --timeout and --max-time, in s: one day. */
const DAY_SECONDS = 86_400;

/** Returns whether a command checks recorded requests, and sends none. */
export function isRecorded({ har, journal, pact }: CheckCommand): boolean {
  return [har, journal, pact].some((source) => source !== undefined);
}

/** The largest seed. */
export const MAX_SEED = 2 ** 31 - 1;

/** Creates the command `check`. Calls `onCheck` with the parsed command. */
export function createCheckCommand(
  environment: Readonly<Record<string, string | undefined>>,
  onCheck: (command: CheckCommand) => void,
): Command {
  return addCheckOptions(new Command('check'), environment)
    .description(
      'Check whether a server conforms to its contract. Without a URL, check the server of the configuration file, or else the built-in shop.',
    )
    .argument(
      '[url]',
      'URL of the server (default: check.url of the configuration file, otherwise a new server of the built-in shop)',
      parseUrl,
    )
    .allowExcessArguments(false)
    .exitOverride()
    .action((url: string | undefined, options: CheckFlags) => {
      const { GITHUB_ACTIONS, GITHUB_WORKSPACE = '.' } = environment;
      const annotations = GITHUB_ACTIONS === 'true' ? { annotationsFor: GITHUB_WORKSPACE } : {};
      onCheck({ ...toCheckCommand(options, url), ...annotations });
    });
}

/** The options of a check as commander returns them. */
export interface CheckFlags extends Omit<CheckCommand, 'headers' | 'allowWrites'> {
  readonly header?: Readonly<Record<string, string>>;
  readonly allowWrites?: boolean;
}

/** Converts the options that commander returns to a parsed command. */
export function toCheckCommand(
  { header = {}, allowWrites = false, ...flags }: CheckFlags,
  url: string | undefined,
): CheckCommand {
  return { ...flags, url, headers: header, allowWrites };
}

/** Adds the options of a check to a command. */
export function addCheckOptions(command: Command, environment: Readonly<Record<string, string | undefined>>): Command {
  command
    .option(
      '--contract <file>',
      'path or URL of the contract: OpenAPI 3.0 to 3.2, or Swagger 2.0 with the package swagger2openapi (default: for a storefront server, the contract that it serves, otherwise the contract of the built-in shop)',
    )
    .option(
      '--allow-refs <paths>',
      'comma-separated files and folders that $ref can include, in addition to the folder or Git repository of the contract (env: STOREFRONT_ALLOW_REFS)',
      parsePaths,
    )
    .option(
      '--wait <seconds>',
      'maximum time to wait until the server responds, at the start of the check and if the server stops during the check',
      createIntegerParser('--wait', DAY_SECONDS),
      0,
    )
    .option(
      '--timeout <seconds>',
      'maximum time to wait for each response',
      createIntegerParser('--timeout', DAY_SECONDS, 1),
      DEFAULT_TIMEOUT_SECONDS,
    )
    .option('--allow-writes', 'allow requests that change the data of the server')
    .option('-H, --header <header>', "header of all requests: 'Name: value' (repeatable)", parseHeader)
    .option(
      '--query <parameter>',
      "query parameter of all requests, such as an API key: 'name=value' (repeatable)",
      parseQueryParameter,
    )
    .option(
      '--seed <number>',
      'seed of the generated requests; to repeat a check, use the seed in its report',
      createIntegerParser('--seed', MAX_SEED),
    )
    .option(
      '--runs <number>',
      'number of random requests to each operation; a check of the shop also sends this many random request sequences',
      createIntegerParser('--runs', 100_000),
      DEFAULT_RUNS,
    )
    .option(
      '--max-time <seconds>',
      'time limit; when it is reached, the check stops and reports its results so far (0: no limit)',
      createIntegerParser('--max-time', DAY_SECONDS),
      DEFAULT_MAX_TIME_SECONDS,
    );
  return addReportOptions(addSelectionOptions(addConnectionOptions(command)), environment);
}

/** Adds the options that say how the check reaches the server. */
function addConnectionOptions(command: Command): Command {
  return command
    .option('--rate <limit>', 'maximum request rate, such as 10/s or 300/m', parseRate)
    .option(
      '--csrf <names>',
      'send the CSRF token of a cookie in a header: COOKIE:HEADER, or COOKIE:HEADER:PATH with the path of a response that sets the cookie',
      parseCsrf,
    )
    .option('--insecure', 'accept any certificate of the server, for a test server with a self-signed certificate')
    .option('--ca <file>', 'PEM file with the certificate of the authority that signed the certificate of the server')
    .option('--cert <file>', 'PEM file with the certificate of the client, for servers that require one')
    .option('--key <file>', 'PEM file with the key of the client (default: the file of --cert)');
}

/** Adds the options that select what is checked. */
function addSelectionOptions(command: Command): Command {
  return command
    .option(
      '--only <operations>',
      'comma-separated operations to check: operationIds, methods (GET), paths (/tasks/*), tags (tag:tasks), or deprecated (default: all)',
      parseOperationIds,
    )
    .option('--exclude <operations>', 'comma-separated operations to skip, as in --only', parseOperationIds)
    .option(
      '--pact <file>',
      'check whether the interactions of a pact conform to the contract; with `states` in the configuration, send them to the server',
    )
    .option('--har <file>', 'check the requests and responses of a HAR file, and send no requests')
    .option(
      '--journal <url>',
      'check the requests and responses that a storefront server at this address has recorded, and send no others',
      parseUrl,
    );
}

function addReportOptions(command: Command, environment: Readonly<Record<string, string | undefined>>): Command {
  return command
    .addOption(
      new Option(
        '--confidence <level>',
        'violations that make the check fail: likely (all violations) or certain (only what the contract or a standard forbids)',
      )
        .choices(['likely', 'certain'])
        .default('likely'),
    )
    .option('--baseline <file>', 'JSON file with known failures: the check fails only for new ones')
    .option('--update-baseline', 'add the failures of this check to the baseline, and remove those that are fixed')
    .option('--strict-baseline', 'also fail if the baseline has failures that are fixed')
    .option(
      '--report <file>',
      'file to write a report to (repeatable): SARIF if its name ends with .sarif, JSON for .json, Markdown for .md, otherwise JUnit XML',
      (path: string, paths: readonly string[] = []) => [...paths, path],
    )
    .option(
      '--summary <file>',
      'file to append a Markdown summary to (env: GITHUB_STEP_SUMMARY)',
      environment.GITHUB_STEP_SUMMARY,
    );
}

/**
 * Parses the URL of a server.
 * Throws an `InvalidArgumentError` if it is invalid or has a user name, a query or a fragment.
 */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '') return text;
  throw new InvalidArgumentError('Use a URL such as http://localhost:3000.');
}

/** Creates a parser of integers from `smallest` to `largest` for the option `flag`. */
function createIntegerParser(flag: string, largest: number, smallest = 0): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) <= largest && Number(text) >= smallest) return Number(text);
    throw new InvalidArgumentError(`${flag} must be an integer from ${smallest} to ${largest}.`);
  };
}

/** Parses a request rate. Returns the number of requests in a second. */
function parseRate(text: string): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([sm]))?$/.exec(text) ?? [];
  if (Number(number) > 0) return Number(number) / (unit === 'm' ? SECONDS_PER_MINUTE : 1);
  throw new InvalidArgumentError('Use a number of requests in a second or a minute, such as 10/s or 300/m.');
}

function parseCsrf(text: string): CsrfOptions {
  const [, cookie, header, path] = /^([^\s:;,=]+):([\w!#$%&'*+.^`|~-]+)(?::(\/\S*))?$/.exec(text) ?? [];
  if (cookie !== undefined && header !== undefined) return { cookie, header, path };
  throw new InvalidArgumentError('Use the names of the cookie and of the header, such as XSRF-TOKEN:X-XSRF-TOKEN.');
}

const SECONDS_PER_MINUTE = 60;

function parsePaths(text: string, previous: readonly string[] = []): readonly string[] {
  const paths = text.split(',').map((path) => path.trim());
  if (paths.every((path) => path !== '')) return [...previous, ...paths];
  throw new InvalidArgumentError('Separate paths with commas.');
}

function parseHeader(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Use a header such as 'Name: value'.");
  return { ...before, [name.toLowerCase()]: value.trimEnd() };
}

function parseQueryParameter(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value = ''] = /^([^=&#\s]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("Use a query parameter such as 'name=value'.");
  return { ...before, [name]: value };
}

/**
 * Parses comma-separated operationIds.
 * Adds them to those of an earlier option.
 * Throws an `InvalidArgumentError` if an id is empty.
 */
function parseOperationIds(text: string, before: readonly string[] = []): readonly string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (!ids.includes('')) return [...before, ...ids];
  throw new InvalidArgumentError('Use comma-separated operationIds, such as listPets,createPet.');
}
