import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import { BodyReader } from './body.ts';

/** A request as the steps of the pipeline use it, independent of Koa. */
export type HttpRequest = ReturnType<typeof createHttpRequest>;

/** Creates the request of the pipeline from a Koa context. No step uses the context itself. */
export function createHttpRequest(ctx: Pick<Context, 'req' | 'res' | 'accepts'>) {
  const { req, res } = ctx;
  return {
    method: req.method ?? 'GET',
    /** Path and query in origin form. */
    target: req.url ?? '/',
    headers: req.headers as Readonly<IncomingHttpHeaders>,
    /** The names and values as they were sent, alternating. */
    rawHeaders: req.rawHeaders as readonly string[],
    body: new BodyReader(req),
    /** The connection to the client. */
    socket: req.socket,
    response: res,
    /** Returns which of the media types the client prefers (RFC 9110, section 12.5.1); false if it accepts none of them. */
    accepts: (types: string[]): string | false => ctx.accepts(types),
    /** When the request arrived, in ms of `performance.now()`. */
    startMs: performance.now(),
  } as const;
}
