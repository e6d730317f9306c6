import { ControlError, followControlEvents, NO_STOREFRONT, sendControlRequest } from '../client/client.ts';
import type { JournalEntry, Verdict } from '../control/operation.ts';
import type { ControlCommand } from './control-command.ts';

/**
 * Asks the control of a running server for something and prints what it answers; false where that is a no. Throws `ControlError` where it doesn't
 * do it. What is followed is printed until the server ends it.
 */
export async function runControlCommand(command: ControlCommand, print: (text: string) => void): Promise<boolean> {
  const { shownAs } = command;
  const other = () => new ControlError(`${command.url} answers otherwise than a storefront: ${NO_STOREFRONT}`, {});
  if (shownAs === 'stream') {
    for await (const told of followControlEvents(command, command.path, (message) => print(`${message}\n`))) {
      if (!isEntry(told)) throw other();
      print(`${lineOf(told)}\n`);
    }
    return true;
  }
  const answer: unknown = await sendControlRequest(command, command);
  if (shownAs === 'journal') {
    if (!Array.isArray(answer) || !answer.every(isEntry)) throw other();
    print(answer.map((entry) => `${lineOf(entry)}\n`).join(''));
  } else if (shownAs === 'verdict') {
    if (!isVerdict(answer)) throw other();
    print(verdictText(answer));
    return answer.verified;
  } else if (answer !== undefined) print(`${JSON.stringify(answer, null, 2)}\n`);
  return true;
}

function isEntry(value: unknown): value is JournalEntry {
  const { id, at, request } = (value ?? {}) as Partial<JournalEntry>;
  return typeof id === 'number' && typeof at === 'string' && typeof request?.method === 'string';
}

function isVerdict(value: unknown): value is Verdict {
  const { verified, nearMisses } = (value ?? {}) as Partial<Verdict>;
  return (
    typeof verified === 'boolean' && Array.isArray(nearMisses) && nearMisses.every(({ request }) => isEntry(request))
  );
}

/** A request of the journal on a line: its id, when it was answered, what it was, and what was forced upon it. */
function lineOf({ id, at, durationMs, operation, request, response, forced }: JournalEntry): string {
  const told = forced && Object.entries(forced).map(([name, value]) => `${name}=${value}`);
  return [
    String(id).padStart(4),
    at.slice(11, 19),
    request.method.padEnd(6),
    response?.status ?? '---',
    request.url,
    operation ?? '',
    `${durationMs} ms`,
    told ? `forced: ${told.join(' ')}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function verdictText({ message, nearMisses }: Verdict): string {
  const shown = nearMisses.map(({ request, reasons }) => `${lineOf(request)}\n       ${reasons.join('\n       ')}\n`);
  return `${message}\n${shown.join('')}`;
}
