import { Command, InvalidArgumentError } from 'commander';

/** What a check is asked for. */
export interface CheckCommand {
  /** The server that is judged; undefined for a shop of our own. */
  readonly url?: string | undefined;
  /** The contract, an OpenAPI document; undefined for the one that comes along. */
  readonly contract?: string | undefined;
  /** How long to wait until the server answers, in s. */
  readonly wait: number;
  /** Whether the server may be changed. */
  readonly allowWrites: boolean;
  /** Whether it is in its default data, and nobody else's. */
  readonly isFresh?: boolean;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  readonly only?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  readonly runs: number;
  /** How long the check may take, in s; 0 or undefined for as long as it takes. */
  readonly maxTime?: number | undefined;
  /** Headers of further sandboxes of the server, in which parts are judged at the same time. */
  readonly sandboxHeaders?: readonly Readonly<Record<string, string>>[];
  /** Files to write: JUnit XML, and Markdown, which is added to what the file holds. */
  readonly report?: string | undefined;
  readonly summary?: string | undefined;
}

/** How many generated requests each operation gets, and how many sequences are played, unless the command says otherwise. */
const DEFAULT_RUNS = 50;

/** How long a check may take unless the command says otherwise, in s. */
const DEFAULT_MAX_TIME_SECONDS = 300;

/** The largest seed. */
export const LARGEST_SEED = 2 ** 31 - 1;

/** The subcommand `check`, with the options that are common to all who judge a server. `onCheck` is told what is asked for. */
export function checkCommand(
  environment: Readonly<Record<string, string | undefined>>,
  onCheck: (command: CheckCommand) => void,
): Command {
  return addCheckOptions(new Command('check'), environment)
    .description(
      'Checks a server against its contract; without a URL, checks the built-in shop. Exits with 0 if the check passes.',
    )
    .argument('[url]', 'URL of the server', address)
    .allowExcessArguments(false)
    .exitOverride()
    .action((url: string | undefined, options: CheckFlags) => onCheck(toCheckCommand(options, url)));
}

/** What commander makes of the flags. */
export interface CheckFlags extends Omit<CheckCommand, 'headers' | 'allowWrites'> {
  readonly header: Readonly<Record<string, string>>;
  readonly allowWrites?: boolean;
}

/** A check as its flags have it. */
export function toCheckCommand(
  { header, allowWrites = false, ...flags }: CheckFlags,
  url: string | undefined,
): CheckCommand {
  return { ...flags, url, headers: header, allowWrites };
}

/** A command with the options of a check. */
export function addCheckOptions(command: Command, environment: Readonly<Record<string, string | undefined>>): Command {
  return command
    .option('--contract <file>', 'OpenAPI 3.0 or 3.1 document (default: the built-in contract)')
    .option(
      '--wait <seconds>',
      'wait up to this long for the server to respond',
      createIntegerParser('--wait', 86_400),
      0,
    )
    .option('--allow-writes', 'allow requests that change or reset the data of the server')
    .option('-H, --header <header>', "header for all requests, 'Name: value'; repeatable", header, {})
    .option('--only <operations>', 'check only these operations (a,b)', ids)
    .option('--exclude <operations>', 'never send requests to these operations (a,b)', ids)
    .option(
      '--seed <number>',
      'seed of the generated requests, to repeat a check; a report shows its seed',
      createIntegerParser('--seed', LARGEST_SEED),
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
      createIntegerParser('--max-time', 86_400),
      DEFAULT_MAX_TIME_SECONDS,
    )
    .option('--report <file>', 'write a JUnit XML report')
    .option(
      '--summary <file>',
      'append a Markdown summary to this file (default: the file in GITHUB_STEP_SUMMARY)',
      environment.GITHUB_STEP_SUMMARY,
    );
}

/** The address of a server. */
export function address(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '') return text;
  throw new InvalidArgumentError('Enter a URL such as http://localhost:3000.');
}

function createIntegerParser(what: string, largest: number): (text: string) => number {
  return (text) => {
    if (/^\d+$/.test(text) && Number(text) <= largest) return Number(text);
    throw new InvalidArgumentError(`${what} must be an integer from 0 to ${largest}.`);
  };
}

function header(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Enter a header as 'Name: value'.");
  return { ...before, [name.toLowerCase()]: value.trimEnd() };
}

/** The ids of operations, with commas between them. */
export function ids(text: string): readonly string[] {
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.every((entry) => entry !== '')) return entries;
  throw new InvalidArgumentError('Enter operation ids, separated by commas.');
}
