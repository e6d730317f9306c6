import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { form, text } from 'co-body';
import type { Context } from 'koa';
import { findMediaType, isJsonType, isParsedType, removeTypeParameters } from '../../openapi/responses.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from '../../util/json-limits.ts';
import { MAX_BODY_BYTES } from '../../util/limits.ts';
import { type HttpProblem, HttpProblemError } from '../problem.ts';

/** A request as the steps of the pipeline see it: made once from Node's request, and independent of Koa. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query in origin form. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  readonly body: BodyReader;
  readonly client: Client;
  /** Returns which of the media types the client prefers (RFC 9110, section 12.5.1); false if it accepts none of them. */
  accepts(types: string[]): string | false;
  /** When the request arrived, in ms of `performance.now()`. */
  readonly startMs: number;
}

/** Returns the request that arrived at Koa: the one place where the pipeline meets its context. */
export function createHttpRequest(ctx: Pick<Context, 'req' | 'res' | 'accepts'>): HttpRequest {
  const { req, res } = ctx;
  return {
    method: req.method ?? 'GET',
    target: req.url ?? '/',
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    body: new BodyReader(req),
    client: new Client(req.socket, res),
    accepts: (types) => ctx.accepts(types),
    startMs: performance.now(),
  };
}

/** The client of a request, as far as its connection shows it. */
class Client {
  constructor(
    readonly socket: IncomingMessage['socket'],
    private readonly res: ServerResponse,
  ) {}

  /** Whether the connection is closed, so that no response can be sent. */
  get isGone(): boolean {
    return this.socket.destroyed;
  }

  /** Whether a response has begun: Node's parser may have refused the rest of the message. */
  get hasResponse(): boolean {
    return this.res.headersSent;
  }

  /** Calls a function once the response is sent or the connection is closed. */
  onClose(listener: () => void): void {
    this.res.once('close', listener);
  }
}

/** The largest body that is received without being parsed, in bytes. */
const MAX_IGNORED_BODY_BYTES = 10_000_000;

/**
 * Options of co-body. `limit`: the size of the largest body after decompression, in bytes. They are constants: co-body copies them, and creating them for
 * each request takes longer than reading a body.
 */
export interface BodyOptions {
  readonly limit: number;
  readonly returnRawBody: true;
}

const DEFAULT_OPTIONS: BodyOptions = { limit: MAX_BODY_BYTES, returnRawBody: true };

/** The body of a request. */
interface RequestBody {
  /** The parsed value; undefined if the body is empty, or neither JSON nor a form. */
  readonly body: unknown;
  /** The media type of the contract that it has. */
  readonly contentType?: string | undefined;
}

const NO_BODY: Promise<RequestBody> = Promise.resolve({ body: undefined });

/** Reads the body of one request, once. */
class BodyReader {
  #text: string | undefined;
  #body: Promise<RequestBody> | undefined;

  constructor(private readonly req: IncomingMessage) {}

  /** The text of the body, as far as it was received; undefined if none was. */
  get text(): string | undefined {
    return this.#text;
  }

  /** Whether the request was sent with a body. */
  get isSent(): boolean {
    return hasBody(this.req.headers);
  }

  /** Whether the whole message has arrived. */
  get isComplete(): boolean {
    return this.req.complete;
  }

  /**
   * Receives the request to its end, and returns its body for an operation that accepts these media types. A body that the operation does not accept,
   * or that is neither JSON nor a form, is received and dropped. Throws `HttpProblemError` if the body is invalid, or the request ends early: until
   * this resolves, a request changes nothing. A second call returns the same body.
   */
  read(mediaTypes: readonly string[], options: BodyOptions = DEFAULT_OPTIONS): Promise<RequestBody> {
    if (!this.isSent) return NO_BODY;
    this.#body ??= this.#receive(mediaTypes, options);
    return this.#body;
  }

  /**
   * Receives the text of the body; `read` then parses this text. So receiving and parsing can have different limits of concurrency. Throws
   * `HttpProblemError` if the body cannot be received.
   */
  async receiveText(options: BodyOptions): Promise<string> {
    this.#normalizeEncoding();
    const { raw } = await this.#orProblem(options, () => text(this.req, options));
    this.#text = raw;
    return raw;
  }

