import { askControl, followControl } from './client.ts';
import type { SteeringCommand } from './command.ts';
import type { JournalEntry, Verdict } from './operation.ts';

/**
 * Asks the control of a running server for something and prints what it answers; false where that is a no. Throws `ControlFault` where it doesn't
 * do it. What is followed is printed until the server ends it.
 */
export async function steer(command: SteeringCommand, print: (text: string) => void): Promise<boolean> {
  if (command.shownAs === 'stream') {
    for await (const entry of followControl(command, command.path)) print(`${lineOf(entry as JournalEntry)}\n`);
    return true;
  }
  const answer: unknown = await askControl(command, command);
  if (answer === undefined) return true;
  if (command.shownAs === 'journal') print((answer as JournalEntry[]).map((entry) => `${lineOf(entry)}\n`).join(''));
  else if (command.shownAs === 'verdict') print(verdictText(answer as Verdict));
  else print(`${JSON.stringify(answer, null, 2)}\n`);
  return command.shownAs !== 'verdict' || (answer as Verdict).verified;
}

/** A request of the journal on a line: its id, when it was answered, what it was, and what was forced upon it. */
function lineOf({ id, at, ms, operation, request, answer, forced }: JournalEntry): string {
  const told = forced && Object.entries(forced).map(([name, value]) => `${name}=${value}`);
  return [
    String(id).padStart(4),
    at.slice(11, 19),
    request.method.padEnd(6),
    answer?.status ?? '---',
    request.url,
    operation ?? '',
    `${ms} ms`,
    told ? `forced: ${told.join(' ')}` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function verdictText({ said, nearest }: Verdict): string {
  const shown = nearest.map(({ request, because }) => `${lineOf(request)}\n       ${because.join('\n       ')}\n`);
  return `${said}\n${shown.join('')}`;
}
