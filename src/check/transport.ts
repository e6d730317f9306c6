import { type AgentOptions, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import { CHECK_USER_AGENT } from '../util/headers.ts';
import { getStreamKind, parseStream } from '../util/streams.ts';
import type { Access } from './access.ts';
import { getCommonHeaders } from './credentials.ts';
import type { Exchange, ReceivedResponse, RequestToSend } from './exchange.ts';
import { NO_RESPONSE_WITHIN, NOT_ENDED_WITHIN } from './findings.ts';
import { describeRefusal, type HttpProxy, PROXY_LOGIN_REQUIRED, TunnelAgent, toAddress } from './proxy.ts';
import { MAX_RESPONSE_BYTES, readBody } from './response-body.ts';

/**
 * Why a request has no valid response.
 * `refused`: the server refused the connection.
 * `lost`: the connection was closed before the response.
 * `timeout`: there was no response in time.
 * `unfinished`: a response began, but did not end in time.
 * `untrusted`: the certificate of the server is not trusted.
 * `no-certificate`: the server requires a client certificate.
 */
type NoResponseKind = 'refused' | 'lost' | 'timeout' | 'unfinished' | 'untrusted' | 'no-certificate';

/** The error of a request without a valid HTTP response. The message gives the reason. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';

  /**
   * `isStale`: whether the server closed a reused connection when the request was sent.
   * `wasSent`: whether the server may have received the request, although it refused the connection for its repetition.
   */
  constructor(
    message: string,
    readonly kind?: NoResponseKind | undefined,
    readonly isStale = false,
    readonly wasSent = kind !== 'refused',
  ) {
    super(message);
  }
}

/** The maximum number of open connections to a server. */
const MAX_CONNECTIONS = 10;

/** The maximum size of the headers of a response, in bytes. A server can repeat a long URL in `Link`. */
const MAX_HEADER_BYTES = 256 * 1024;

/** The media types of responses that need not end. */
const STREAM_TYPES: readonly string[] = ['text/event-stream', 'multipart/x-mixed-replace'];

/** The time for which the check reads a response that need not end, in ms. */
const STREAM_MS = 1_000;

/** The time without data after which the check ends a stream of which it has received a part, in ms. */
const QUIET_MS = 300;

/** The number of items, and of bytes, after which the check ends a stream. */
const ENOUGH_ITEMS = 20;
const ENOUGH_BYTES = 100_000;

/**
 * The time for which the check reads a response that may not end, because it has an unknown length and is neither JSON
 * nor XML, in ms.
 */
const POSSIBLE_STREAM_MS = 5_000;

