import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { BodyReader } from './body.ts';

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

/** Node's request and response, and how Koa reads `Accept`. */
interface Source {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  accepts(types: string[]): string | false;
}

/** Returns the request that arrived at Koa: the one place where the pipeline meets its context. */
export function createHttpRequest(source: Source): HttpRequest {
  const { req, res } = source;
  return {
    method: req.method ?? 'GET',
    target: req.url ?? '/',
    headers: req.headers,
    rawHeaders: req.rawHeaders,
    body: new BodyReader(req),
    client: new Client(req.socket, res),
    accepts: (types) => source.accepts(types),
    startMs: performance.now(),
  };
}

/** The client of a request, as far as its connection shows it. */
class Client {
  readonly socket: IncomingMessage['socket'];
  readonly #res: ServerResponse;

  constructor(socket: IncomingMessage['socket'], res: ServerResponse) {
    this.socket = socket;
    this.#res = res;
  }

  /** Whether the connection is closed, so that no response can be sent. */
  get isGone(): boolean {
    return this.socket.destroyed;
  }

  /** Whether a response has begun: Node's parser may have refused the rest of the message. */
  get hasResponse(): boolean {
    return this.#res.headersSent;
  }

  /** Calls a function once the response is sent or the connection is closed. */
  onClose(listener: () => void): void {
    this.#res.once('close', listener);
  }
}
