import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { beginningOf, type Journal, type SentAnswer } from '../sandboxes/journal.ts';
import { exchangeOf, type JsonAnswer } from './exchange.ts';

/** Puts a request into a journal once it is answered. `text`: the body that went out; undefined where no answer did. */
export function record(journal: Journal, ctx: Context, text: string | undefined): void {
  const { begunMs, answer, prefix, route, sent, notes, violations, breaches, forced } = exchangeOf(ctx);
  journal.add({
    method: ctx.method,
    url: ctx.originalUrl,
    prefix,
    rawHeaders: ctx.req.rawHeaders,
    sent,
    answer: answer && text !== undefined ? sentAnswer(answer, text) : undefined,
    ms: performance.now() - begunMs,
    operationId: route?.operationId,
    remarks: notes.length > 0 || violations || breaches || forced ? { notes, violations, breaches, forced } : undefined,
  });
}

/** Puts a request into a journal that was answered with ready bytes. */
export function recordReady(
  journal: Journal,
  { method = '', url = '/', rawHeaders }: IncomingMessage,
  { operationId, sent }: { readonly operationId: string; readonly sent: SentAnswer },
): void {
  journal.add({ method, url, prefix: '', rawHeaders, answer: sent, ms: 0, operationId, remarks: undefined });
}

/** An answer as a journal keeps it. */
export function sentAnswer({ status, headers }: JsonAnswer, text: string): SentAnswer {
  return { status, headers, bytes: Buffer.byteLength(text), text: beginningOf(text) };
}
