import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request that a receiver of webhooks got. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the type of the body that it expects.
  readonly body: any;
}

/** The response of a receiver. Default: 200 with `{ "ok": true }`. */
export interface ReceiverResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Whether the receiver never responds. */
  readonly isSilent?: boolean;
}

/** Starts a server that receives webhooks, and closes it when the test ends. `respond`: returns the response to each request, which is counted from 1. */
export async function startReceiver(
  respond: (count: number, request: ReceivedRequest) => ReceiverResponse = () => ({}),
) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part) => (text += part));
    req.on('end', () => {
      const body = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : undefined;
      const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, text, body };
      requests.push(request);
      const {
        status = 200,
        headers = {},
        body: answer = { ok: true },
        isSilent = false,
      } = respond(requests.length, request);
      if (!isSilent)
        res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
