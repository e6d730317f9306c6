import { Command, InvalidArgumentError, Option } from 'commander';
import type { Confidence } from './rules.ts';

/** A parsed `storefront check` command. */
export interface CheckCommand {
  /** The URL of the server; undefined for the built-in shop. */
  readonly url?: string | undefined;
  /** The path of the OpenAPI document; undefined for the built-in contract. */
  readonly contract?: string | undefined;
  /** Files and folders outside the folder of the document that it can include with `$ref`. Default: none. */
  readonly allowRefs?: readonly string[] | undefined;
  /** The maximum time to wait until the server responds, in s. */
  readonly wait: number;
  /** The maximum time to wait for a response, in s. Default: 30. */
  readonly timeout?: number | undefined;
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
  /** The ids of the operations to check. Default: all operations. */
  readonly only?: readonly string[] | undefined;
  /** The ids of the operations to which no requests are sent. Default: none. */
  readonly exclude?: readonly string[] | undefined;
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
  /** The path of a report to write: JSON if it ends with `.json`, otherwise JUnit XML. */
  readonly report?: string | undefined;
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

/** The largest seed. */
export const MAX_SEED = 2 ** 31 - 1;

/** Creates the command `check`. Calls `onCheck` with the parsed command. */
export function createCheckCommand(
  environment: Readonly<Record<string, string | undefined>>,
  onCheck: (command: CheckCommand) => void,
): Command {
  return addCheckOptions(new Command('check'), environment)
    .description('Check whether a server conforms to its contract. Without a URL, check the built-in shop.')
    .argument('[url]', 'URL of the server (default: a new server of the built-in shop)', parseUrl)
    .allowExcessArguments(false)
    .exitOverride()
    .action((url: string | undefined, options: CheckFlags) => onCheck(toCheckCommand(options, url)));
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
      'contract: an OpenAPI 3.0 or 3.1 document (default: the contract of the built-in shop)',
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
    .option('--only <operations>', 'comma-separated operationIds to check (default: all)', parseOperationIds)
    .option('--exclude <operations>', 'comma-separated operationIds to skip', parseOperationIds)
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
  return addReportOptions(command, environment);
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
    .option('--report <file>', 'file to write a report to: JSON if its name ends with .json, otherwise JUnit XML')
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
