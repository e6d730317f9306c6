import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from 'node:zlib';
import { isJsonType, removeTypeParameters } from '../openapi/media-types.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { getCommonHeaders } from './credentials.ts';
import type { Exchange, ReceivedResponse, RequestToSend } from './exchange.ts';
import { NO_RESPONSE_WITHIN, NOT_ENDED_WITHIN } from './findings.ts';

/**
 * The bytes of a response body without their content codings.
 * `error`: why a coding could not be removed; the bytes then still have it.
 */
interface DecodedBody {
  readonly bytes: Buffer;
  readonly error?: string;
}

/** Options of `decodeContent`. */
interface DecodingOptions {
  /** The maximum number of bytes after the decoding. */
  readonly maxBytes: number;
  /** Whether the end of the body is missing, because the check stopped reading an endless response. */
  readonly isCut: boolean;
}

/**
 * Removes the content codings of a response body (RFC 9110, section 8.4): `gzip`, `deflate` and `br`.
 * A body with another coding is returned as it is.
 * `codings`: the value of the header `Content-Encoding`.
 */
function decodeContent(codings: string, bytes: Buffer, { maxBytes, isCut }: DecodingOptions): DecodedBody {
  const options: ZlibOptions = {
    maxOutputLength: maxBytes,
    ...(isCut ? { finishFlush: constants.Z_SYNC_FLUSH } : {}),
  };
  let decoded = bytes;
  for (const coding of codings.toLowerCase().split(',').reverse()) {
    const decode = DECODERS[coding.trim()];
    if (!decode || decoded.length === 0) break;
    try {
      decoded = decode(decoded, options);
    } catch (error) {
      return { bytes: decoded, error: (error as Error).message };
    }
  }
  return { bytes: decoded };
}

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: ZlibOptions) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateAny,
  br: (bytes, { maxOutputLength, finishFlush }) =>
    brotliDecompressSync(bytes, {
      ...(maxOutputLength === undefined ? {} : { maxOutputLength }),
      ...(finishFlush === undefined ? {} : { finishFlush: constants.BROTLI_OPERATION_FLUSH }),
    }),
};

/** The compression method in the first byte of the zlib format (RFC 1950, section 2.2). */
const DEFLATE_METHOD = 8;

/**
 * Decodes the coding `deflate`.
 * Some servers send it without the zlib format (RFC 9110, section 8.4.1.2), as all browsers accept.
 */
function inflateAny(bytes: Buffer, options: ZlibOptions): Buffer {
  const hasHeader = ((bytes[0] ?? 0) & 0x0f) === DEFLATE_METHOD;
  return hasHeader ? inflateSync(bytes, options) : inflateRawSync(bytes, options);
}

/** The text of a body. `error`: why the bytes are not a text of the content type; invalid bytes are then replaced. */
interface DecodedText {
  readonly text: string;
  readonly error?: string;
}

/** Decodes the text of a body with the charset of its content type. JSON is always UTF-8 (RFC 8259, section 8.1). */
function decodeText(contentType: string, bytes: Buffer): DecodedText {
  const plain = bytes.toString();
  if (isJsonType(contentType)) {
    const isValid = tryOrUndefined(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)) !== undefined;
    return isValid ? { text: plain } : { text: plain, error: 'its bytes are not UTF-8 (RFC 8259, section 8.1)' };
  }
  const [, charset] = /;\s*charset="?([^\s;"]+)/i.exec(contentType) ?? [];
  return { text: (charset && tryOrUndefined(() => new TextDecoder(charset).decode(bytes))) || plain };
}

/**
 * Why a request has no valid response.
 * `refused`: the server refused the connection.
 * `lost`: the connection was closed before the response.
 * `timeout`: there was no response in time.
 * `unfinished`: a response began, but did not end in time.
 * `untrusted`: the certificate of the server is not trusted.
 */
type NoResponseKind = 'refused' | 'lost' | 'timeout' | 'unfinished' | 'untrusted';

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

/** The maximum size of a response body, in bytes. */
const MAX_RESPONSE_BYTES = 50_000_000;

/** The maximum number of open connections to a server. */
const MAX_CONNECTIONS = 10;

/** The media types of responses that need not end. */
const STREAM_TYPES: readonly string[] = ['text/event-stream', 'multipart/x-mixed-replace'];

/** The time for which the check reads a response that need not end, in ms. */
const STREAM_MS = 1_000;

/**
 * The time for which the check reads a response that may not end, because it has an unknown length and is neither JSON
 * nor XML, in ms.
 */
const POSSIBLE_STREAM_MS = 5_000;