/** The codes of Node for a server that does not accept the certificate of the client, or requires one. */
const CLIENT_CERTIFICATE_CODES = /ALERT_(?:CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/;

/** The codes of Node for a certificate that is not trusted, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const CERTIFICATE_CODES = /CERT|VERIFY_LEAF_SIGNATURE|HOSTNAME_MISMATCH/;

const HEAD_BODY_VIOLATION = 'The response to HEAD has a body, which RFC 9110, section 9.3.2, forbids';

/** The name of the check in its requests. Some servers refuse requests without this header. */
const COMMON_HEADERS = { 'user-agent': CHECK_USER_AGENT };

/** The two ends of a request. */
interface Ends {
  readonly finish: (response: ReceivedResponse) => void;
  /** Called with a message and the error code of Node, or the kind of the failure. */
  readonly fail: (message: string, code?: string) => void;
}

/**
 * Sends requests without changes, over a few reused connections.
 * Does not normalize paths, and does not follow redirects.
 */
export class Transport {
  /** The connections that the server has closed. */
  readonly closes = new ConnectionCloses();
  private readonly base: URL;
  private readonly isSecure: boolean;
  private readonly proxy: HttpProxy | undefined;
  private readonly agent: PlainAgent;
  /** Uses each connection for one request. */
  private readonly singleAgent: PlainAgent;
  private readonly signal: AbortSignal | undefined;
  /** Whether a connection is used for several requests. */
  isReusing = true;
  private readonly headers: Readonly<Record<string, string>>;

  /** `headers` are sent with each request. No request is sent after `signal` is aborted. */
  constructor(
    url: string,
    headers: Readonly<Record<string, string>>,
    { signal, access }: { readonly signal: AbortSignal | undefined; readonly access: Access },
  ) {
    this.signal = signal;
    this.base = new URL(url);
    this.headers = { ...COMMON_HEADERS, ...headers };
    this.isSecure = this.base.protocol === 'https:';
    this.proxy = access.findProxy(this.base);
    this.agent = this.createAgent(access, { keepAlive: true, maxSockets: MAX_CONNECTIONS });
    this.singleAgent = this.createAgent(access, {});
  }

  private createAgent({ tls }: Access, options: AgentOptions): PlainAgent {
    if (!this.isSecure) return new PlainAgent(options);
    const secured = { ...options, ...tls };
    return this.proxy ? new TunnelAgent(this.proxy, secured) : new SecureAgent(secured);
  }

  /** Sends a request. Throws `NoResponseError` if there is no response within `timeoutMs`. */
  async send(request: RequestToSend, timeoutMs: number): Promise<ReceivedResponse> {
    try {
      return await this.sendOnce(request, timeoutMs, this.isReusing ? this.agent : this.singleAgent);
    } catch (error) {
      if (error instanceof NoResponseError && error.isStale) return this.sendAgain(request, timeoutMs);
      if (error instanceof NoResponseError) throw error;
      // Node throws an error for some characters in headers and paths.
      throw new NoResponseError(`the request cannot be sent: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.agent.destroy();
    this.singleAgent.destroy();
  }

  /** Sends a request over a new connection, because other reused connections may also be closed. */
  private async sendAgain(request: RequestToSend, timeoutMs: number): Promise<ReceivedResponse> {
    try {
      return await this.sendOnce(request, timeoutMs, this.singleAgent);
    } catch (error) {
      if (!(error instanceof NoResponseError && error.kind === 'refused')) throw error;
      throw new NoResponseError(error.message, 'refused', false, true);
    }
  }

  private sendOnce(request: RequestToSend, timeoutMs: number, agent: PlainAgent): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = this.createRequest(request, agent);
      const fail: Ends['fail'] = (message, code = '') => {
        clearTimeout(timeout);
        outgoing.destroy();
        reject(
          new NoResponseError(
            this.describeFailure(message),
            toKind(code),
            outgoing.reusedSocket && code === 'ECONNRESET',
          ),
        );
      };
      const finish = (response: ReceivedResponse) => {
        if (this.proxy && response.status === PROXY_LOGIN_REQUIRED)
          return fail(describeRefusal(this.proxy, response.status), 'proxy');
        clearTimeout(timeout);
        const { socket } = outgoing;
        if (socket && agent === this.agent && outgoing.shouldKeepAlive)
          this.closes.watch(socket, { request, response });
        resolve(response);
      };
      const onTimeout = receiveResponse(outgoing, timeoutMs, { finish, fail });
      const timeout = setTimeout(onTimeout, timeoutMs);
      outgoing.end(request.body);
    });
  }

  /** Adds the proxy to the message of a connection that failed, because the proxy can be the cause. */
  private describeFailure(full: string): string {
    const { proxy } = this;
    // OpenSSL adds the places in its source to the reason.
    const message = /SSL routines:[^:]*:([^:]+)/.exec(full)?.[1] ?? full;
    const isKnown = !proxy || message.includes(proxy.variable);
    return isKnown ? message : `${message} (through the proxy ${proxy.url.host} of ${proxy.variable})`;
  }

  private createRequest(request: RequestToSend, agent: PlainAgent) {
    const { method, target, headers } = request;
    const path = this.base.pathname.replace(/\/$/, '') + target;
    // A proxy for HTTP gets the whole URL (RFC 9112, section 3.2.2). A proxy for HTTPS is a tunnel.
    const proxy = this.isSecure ? undefined : this.proxy;
    return (this.isSecure ? secureRequest : plainRequest)({
      ...toAddress(proxy?.url ?? this.base),
      ...(this.signal ? { signal: this.signal } : {}),
      // HEAD needs a new connection. If a server sends a body, a reused connection would parse it as the next response.
      agent: method === 'HEAD' ? this.singleAgent : agent,
      method,
      path: proxy ? this.base.origin + path : path,
      maxHeaderSize: MAX_HEADER_BYTES,
      headers: {
        ...(proxy && { host: this.base.host, ...proxy.headers }),
        ...getCommonHeaders(this.headers, request),
        ...headers,
        ...toContentLength(request),
      },
    });
  }
}

/** Returns the message of an error of a request. */
function describeError({ message, code }: NodeJS.ErrnoException): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'the headers of the response are larger than 256 KiB';
  return message || String(code);
}

/** Returns the kind of a failure for an error code of Node. The code can also be a kind. */
function toKind(code: string): NoResponseKind | undefined {
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'lost';
  if (code === 'timeout' || code === 'unfinished' || code === 'lost') return code;
  if (CLIENT_CERTIFICATE_CODES.test(code)) return 'no-certificate';
  return CERTIFICATE_CODES.test(code) ? 'untrusted' : undefined;
}

/**
 * Calls `finish` with the response to a request.
 * Calls `fail` if the request has no valid response.
 * Returns a function to call when the time for the response is over.
 */
function receiveResponse(outgoing: ReturnType<typeof plainRequest>, timeoutMs: number, ends: Ends): () => void {
  const { finish, fail } = ends;
  let head: IncomingMessage | undefined;
  let stop = () => fail(`${NO_RESPONSE_WITHIN} ${timeoutMs / 1_000} s`, 'timeout');
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    // Node parses the forbidden body as the next response, and reports that this response is invalid.
    if (outgoing.method === 'HEAD' && head && error.code?.startsWith('HPE_'))
      finish({ ...toResponse(head, Buffer.alloc(0)), httpError: HEAD_BODY_VIOLATION });
    else fail(describeError(error), error.code);
  });
  outgoing.on('response', (response) => {
    head = response;
    stop = readResponse(response, timeoutMs, ends);
  });
  outgoing.on('upgrade', () => fail('the response has status 101, but the request has no Upgrade header'));
  return () => stop();
}

/**
 * Returns the Content-Length header of a request.
 * Returns no header if there is no body, or if the body is sent in chunks.
 */
function toContentLength({ headers = {}, body }: RequestToSend): { 'content-length'?: number } {
  if (body === undefined || headers['transfer-encoding'] !== undefined) return {};
  return { 'content-length': Buffer.byteLength(body) };
}

/** Reads the body of a response. Returns a function to call when the time for the response is over. */
function readResponse(response: IncomingMessage, timeoutMs: number, { finish, fail }: Ends): () => void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const cut = () => {
    finish(toResponse(response, Buffer.concat(chunks), true));
    response.destroy();
  };
  const streamMs = getStreamMs(response);
  const streamTimeout = streamMs === undefined ? undefined : setTimeout(cut, streamMs);
  const type = response.headers['content-type'] ?? '';
  const isEventStream = streamMs === STREAM_MS;
  let quietTimeout: NodeJS.Timeout | undefined;
  response.on('close', () => {
    clearTimeout(streamTimeout);
    clearTimeout(quietTimeout);
  });
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (streamMs !== undefined && getStreamKind(type) !== undefined && hasEnough(type, chunks, bytes)) return cut();
    clearTimeout(quietTimeout);
    if (isEventStream) quietTimeout = setTimeout(cut, QUIET_MS);
    if (bytes <= MAX_RESPONSE_BYTES) return;
    if (streamMs === undefined) fail(`the response is larger than ${MAX_RESPONSE_BYTES / 1_000_000} MB`);
    else cut();
  });
  response.on('error', (error) => fail(`the response was cut off: ${error.message}`, 'lost'));
  response.on('end', () => finish(toResponse(response, Buffer.concat(chunks))));
  return () => fail(`${NOT_ENDED_WITHIN} ${timeoutMs / 1_000} s`, 'unfinished');
}

/** Returns whether the received part of a stream is enough to check its items. */
function hasEnough(type: string, chunks: readonly Buffer[], bytes: number): boolean {
  if (bytes > ENOUGH_BYTES) return true;
  const { items, error } = parseStream(type, Buffer.concat(chunks).toString(), true);
  return error !== undefined || items.length >= ENOUGH_ITEMS;
}

/** Returns the time for which the check reads a response, in ms; undefined if the response must end. */
function getStreamMs({ headers }: IncomingMessage): number | undefined {
  const type = removeTypeParameters(headers['content-type'] ?? '');
  if (STREAM_TYPES.includes(type)) return STREAM_MS;
  const mustEnd = headers['content-length'] !== undefined || isJsonType(type) || /[/+]xml$/.test(type);
  return mustEnd ? undefined : POSSIBLE_STREAM_MS;
}

/** Creates the response. `isCut`: whether the end of its body is missing. */
function toResponse({ statusCode = 0, headers }: IncomingMessage, received: Buffer, isCut = false): ReceivedResponse {
  const joined = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { status: statusCode, headers: Object.fromEntries(joined), ...readBody(headers, received, isCut) };
}

/**
 * A server that closes a connection within this time after a response closes it because of the response, and not
 * because the connection was idle for too long, in ms.
 */
const CLOSE_MS = 1_000;

/** The number of connections with the same status after which a closed connection is no coincidence. */
const MIN_CLOSED = 3;

/**
 * The connections after responses with one status.
 * `example`: the last response after which the server closed its connection.
 */
interface Closes {
  closed: number;
  kept: number;
  example: Exchange | undefined;
}

/**
 * Records which responses a server closes the connection after, although it did not announce this with
 * `Connection: close` (RFC 9112, section 9.6).
 * A client that reuses the connection gets no response to its next request.
 */
export class ConnectionCloses {
  readonly #byStatus = new Map<number, Closes>();
  #last = new WeakMap<Socket, { readonly exchange: Exchange; readonly endMs: number }>();

  /** Records the end of a response whose connection can be reused. */
  watch(socket: Socket, exchange: Exchange): void {
    const before = this.#last.get(socket);
    if (before) this.#getCloses(before.exchange).kept++;
    else socket.once('close', () => this.#recordClose(socket));
    this.#last.set(socket, { exchange, endMs: performance.now() });
  }

  /**
   * Forgets all connections until now, because the server has stopped: a server that stops closes its connections,
   * whatever it responded with before.
   */
  forget(): void {
    this.#byStatus.clear();
    this.#last = new WeakMap();
  }

  /** Returns an exchange for each error status after which the server closes nearly all connections. */
  getExamples(): readonly Exchange[] {
    return [...this.#byStatus].flatMap(([status, { closed, kept, example }]) =>
      status >= 400 && closed >= MIN_CLOSED && closed > kept * 10 && example ? [example] : [],
    );
  }

  #recordClose(socket: Socket): void {
    const last = this.#last.get(socket);
    if (!last) return;
    const closes = this.#getCloses(last.exchange);
    if (performance.now() - last.endMs > CLOSE_MS) {
      closes.kept++;
      return;
    }
    closes.closed++;
    closes.example = last.exchange;
  }

  #getCloses({ response: { status } }: Exchange): Closes {
    const closes = this.#byStatus.get(status) ?? { closed: 0, kept: 0, example: undefined };
    this.#byStatus.set(status, closes);
    return closes;
  }
}
