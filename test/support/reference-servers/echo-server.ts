import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request, as the server has received it. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path and the query, without any decoding. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A server that records the requests that it receives. */
export interface Recorder {
  readonly url: string;
  readonly seen: readonly ReceivedRequest[];
}

/**
 * Starts a server on a free loopback port, and stops it when the test ends. The server records each request, and calls `answer` to send the response.
 * Default: a response with status 204.
 */
export async function startRecorder(
  answer: (seen: ReceivedRequest, response: ServerResponse) => void | Promise<void> = (_, response) =>
    void response.writeHead(204).end(),
): Promise<Recorder> {
  const seen: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = '', url: target = '', headers } = request;
    const one = { method, target, headers, body: Buffer.concat(parts) };
    seen.push(one);
    await answer(one, response);
  });
  return { url: await listening(server), seen };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
