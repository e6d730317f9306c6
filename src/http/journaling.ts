import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Journal, SentAnswer } from '../sandboxes/journal.ts';
import { beginningOf } from '../sandboxes/kept.ts';
import { exchangeOf, type JsonAnswer } from './exchange.ts';

/** Puts a request into the journal, at once, or where its answer arrives slowly once it has, or hasn't. */
export function recordOnce(journal: Journal, ctx: Context, text: string | undefined): void {
  if (exchangeOf(ctx).wire?.slowMs === undefined || text === undefined) record(journal, ctx, text);
  else ctx.res.once('close', () => record(journal, ctx, ctx.res.writableFinished ? text : undefined));
}

/** Puts a request into a journal once it is answered. `text`: the body that went out; undefined where no answer did. */
function record(journal: Journal, ctx: Context, text: string | undefined): void {
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
