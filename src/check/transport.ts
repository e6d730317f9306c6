import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isJsonType } from '../openapi/media-types.ts';
import type { ReceivedResponse, RequestToSend } from './exchange.ts';
import { NO_RESPONSE_WITHIN } from './findings.ts';

/** The error of a request without a valid HTTP response. The message gives the reason. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';

  /** `kind`: `refused` if the server refused the connection; `stale` if the server closed a reused connection when the request was sent. */
  constructor(
    message: string,
    readonly kind?: 'refused' | 'stale' | undefined,
  ) {
    super(message);
  }
}

/** The maximum size of a response body, in bytes. */
const MAX_RESPONSE_BYTES = 50_000_000;

/** The maximum number of open connections to a server. */
const MAX_CONNECTIONS = 10;

const HEAD_BODY_VIOLATION = 'The response to HEAD has a body, which RFC 9110, section 9.3.2, forbids';

type Finish = (response: ReceivedResponse) => void;

/** Called when a request fails, with a message and the error code of Node. */
type Fail = (message: string, code?: string) => void;

/** Sends requests without changes, over a few reused connections. Does not normalize paths, and does not follow redirects. */
export class Transport {
  private readonly base: URL;
  private readonly isSecure: boolean;
  private readonly agent: PlainAgent;

  /** `headers` are sent with each request. No request is sent after `signal` is aborted. */
  constructor(
    url: string,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.base = new URL(url);
    this.isSecure = this.base.protocol === 'https:';
    this.agent = new (this.isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  }

  /** Sends a request. Throws `NoResponseError` if there is no response within `timeoutMs`. */
  async send(request: RequestToSend, timeoutMs: number): Promise<ReceivedResponse> {
    try {
      return await this.sendOnce(request, timeoutMs, this.agent);
    } catch (error) {
      // The repeated request needs a new connection, because other reused connections may also be closed.
      if (error instanceof NoResponseError && error.kind === 'stale') return this.sendOnce(request, timeoutMs, false);
      if (error instanceof NoResponseError) throw error;
      // Node throws an error for some characters in headers and paths.
      throw new NoResponseError(`the request cannot be sent: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private sendOnce(request: RequestToSend, timeoutMs: number, agent: PlainAgent | false): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = this.createRequest(request, agent);
      const timeout = setTimeout(() => fail(`${NO_RESPONSE_WITHIN} ${timeoutMs / 1_000} s`), timeoutMs);
      const fail = (message: string, code?: string) => {
        clearTimeout(timeout);
        outgoing.destroy();
        const isStale = outgoing.reusedSocket && code === 'ECONNRESET';
        const kind = code === 'ECONNREFUSED' ? 'refused' : undefined;
        reject(new NoResponseError(message, isStale ? 'stale' : kind));
      };
      const finish = (response: ReceivedResponse) => {
        clearTimeout(timeout);
        resolve(response);
      };
      receiveResponse(outgoing, finish, fail);
      outgoing.end(request.body);
    });
  }

  private createRequest(request: RequestToSend, agent: PlainAgent | false) {
    const { method, target, headers } = request;
    const { hostname, port, pathname } = this.base;
    return (this.isSecure ? secureRequest : plainRequest)({
      // Removes the brackets of an IPv6 address. With brackets, Node would look it up as a host name.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      ...(this.signal ? { signal: this.signal } : {}),
      // HEAD needs a new connection. If a server sends a body, a reused connection would parse it as the next response.
      agent: method === 'HEAD' ? false : agent,
      method,
      path: pathname.replace(/\/$/, '') + target,
      headers: { ...this.headers, ...headers, ...toContentLength(request) },
    });
  }
}

/** Calls `finish` with the response to a request. Calls `fail` if the request has no valid response. */
function receiveResponse(outgoing: ReturnType<typeof plainRequest>, finish: Finish, fail: Fail): void {
  let head: IncomingMessage | undefined;
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    // Node parses the forbidden body as the next response, and reports that this response is invalid.
    if (outgoing.method === 'HEAD' && head && error.code?.startsWith('HPE_'))
      finish({ ...toResponse(head, ''), httpError: HEAD_BODY_VIOLATION });
    else fail(error.message || String(error.code), error.code);
  });
  outgoing.on('response', (response) => {
    head = response;
    readResponse(response, finish, fail);
  });
  outgoing.on('upgrade', () => fail('the response has status 101, but the request has no Upgrade header'));
}

/** Returns the Content-Length header of a request. Returns no header if there is no body, or if the body is sent in chunks. */
function toContentLength({ headers = {}, body }: RequestToSend): { 'content-length'?: number } {
  if (body === undefined || headers['transfer-encoding'] !== undefined) return {};
  return { 'content-length': Buffer.byteLength(body) };
}

function readResponse(response: IncomingMessage, finish: Finish, fail: Fail): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) fail(`the response is larger than ${MAX_RESPONSE_BYTES / 1_000_000} MB`);
  });
  response.on('error', (error) => fail(`the response was cut off: ${error.message}`));
  response.on('end', () => finish(toResponse(response, Buffer.concat(chunks).toString())));
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, text: string): ReceivedResponse {
  const joined = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  const response = { status: statusCode, headers: Object.fromEntries(joined), text, jsonError: undefined };
  if (text === '') return { ...response, body: undefined };
  if (!isJsonType(headers['content-type'] ?? '')) return { ...response, body: text };
  try {
    return { ...response, body: JSON.parse(text) };
  } catch (error) {
    return { ...response, body: text, jsonError: (error as Error).message };
  }
}
