import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { BodyReader } from './body.ts';

/** A request as the steps of the pipeline use it. It does not depend on Koa. */
export type HttpRequest = ReturnType<typeof createHttpRequest>;

/** Returns the media type in `types` that the client prefers (RFC 9110, section 12.5.1). Returns false if the client accepts none of them. */
type Accepts = (types: string[]) => string | false;

/** Creates a request object for the steps of the pipeline, which do not use Koa. */
export function createHttpRequest(req: IncomingMessage, res: ServerResponse, accepts: Accepts) {
  return {
    method: req.method ?? 'GET',
    /** The path and the query, such as `/items?page=2`. */
    target: req.url ?? '/',
    headers: req.headers as Readonly<IncomingHttpHeaders>,
    /** The headers as they were sent: a list of alternating names and values. */
    rawHeaders: req.rawHeaders as readonly string[],
    body: new BodyReader(req),
    /** The connection to the client. */
    socket: req.socket,
    response: res,
    accepts,
    /** The time when the request arrived, in ms of `performance.now()`. */
    startMs: performance.now(),
  } as const;
}
