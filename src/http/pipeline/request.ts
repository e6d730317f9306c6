import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { BodyReader } from './body.ts';

/** A request as the steps of the pipeline use it, independent of Koa. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query in origin form. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The names and values as they were sent, alternating. */
  readonly rawHeaders: readonly string[];
  readonly body: BodyReader;
  readonly client: Client;
  /** Returns which of the media types the client prefers (RFC 9110, section 12.5.1); false if it accepts none of them. */
  accepts(types: string[]): string | false;
  /** When the request arrived, in ms of `performance.now()`. */
  readonly startMs: number;
}

/** Creates the request of the pipeline from a Koa context. No step uses the context itself. */
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

/** The connection to the client of a request, and Node's response object. */
class Client {
  constructor(
    readonly socket: IncomingMessage['socket'],
    readonly response: ServerResponse,
  ) {}

  /** Whether the connection is closed, so that no response can be sent. */
  get isDisconnected(): boolean {
    return this.socket.destroyed;
  }
}
