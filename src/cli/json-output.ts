import type { ControlViolation } from '../control/operation.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { escapeControlsInLines } from '../util/text.ts';

/** The version of the JSON output, whose schema is `docs/cli-output.schema.json`. A breaking change raises it. */
const SCHEMA_VERSION = 1;

/** What is known about an error code. `fix`: the remedy, if the message of the error has none. */
interface ErrorKind {
  readonly exitCode: number;
  readonly meaning: string;
  readonly fix: string;
}

/** The error codes of the commands. A code and its exit code do not change between versions of the JSON output. */
export const ERROR_CODES = {
  invalid_usage: {
    exitCode: 2,
    meaning: 'the command line, or an environment variable with an option, is invalid',
    fix: 'Correct the command line. storefront COMMAND --help lists the options.',
  },
  invalid_configuration: {
    exitCode: 2,
    meaning: 'the configuration file is invalid, or cannot be read',
    fix: 'Correct the configuration file, or ignore it with --no-config.',
  },
  command_failed: {
    exitCode: 1,
    meaning: 'the command failed for another reason that the user can correct, such as invalid handlers',
    fix: 'Correct what the message names, and run the command again.',
  },
  invalid_contract: {
    exitCode: 1,
    meaning: 'the contract cannot be read or served (`check`: `check_not_run`; `diff`: `unreadable_version`)',
    fix: 'Correct the contract, or the path or the URL of it.',
  },
  port_in_use: {
    exitCode: 1,
    meaning: 'another process listens on the port',
    fix: 'Stop the other process, or choose another port with --port.',
  },
  invalid_data_file: {
    exitCode: 1,
    meaning: 'the data file cannot be used',
    fix: 'Replace the file with the default data: storefront repair.',
  },
  connection_failed: {
    exitCode: 1,
    meaning: 'no server with a control API responds at the address',
    fix: 'Start the server, or set its address with --url.',
  },
  request_rejected: {
    exitCode: 1,
    meaning: 'the control API has rejected the request; `error.details` has the status and the violations',
    fix: 'Correct what the message names, and run the command again.',
  },
  not_running: {
    exitCode: 1,
    meaning: '`status`: no server runs in the background; `stop`: only servers with other names run',
    fix: 'Start a server: storefront start --background.',
  },
  verification_failed: {
    exitCode: 1,
    meaning: '`journal verify`: the requests do not match; `data` has the verification',
    fix: 'Compare the expected requests with the near misses in data.',
  },
  coverage_too_low: {
    exitCode: 1,
    meaning: '`coverage`: the coverage is below --min or --fail-on; `data` has the coverage',
    fix: 'Test the untouched parts, or leave operations out with --ignore.',
  },
  changes_found: {
    exitCode: 1,
    meaning: '`diff`: the contract has changes that --fail-on names; `data` has the changes',
    fix: 'Undo the changes, or accept them with --fail-on none.',
  },
  check_failed: {
    exitCode: 1,
    meaning: '`check`: the server violates the contract; `data` has the report',
    fix: 'Correct the server. Each finding in data has the request that reproduces it.',
  },
  check_incomplete: {
    exitCode: 3,
    meaning: '`check`: a required part was not checked; `data` has the report',
    fix: 'See unchecked in data for the reasons.',
  },
  check_not_run: {
    exitCode: 3,
    meaning: '`check` could not run',
    fix: 'Correct what the message names, and run the check again.',
  },
  unreadable_version: {
    exitCode: 3,
    meaning: '`diff`: a version of the contract cannot be read',
    fix: 'Use the path of a file, git:REVISION:PATH, or a URL.',
  },
  internal_error: {
    exitCode: 1,
    meaning: 'a bug in storefront, or an error in your handlers (exit code 3 for `check`)',
    fix: 'Report the message and the stack trace on standard error as a bug of storefront.',
  },
} as const satisfies Readonly<Record<string, ErrorKind>>;

/** A code in the table of error codes. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The error of a command. */
export interface CommandError {
  readonly code: ErrorCode;
  readonly message: string;
  /** What to do about the error. Default: the remedy in the message, or else that of the code. */
  readonly fix?: string | undefined;
  /** Further properties of the error, such as the violations of a request. Default: none. */
  readonly details?: unknown;
}

/** The result of a command. A command that failed has an error, and has data if its result is a negative verdict. */
export interface CommandResult {
  readonly data?: unknown;
  readonly warnings?: readonly string[];
  readonly error?: CommandError | undefined;
}

/** Returns the JSON output of a command: one line with its result. `command`: its name; `start` for the server. */
export function formatJsonOutput(command: string, { data, warnings = [], error }: CommandResult): string {
  const result = error
    ? { ok: false, ...(data !== undefined && { data }), error: describeError(command, error) }
    : { ok: true, data: data ?? null };
  return `${JSON.stringify({ schemaVersion: SCHEMA_VERSION, command, ...result, warnings })}\n`;
}

function describeError(command: string, { code, message, fix, details }: CommandError): object {
  const help = command === 'start' ? 'storefront --help' : `storefront ${command} --help`;
  const remedy = code === 'invalid_usage' ? `Correct the command line. ${help} lists the options.` : undefined;
  return {
    code,
    message: escapeControlsInLines(message),
    fix: fix ?? listRemedies(details) ?? findRemedy(message) ?? remedy ?? ERROR_CODES[code].fix,
    ...(details !== undefined && { details }),
  };
}

/** Matches the remedy in an error message: the clauses from the first imperative to the end of the message. */
const REMEDY =
  /[.:;,]\s+(?:or )?((?:use|add|set|start|stop|see|run|check|create|correct|remove|omit|separate|write|choose|enter|convert|export|install|send|replace|allow|repair|restore|move|wait|close|set|make|change|did you mean|to [a-z]+(?: [a-z]+){0,4}, [a-z]+)\b.*)$/is;

/** Returns the remedies of several violations of a request, each with the name of its property or parameter. */
function listRemedies(details: unknown): string | undefined {
  const { violations = [] } = (details ?? {}) as { readonly violations?: readonly ControlViolation[] | undefined };
  if (violations.length < 2) return undefined;
  return violations
    .map(({ pointer, remedy }) => {
      const place = parsePointer(pointer).join('.') || 'the body';
      return `${place}: ${remedy}`;
    })
    .map(escapeControlsInLines)
    .join('; ');
}

/** Matches a suggestion in parentheses, as commander adds it to its messages. */
const SUGGESTION = /\((did you mean [^)]*)\)$/i;

/** Matches the valid values of an argument or an option, as commander adds them to its messages. */
const CHOICES = /Allowed choices are (.*)$/;

function findRemedy(message: string): string | undefined {
  const [, choices] = CHOICES.exec(message) ?? [];
  if (choices !== undefined) return escapeControlsInLines(`Use one of ${choices}`);
  const [, remedy] = SUGGESTION.exec(message) ?? REMEDY.exec(message) ?? [];
  return remedy && escapeControlsInLines(remedy.charAt(0).toUpperCase() + remedy.slice(1));
}
