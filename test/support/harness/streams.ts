import { type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { writeDocument } from '../fixtures/other-document.ts';
import { startStorefront, type TestResponse, type TestShop } from './start-storefront.ts';

/** A stream, as a client receives it. */
export interface OpenStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Resolves to the text so far, as soon as it matches. Rejects if the stream ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves to the text, and to whether the response is complete, when the server has ended the stream. */
  readonly ended: Promise<{ readonly text: string; readonly isComplete: boolean }>;
  /** Closes the connection. */
  leave(): void;
}

/** Opens a stream. Closes the connection when the test ends. */
export function openStream(
  { port }: Pick<TestShop, 'port'>,
  path: string,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) =>
      resolve({ ...read(response), leave: () => sent.destroy() }),
    );
    onTestFinished(() => void sent.destroy());
    sent.on('error', reject).end();
  });
}

function read(response: IncomingMessage): Omit<OpenStream, 'leave'> {
  let text = '';
  let hasEnded = false;
  let notify = () => {};
  response.setEncoding('utf8').on('data', (part) => {
    text += part;
    notify();
  });
  const ended = new Promise<{ text: string; isComplete: boolean }>((resolve) => {
    response.on('error', () => {});
    response.on('close', () => {
      hasEnded = true;
      notify();
      resolve({ text, isComplete: response.complete });
    });
  });
  const until = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      notify = () => {
        if (pattern.test(text)) resolve(text);
        else if (hasEnded) reject(new Error(`the stream has ended without ${pattern}: ${JSON.stringify(text)}`));
      };
      notify();
    });
  return { status: response.statusCode ?? 0, headers: response.headers, until, ended };
}

/** Starts a server with the operation `watch` at `/numbers`, whose response is a stream with this Media Type Object. */
export async function startNumbers(type: string, media: object, options: object = {}): Promise<TestShop> {
  const get = { operationId: 'watch', responses: { 200: { description: 'd', content: { [type]: media } } } };
  return startStorefront({ contract: await writeDocument({ paths: { '/numbers': { get } } }), ...options });
}

/** Returns the latest request in the journal of the sandbox `default`. */
export async function getLastRecord({ ask }: Pick<TestShop, 'ask'>): Promise<TestResponse['body']> {
  return (await ask('GET', '/_control/sandboxes/default/requests?limit=1')).body[0];
}
