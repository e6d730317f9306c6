import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { SANDBOXES_PATH } from './sandboxes.ts';
import type { TestShop } from './start-storefront.ts';

/** A server-sent event. */
export interface SentEvent {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in there.
  readonly data: any;
}

/** A stream of server-sent events, as a client receives it. */
export interface EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Resolves to the next `count` events. Rejects if the stream ends before. */
  next(count?: number): Promise<readonly SentEvent[]>;
  /** Resolves when the server has ended the stream: to true if the response is complete, otherwise to false. */
  readonly ended: Promise<boolean>;
  /** Closes the connection. */
  leave(): void;
}

/** Requests a stream of server-sent events. `below`: the path below `/_control/sandboxes`. Closes the connection when the test ends. */
export function followEvents(
  { port }: Pick<TestShop, 'port'>,
  below: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: SANDBOXES_PATH + below, headers: { accept: 'text/event-stream', ...headers } },
      (response) => resolve({ ...read(response), leave: () => asked.destroy() }),
    );
    onTestFinished(() => void asked.destroy());
    asked.on('error', reject).end();
  });
}

function read(response: IncomingMessage): Omit<EventStream, 'leave'> {
  const events: SentEvent[] = [];
  let text = '';
  let tell = () => {};
  response.setEncoding('utf8').on('data', (part) => {
    const blocks = (text + part).split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.flatMap(eventIn));
    tell();
  });
  const ended = new Promise<boolean>((resolve) => {
    response.on('error', () => {});
    response.on('close', () => {
      tell();
      resolve(response.complete);
    });
  });
  const next = (count = 1) =>
    new Promise<readonly SentEvent[]>((resolve, reject) => {
      tell = () => {
        if (events.length >= count) {
          // Stops the delivery: later events are for the next call of `next`.
          tell = () => {};
          resolve(events.splice(0, count));
        } else if (response.closed) reject(new Error(`the stream ended after ${events.length} of ${count} events`));
      };
      tell();
    });
  return { status: response.statusCode ?? 0, headers: response.headers, next, ended };
}

/** Parses a block of an event stream. Returns an empty list if the block is a comment. */
function eventIn(block: string): readonly SentEvent[] {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  if (fields.data === undefined) return [];
  return [{ event: fields.event ?? 'message', id: fields.id ?? '', data: JSON.parse(fields.data) }];
}
