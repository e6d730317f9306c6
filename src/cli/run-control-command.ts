import {
  ControlError,
  type ControlRequest,
  createForeignServerError,
  followControlEvents,
  sendControlRequest,
} from '../client/client.ts';
import type { ControlViolation, Fault, JournalEntry, Verification } from '../control/operation.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { toFlag } from '../util/text.ts';
import { listServers } from './background-state.ts';
import type { ControlCommand } from './control-command.ts';
import { isCoverage, printCoverage } from './coverage-command.ts';
import type { CommandResult } from './json-output.ts';

/**
 * Sends the request of a command to the control API of a running server, and prints the response as text.
 * For an event stream, prints each event until the server ends the stream.
 * Resolves to the response. The result has an error if a verification failed, or if the coverage is too low.
 * Rejects with a `ControlError` if the request fails.
 * The error message names command line options instead of JSON properties.
 */
export async function runControlCommand(command: ControlCommand, printers: ControlPrinters): Promise<CommandResult> {
  try {
    return await runCommand(command, printers);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const message = useCommandTerms(error.message, command, error.violations);
    throw new ControlError(error.status === undefined ? message + (await describeRunning(command)) : message, error);
  }
}

/** Names the servers that run in the background in the folder, for a command that reached no server. */
async function describeRunning({ url }: ControlCommand): Promise<string> {
  const others = (await listServers()).filter((server) => server.status === 'running' && server.url !== url);
  if (others.length === 0) return '';
  const addresses = others.map((server) => `${server.name} at ${server.url}`).join(', ');
  return ` In this folder run: ${addresses}. Use --url ${others[0]?.url}`;
}

/** The functions that print the response of the control API. */
export interface ControlPrinters {
  readonly print: (text: string) => void;
  /** Prints an entry that a command follows. Default: one line of text. */
  readonly printEntry?: ((entry: JournalEntry) => void) | undefined;
}

async function runCommand(command: ControlCommand, { print, printEntry }: ControlPrinters): Promise<CommandResult> {
  const { format } = command;
  const createFormatError = () => createForeignServerError(command, 'its response has an unexpected format');
  if (format === 'stream') {
    for await (const entry of followControlEvents(command, command.path, (message) => print(`${message}\n`))) {
      if (!isEntry(entry)) throw createFormatError();
      if (printEntry) printEntry(entry);
      else print(`${formatEntry(entry)}\n`);
    }
    return {};
  }
  const body: unknown = await sendControlRequest(command, command);
  if (format === 'journal') {
    if (!Array.isArray(body) || !body.every(isEntry)) throw createFormatError();
    print(body.map((entry) => `${formatEntry(entry)}\n`).join(''));
  } else if (format === 'verification') {
    if (!isVerification(body)) throw createFormatError();
    print(useCommandTerms(formatVerification(body), command));
    if (!body.verified)
      return { data: body, error: { code: 'verification_failed', message: useCommandTerms(body.message, command) } };
  } else if (format === 'coverage') {
    if (!isCoverage(body)) throw createFormatError();
    return printCoverage(body, command.coverage ?? {}, print);
  } else if (body !== undefined) print(`${JSON.stringify(body, null, 2)}\n`);
  return { data: body, warnings: command.path.endsWith('/faults') ? collectWarnings(body) : [] };
}

/** Returns the warnings about an added fault, or those about the faults of a list, each with the id of its fault. */
function collectWarnings(body: unknown): readonly string[] {
  if (!Array.isArray(body)) return (body as Fault | undefined)?.warnings ?? [];
  return (body as readonly Fault[]).flatMap(({ id, warnings = [] }) =>
    warnings.map((warning) => `fault ${id}: ${warning}`),
  );
}

function isEntry(value: unknown): value is JournalEntry {
  const { id, at, request } = (value ?? {}) as Partial<JournalEntry>;
  return typeof id === 'number' && typeof at === 'string' && typeof request?.method === 'string';
}

function isVerification(value: unknown): value is Verification {
  const { verified, nearMisses } = (value ?? {}) as Partial<Verification>;
  return (
    typeof verified === 'boolean' && Array.isArray(nearMisses) && nearMisses.every(({ request }) => isEntry(request))
  );
}

