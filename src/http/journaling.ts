import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { cut, type Journal, type Recorded, type SentAnswer } from '../sandboxes/journal.ts';
import { exchangeOf } from './exchange.ts';

/** Puts a request into a journal once it is answered. `text`: the body that went out; undefined where no answer did. */
export function record(journal: Journal, ctx: Context, text: string | undefined): void {
  const { begunMs, route, sent, notes, violations, breaches, forced } = exchangeOf(ctx);
  journal.add({
    method: ctx.method,
    url: ctx.originalUrl,
    shopUrl: ctx.url,
    headers: ctx.headers,
    headersLength: lengthOf(ctx.req),
    ...(sent === undefined ? {} : { body: cut(sent) }),
    answer:
      text === undefined
        ? undefined
        : {
            status: ctx.res.statusCode,
            headers: ctx.res.getHeaders(),
            bytes: Buffer.byteLength(text),
            body: cut(text),
          },
    ms: performance.now() - begunMs,
    operationId: route?.operationId,
    notes,
    violations,
    breaches,
    forced,
  });
}

/** Puts a request into a journal that was answered with ready bytes. */
export function recordReady(
  journal: Journal,
  req: IncomingMessage,
  { operationId, sent }: { readonly operationId: string; readonly sent: SentAnswer },
): void {
  const { method = '', url = '/', headers } = req;
  const entry: Recorded = {
    method,
    url,
    shopUrl: url,
    headers,
    headersLength: lengthOf(req),
    answer: sent,
    ms: 0,
    operationId,
  };
  journal.add(entry);
}

function lengthOf({ rawHeaders }: IncomingMessage): number {
  let length = 0;
  for (const part of rawHeaders) length += part.length;
  return length;
}