/** The codes of Node for a certificate that is not trusted, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const CERTIFICATE_CODES = /CERT|VERIFY_LEAF_SIGNATURE|HOSTNAME_MISMATCH/;

const HEAD_BODY_VIOLATION = 'The response to HEAD has a body, which RFC 9110, section 9.3.2, forbids';

/** The name of the check in its requests. Some servers refuse requests without this header. */
const COMMON_HEADERS = { 'user-agent': 'storefront-check' };

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
  private readonly agent: PlainAgent;
  /** Whether a connection is used for several requests. */
  isReusing = true;
  private readonly headers: Readonly<Record<string, string>>;

  /** `headers` are sent with each request. No request is sent after `signal` is aborted. */
  constructor(
    url: string,
    headers: Readonly<Record<string, string>>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.base = new URL(url);
    this.headers = { ...COMMON_HEADERS, ...headers };
    this.isSecure = this.base.protocol === 'https:';
    this.agent = new (this.isSecure ? SecureAgent : PlainAgent)({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  }

  /** Sends a request. Throws `NoResponseError` if there is no response within `timeoutMs`. */
  async send(request: RequestToSend, timeoutMs: number): Promise<ReceivedResponse> {
    try {
      return await this.sendOnce(request, timeoutMs, this.isReusing ? this.agent : false);
    } catch (error) {
      if (error instanceof NoResponseError && error.isStale) return this.sendAgain(request, timeoutMs);
      if (error instanceof NoResponseError) throw error;
      // Node throws an error for some characters in headers and paths.
      throw new NoResponseError(`the request cannot be sent: ${(error as Error).message}`);
    }
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends a request over a new connection, because other reused connections may also be closed. */
  private async sendAgain(request: RequestToSend, timeoutMs: number): Promise<ReceivedResponse> {
    try {
      return await this.sendOnce(request, timeoutMs, false);
    } catch (error) {
      if (!(error instanceof NoResponseError && error.kind === 'refused')) throw error;
      throw new NoResponseError(error.message, 'refused', false, true);
    }
  }

  private sendOnce(request: RequestToSend, timeoutMs: number, agent: PlainAgent | false): Promise<ReceivedResponse> {
    return new Promise((resolve, reject) => {
      const outgoing = this.createRequest(request, agent);
      const fail: Ends['fail'] = (message, code = '') => {
        clearTimeout(timeout);
        outgoing.destroy();
        reject(new NoResponseError(message, toKind(code), outgoing.reusedSocket && code === 'ECONNRESET'));
      };
      const finish = (response: ReceivedResponse) => {
        clearTimeout(timeout);
        const { socket } = outgoing;
        if (socket && agent !== false && outgoing.shouldKeepAlive) this.closes.watch(socket, { request, response });
        resolve(response);
      };
      const onTimeout = receiveResponse(outgoing, timeoutMs, { finish, fail });
      const timeout = setTimeout(onTimeout, timeoutMs);
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
      headers: { ...getCommonHeaders(this.headers, request), ...headers, ...toContentLength(request) },
    });
  }
}

/** Returns the kind of a failure for an error code of Node. The code can also be a kind. */
function toKind(code: string): NoResponseKind | undefined {
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'lost';
  if (code === 'timeout' || code === 'unfinished' || code === 'lost') return code;
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
    else fail(error.message || String(error.code), error.code);
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
  response.on('close', () => clearTimeout(streamTimeout));
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= MAX_RESPONSE_BYTES) return;
    if (streamMs === undefined) fail(`the response is larger than ${MAX_RESPONSE_BYTES / 1_000_000} MB`);
    else cut();
  });
  response.on('error', (error) => fail(`the response was cut off: ${error.message}`, 'lost'));
  response.on('end', () => finish(toResponse(response, Buffer.concat(chunks))));
  return () => fail(`${NOT_ENDED_WITHIN} ${timeoutMs / 1_000} s`, 'unfinished');
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
  const type = headers['content-type'] ?? '';
  const coding = headers['content-encoding'] ?? '';
  const { bytes, error } = decodeContent(coding, received, { maxBytes: MAX_RESPONSE_BYTES, isCut });
  const { text, error: textError } = decodeText(type, bytes);
  const response = { status: statusCode, headers: Object.fromEntries(joined), text, jsonError: undefined };
  if (error !== undefined)
    return { ...response, body: text, httpError: `The body is not valid for its Content-Encoding ${coding}: ${error}` };
  if (text === '') return { ...response, body: undefined };
  if (!isJsonType(type)) return { ...response, body: text };
  if (textError !== undefined) return { ...response, body: text, jsonError: textError };
  try {
    return { ...response, body: JSON.parse(text) };
  } catch (error) {
    return { ...response, body: text, jsonError: (error as Error).message };
  }
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
