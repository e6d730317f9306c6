import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { truncateText } from '../../sandbox/journal/compact.ts';
import type { Journal, RecordedResponse } from '../../sandbox/journal/journal.ts';
import { getExchange, type ResponseData } from './response.ts';

/** Puts a request into the journal, at once, or where its answer arrives slowly once it has, or hasn't. */
export function recordRequest(journal: Journal, ctx: Context, text: string | undefined): void {
  if (getExchange(ctx).wire?.bodyDurationMs === undefined || text === undefined) record(journal, ctx, text);
  else ctx.res.once('close', () => record(journal, ctx, ctx.res.writableFinished ? text : undefined));
}

/** Puts a request into a journal once it is answered. `text`: the body that went out; undefined where no answer did. */
function record(journal: Journal, ctx: Context, text: string | undefined): void {
  const { begunMs, answer, prefix, route, sent, notes, violations, responseViolations, forced } = getExchange(ctx);
  journal.add({
    method: ctx.method,
    url: ctx.originalUrl,
    prefix,
    rawHeaders: ctx.req.rawHeaders,
    sent,
    answer: answer && text !== undefined ? toJournalResponse(answer, text) : undefined,
    ms: performance.now() - begunMs,
    operationId: route?.operationId,
    remarks:
      notes.length > 0 || violations || responseViolations || forced
        ? { notes, violations, responseViolations, forced }
        : undefined,
  });
}

/** Puts a request into a journal that was answered with ready bytes. */
export function recordCachedResponse(
  journal: Journal,
  { method = '', url = '/', rawHeaders }: IncomingMessage,
  { operationId, sent }: { readonly operationId: string; readonly sent: RecordedResponse },
): void {
  journal.add({ method, url, prefix: '', rawHeaders, answer: sent, ms: 0, operationId, remarks: undefined });
}

/** An answer as a journal keeps it. */
export function toJournalResponse({ status, headers }: ResponseData, text: string): RecordedResponse {
  return { status, headers, bytes: Buffer.byteLength(text), text: truncateText(text) };
}