/**
 * Formats a journal entry as one line: id, time, method, status, URL, operation or delivery, duration, and the effects
 * of faults, preferences and delays.
 * For a waiting request, `waiting` takes the place of the duration.
 */
function formatEntry(entry: JournalEntry): string {
  const { id, state, at, durationMs, operation, delivery, request, response, forced } = entry;
  const effects = forced && Object.entries(forced).map(([name, value]) => `${name}=${value}`);
  return [
    String(id).padStart(4),
    at.slice(11, 19),
    request.method.padEnd(6),
    response?.status ?? '---',
    request.url,
    operation ?? '',
    delivery ? `sent: ${delivery.name}, attempt ${delivery.attempt}` : '',
    state ?? `${durationMs} ms`,
    effects ? `forced: ${effects.join(' ')}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function formatVerification({ verified, message, nearMisses }: Verification): string {
  if (verified) return `Verified: ${message.charAt(0).toLowerCase()}${message.slice(1)}\n`;
  const lines = nearMisses.map(
    ({ request, reasons }) => `${formatEntry(request)}\n       ${reasons.join('\n       ')}\n`,
  );
  return `${message}\n${lines.join('')}`;
}

/**
 * Rewrites an error message of the control API for the command line.
 * Replaces property names with options (`atLeast` with `--at-least`).
 * Replaces requests with commands (`DELETE /_control/sandboxes/w1` with `storefront sandboxes remove --sandbox w1`).
 */
function useCommandTerms(
  message: string,
  { path }: Pick<ControlRequest, 'path'>,
  violations: readonly ControlViolation[] = [],
): string {
  return violations
    .reduce((text, violation) => replaceSubject(text, violation, path), message)
    .replaceAll(/`(\w+)`/g, (_, property: string) => toOption(property))
    .replaceAll(
      /(PUT|DELETE|POST) \/_control\/sandboxes\/([\w-]+)(\/reset)?/g,
      (_, method: string, id: string) => `${COMMANDS[method]} --sandbox ${id}`,
    )
    .replace('use the address of a running server', 'set the address of a running server with --url or STOREFRONT_URL')
    .replace(/([Ss])end Authorization: Bearer TOKEN/, (_, s: string) => `${s === 'S' ? 'U' : 'u'}se --token TOKEN`);
}

/** The commands that replace HTTP requests in error messages, by the method of the request. */
const COMMANDS: Readonly<Record<string, string>> = {
  PUT: 'storefront sandboxes create',
  DELETE: 'storefront sandboxes remove',
  POST: 'storefront reset',
};

/** Matches the path of a request if each of its body properties and query parameters has a command line option. */
const OPTION_PATHS = /\/(faults|requests|webhooks|deliveries)\b/;

/**
 * Replaces the name of an invalid property or parameter in an error message with the name of the command line option.
 */
function replaceSubject(message: string, { in: part, pointer, value }: ControlViolation, path: string): string {
  const [property, ...rest] = parsePointer(pointer);
  if (property === undefined) return message.replace(`the body is ${JSON.stringify(value)}`, () => 'Invalid options');
  const place = [property, ...rest].join('.');
  const subject = part === 'body' ? place : `${part} parameter ${place}`;
  if (part === 'path') return message.replace(subject, () => (property === 'id' ? '--sandbox' : property));
  if (!OPTION_PATHS.test(path)) return message;
  const option = OPTION_NAMES[place] ? toOption(place) : [toOption(property), rest.join('.')].join(' ').trim();
  return message.replace(`${subject} `, () => `${option} `);
}

/** The options that have another name than their body property or query parameter. */
const OPTION_NAMES: Readonly<Record<string, string>> = {
  headers: 'header',
  url: 'to',
  'stream.afterItems': 'afterItems',
  'stream.delayMs': 'itemDelay',
};

/** Returns the flag of the option that sets a body property or a query parameter. */
function toOption(property: string): string {
  return toFlag(OPTION_NAMES[property] ?? property.replace(/Ms$/, ''));
}
