import { Command, InvalidArgumentError } from 'commander';

/** The command `check`. */
export interface CheckCommand {
  /** The URL of the server; undefined for the built-in shop. */
  readonly url?: string | undefined;
  /** The path of the OpenAPI document; undefined for the built-in contract. */
  readonly contract?: string | undefined;
  /** The maximum time to wait for the server, in s. */
  readonly wait: number;
  /** Whether the server may be changed. */
  readonly allowWrites: boolean;
  /** Whether the server has its default data, and no other client. */
  readonly isFresh?: boolean;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  readonly only?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly runs: number;
  /** The maximum duration of the check, in s; 0 or undefined for no limit. */
  readonly maxTime?: number | undefined;
  /** Headers that select further sandboxes of the server, in which parts of the check run concurrently. */
  readonly sandboxHeaders?: readonly Readonly<Record<string, string>>[];
  /** Files to write: JUnit XML, and Markdown, which is appended. */
  readonly report?: string | undefined;
  readonly summary?: string | undefined;
}

/** The default number of generated requests for each operation, and of sequences. */
const DEFAULT_RUNS = 50;

/** The default maximum duration of a check, in s. */
const DEFAULT_MAX_TIME_SECONDS = 300;

/** The longest time that an option accepts, in s. */
const DAY_SECONDS = 86_400;

/** The largest seed. */
export const MAX_SEED = 2 ** 31 - 1;

/** Creates the subcommand `check`. It calls `onCheck` with the parsed command. */
export function createCheckCommand(
  environment: Readonly<Record<string, string | undefined>>,
  onCheck: (command: CheckCommand) => void,
): Command {
  return addCheckOptions(new Command('check'), environment)
    .description('Check a server against its contract; without a URL, check the built-in shop.')
    .argument('[url]', 'URL of the server', parseUrl)
    .allowExcessArguments(false)
    .exitOverride()
    .action((url: string | undefined, options: CheckFlags) => onCheck(toCheckCommand(options, url)));
}

/** The options as commander parses them. */
export interface CheckFlags extends Omit<CheckCommand, 'headers' | 'allowWrites'> {
  readonly header?: Readonly<Record<string, string>>;
  readonly allowWrites?: boolean;
}

/** Converts parsed options to a command. */
export function toCheckCommand(
  { header = {}, allowWrites = false, ...flags }: CheckFlags,
  url: string | undefined,
): CheckCommand {
  return { ...flags, url, headers: header, allowWrites };
}

/** Adds the options of a check to a command. */
export function addCheckOptions(command: Command, environment: Readonly<Record<string, string | undefined>>): Command {
  return command
    .option('--contract <file>', 'OpenAPI 3.0 or 3.1 document (default: the built-in contract)')
    .option(
      '--wait <seconds>',
      'wait up to this long for the server to respond',
      createIntegerParser('--wait', DAY_SECONDS),
      0,
    )
    .option('--allow-writes', 'allow requests that change or reset the data of the server')
    .option('-H, --header <header>', "header for all requests, 'Name: value'; repeatable", parseHeader)
    .option('--only <operations>', 'check only these operations (a,b)', parseOperationIds)
    .option('--exclude <operations>', 'never send requests to these operations (a,b)', parseOperationIds)
    .option(
      '--seed <number>',
      'seed of the generated requests, to repeat a check; a report shows its seed',
      createIntegerParser('--seed', MAX_SEED),
    )
    .option(
      '--runs <number>',
      'number of generated requests for each operation, and of sequences',
      createIntegerParser('--runs', 100_000),
      DEFAULT_RUNS,
    )
    .option(
      '--max-time <seconds>',
      'stop after this time and report the results so far; 0: no limit',
      createIntegerParser('--max-time', DAY_SECONDS),
      DEFAULT_MAX_TIME_SECONDS,
    )
    .option('--report <file>', 'write a JUnit XML report')
    .option(
      '--summary <file>',
      'append a Markdown summary to this file (default: the file in GITHUB_STEP_SUMMARY)',
      environment.GITHUB_STEP_SUMMARY,
    );
}

/** Parses the URL of a server. Throws `InvalidArgumentError` if it is invalid. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '') return text;
  throw new InvalidArgumentError('Enter a URL such as http://localhost:3000.');
}

/** Returns a parser of integers from 0 to `largest`. */
function createIntegerParser(what: string, largest: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) <= largest) return Number(text);
    throw new InvalidArgumentError(`${what} must be an integer from 0 to ${largest}.`);
  };
}

function parseHeader(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Enter a header as 'Name: value'.");
  return { ...before, [name.toLowerCase()]: value.trimEnd() };
}

/** Parses operation ids, separated by commas. Throws `InvalidArgumentError` if one is empty. */
export function parseOperationIds(text: string): readonly string[] {
  const ids = text.split(',').map((id) => id.trim());
  if (!ids.includes('')) return ids;
  throw new InvalidArgumentError('Enter operation ids, separated by commas.');
}
