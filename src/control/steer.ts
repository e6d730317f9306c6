import type { SteeringCommand } from './command.ts';
import type { JournalEntry, Verdict } from './operation.ts';

/** A server that could not be steered: `message` says why, and what to do. */
export class SteeringFault extends Error {
  override readonly name = 'SteeringFault';
}

/**
 * Asks the control of a running server for something and prints what it answers; false where that is a no. Throws `SteeringFault` where it doesn't
 * do it. A stream is followed until the server ends it.
 */
export async function steer(command: SteeringCommand, print: (text: string) => void): Promise<boolean> {
  const response = await asked(command);
  if (command.shownAs === 'stream') {
    if (!/^text\/event-stream/.test(response.headers.get('content-type') ?? ''))
      throw new SteeringFault(`${command.url} answers with no events: ${NO_STOREFRONT}`);
    await printEvents(response, print);
    return true;
  }
  const text = await response.text();
  if (text === '') return true;
  const answer = parsed(text);
  if (answer === undefined) throw new SteeringFault(`${command.url} answers with no JSON: ${NO_STOREFRONT}`);
  if (command.shownAs === 'journal') print((answer as JournalEntry[]).map((entry) => `${lineOf(entry)}\n`).join(''));
  else if (command.shownAs === 'verdict') print(verdictText(answer as Verdict));
  else print(`${JSON.stringify(answer, null, 2)}\n`);
  return command.shownAs !== 'verdict' || (answer as Verdict).verified;
}

/** How long an answer may take, in ms: a verdict may be waited for for 60 s. */
const LONGEST_MS = 90_000;

async function asked({ url, token, method, path, body, shownAs }: SteeringCommand): Promise<Response> {
  const headers = {
    ...(method === 'PUT' || method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(shownAs === 'stream' ? { accept: 'text/event-stream' } : {}),
  };
  const response = await fetch(`${url}/_control/sandboxes/${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...(shownAs === 'stream' ? {} : { signal: AbortSignal.timeout(LONGEST_MS) }),
  }).catch((cause: Error) => {
    if (cause.name === 'TimeoutError')
      throw new SteeringFault(`${url} did not answer within ${LONGEST_MS / 1000} s: look what it is`, { cause });
    throw new SteeringFault(`no server answers at ${url} (${causeOf(cause)}): start it, or name another with --url`, {
      cause,
    });
  });
  if (response.ok) return response;
  throw new SteeringFault(detailIn(await response.text()) ?? `${url} answers ${response.status}: ${NO_STOREFRONT}`);
}

/** Prints a line for each server-sent event. */
async function printEvents({ body }: Response, print: (text: string) => void): Promise<void> {
  let unread = '';
  for await (const piece of textOf(body)) {
    const lines = (unread + piece).split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) print(`${lineOf(JSON.parse(line.slice(6)))}\n`);
  }
}

async function* textOf(body: Response['body']): AsyncGenerator<string> {
  if (!body) return;
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body) yield decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw new SteeringFault(`the server went away (${causeOf(cause as Error)})`, { cause });
  }
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

function causeOf({ cause, message }: Error): string {
  return (cause as Error | undefined)?.message || message;
}

const NO_STOREFRONT = 'it is no storefront that can be steered';

function detailIn(text: string): string | undefined {
  const { detail } = (parsed(text) ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? detail : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Another server's page.
    return undefined;
  }
}
