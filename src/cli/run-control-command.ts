import { ControlError, createForeignServerError, followControlEvents, sendControlRequest } from '../client/client.ts';
import type { JournalEntry, Verification } from '../control/operation.ts';
import type { ControlCommand } from './control-command.ts';
import { useCommandTerms } from './options.ts';

/**
 * Sends the request of a command to the control API of a running server, and prints the response.
 * For an event stream, prints each event until the server ends the stream.
 * Resolves to false if a verification failed, and to true in all other cases.
 * Rejects with a `ControlError` if the request fails.
 * The error message names command line options instead of JSON properties.
 */
export async function runControlCommand(command: ControlCommand, print: (text: string) => void): Promise<boolean> {
  try {
    return await runCommand(command, print);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw new ControlError(useCommandTerms(error.message, command, error.violations), error);
  }
}

async function runCommand(command: ControlCommand, print: (text: string) => void): Promise<boolean> {
  const { format } = command;
  const createFormatError = () => createForeignServerError(command, 'its response has an unexpected format');
  if (format === 'stream') {
    for await (const entry of followControlEvents(command, command.path, (message) => print(`${message}\n`))) {
      if (!isEntry(entry)) throw createFormatError();
      print(`${formatEntry(entry)}\n`);
    }
    return true;
  }
  const body: unknown = await sendControlRequest(command, command);
  if (format === 'journal') {
    if (!Array.isArray(body) || !body.every(isEntry)) throw createFormatError();
    print(body.map((entry) => `${formatEntry(entry)}\n`).join(''));
  } else if (format === 'verification') {
    if (!isVerification(body)) throw createFormatError();
    print(useCommandTerms(formatVerification(body), command));
    return body.verified;
  } else if (body !== undefined) print(`${JSON.stringify(body, null, 2)}\n`);
  return true;
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
 * Formats a journal entry as one line: id, time, method, status, URL, operation, duration, and the effects of faults,
 * preferences and delays.
 */
function formatEntry({ id, at, durationMs, operation, request, response, forced }: JournalEntry): string {
  const effects = forced && Object.entries(forced).map(([name, value]) => `${name}=${value}`);
  return [
    String(id).padStart(4),
    at.slice(11, 19),
    request.method.padEnd(6),
    response?.status ?? '---',
    request.url,
    operation ?? '',
    `${durationMs} ms`,
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