  async #receive(mediaTypes: readonly string[], options: BodyOptions): Promise<RequestBody> {
    if (mediaTypes.length === 0) return this.#ignore(options, undefined);
    const sent = this.req.headers['content-type'];
    const documented = findMediaType(mediaTypes, sent ?? '');
    // A range of media types in the contract stands for the type that was sent.
    const contentType = documented?.includes('*') ? removeTypeParameters(sent ?? '') : documented;
    const problem = findTypeProblem(sent, contentType, mediaTypes);
    if (problem) throw new HttpProblemError(problem);
    if (contentType === undefined || !isParsedType(contentType)) return this.#ignore(options, contentType);
    if (!isJsonType(contentType)) return this.#readForm(options, contentType);
    const json = this.#text ?? (await this.receiveText(options));
    return this.#orProblem(options, async () => ({ body: parseJson(json), contentType }));
  }

  async #readForm(options: BodyOptions, contentType: string): Promise<RequestBody> {
    this.#normalizeEncoding();
    return this.#orProblem(options, async () => {
      const { parsed, raw } = await form(this.req, options);
      this.#text = raw;
      return { body: raw === '' ? undefined : parsed, contentType };
    });
  }

  /** Receives a body without storing it. */
  #ignore(options: BodyOptions, contentType: string | undefined): Promise<RequestBody> {
    return this.#orProblem(options, async () => {
      let bytes = 0;
      // Leaving the loop must not end the connection: the problem is still to be sent on it.
      for await (const chunk of this.req.iterator({ destroyOnReturn: false })) {
        bytes += chunk.length;
        if (bytes > MAX_IGNORED_BODY_BYTES) throw new HttpProblemError(toTooLarge(MAX_IGNORED_BODY_BYTES));
      }
      return { body: undefined, contentType };
    });
  }

  /** Names of content codings are compared without case (RFC 9110, section 8.4.1); co-body knows them in lower case. */
  #normalizeEncoding(): void {
    const { headers } = this.req;
    const encoding = headers['content-encoding'];
    if (encoding) headers['content-encoding'] = encoding.toLowerCase();
  }

  /** Returns the result of reading; an error becomes a `HttpProblemError`. */
  async #orProblem<Result>({ limit }: BodyOptions, read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      // The rest is received and dropped, else the next request of the connection would wait behind it.
      this.req.unpipe().resume();
      const { body } = error as ReadError;
      if (typeof body === 'string') this.#text = body;
      throw error instanceof HttpProblemError ? error : new HttpProblemError(toProblem(error as ReadError, limit));
    }
  }
}

/** Parses a JSON body; undefined if it is empty. Throws `SyntaxError`, or `HttpProblemError` for too many values. */
function parseJson(json: string): unknown {
  if (json === '') return undefined;
  if (!hasTooManyValues(json)) return JSON.parse(json);
  const detail = `the body has more than ${MAX_JSON_VALUES} objects, arrays, properties and entries: send fewer`;
  throw new HttpProblemError({ code: 'body-too-large', detail });
}

/** Whether headers announce a body (RFC 9112, section 6.3). A body of length 0 is none. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

/** What co-body, raw-body, inflation and zlib throw. */
interface ReadError extends Error {
  readonly status?: number;
  /** The text that is not valid. */
  readonly body?: unknown;
}

function toTooLarge(limitBytes: number): HttpProblem {
  return { code: 'body-too-large', detail: `the body exceeds the limit of ${limitBytes} bytes: send a smaller one` };
}

function toProblem(error: ReadError, limitBytes: number): HttpProblem {
  if (error.status === 413) return toTooLarge(limitBytes);
  if (error.status === 415)
    return {
      code: 'unsupported-media-type',
      detail: `${error.message}: send UTF-8, plain or compressed with gzip, deflate or br`,
    };
  if (error instanceof SyntaxError) return { code: 'malformed-json', detail: `the body is not JSON: ${error.message}` };
  return { code: 'malformed-request', detail: `the body can't be read: ${error.message}` };
}

/** Charsets that are read as UTF-8; JSON has no other (RFC 8259, section 8.1). */
const CHARSETS = ['utf-8', 'utf8', 'us-ascii'];

/** Returns why a body with a content type cannot be accepted; undefined if it can. `documented`: the media type of the contract that matches. */
function findTypeProblem(
  sent: string | undefined,
  documented: string | undefined,
  mediaTypes: readonly string[],
): HttpProblem | undefined {
  const charset = /;\s*charset="?([^\s;"]*)/i.exec(sent ?? '')?.[1]?.toLowerCase();
  const isReadable = charset === undefined || CHARSETS.includes(charset) || !isParsedType(documented ?? '');
  if (sent !== undefined && documented !== undefined && isReadable) return undefined;
  const expected = mediaTypes.every(isJsonType) ? 'JSON in UTF-8' : 'it';
  return createTypeProblem(sent, `${expected} with Content-Type ${mediaTypes.join(' or ')}`);
}

/** Creates the problem of a body whose content type is not accepted. `expected`: what to send instead. */
export function createTypeProblem(sent: string | undefined, expected: string): HttpProblem {
  const received = sent === undefined ? 'the body has no content type' : `the content type is ${JSON.stringify(sent)}`;
  return { code: 'unsupported-media-type', detail: `${received}: send ${expected}` };
}
