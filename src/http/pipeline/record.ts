import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Journal } from '../../sandbox/journal/journal.ts';
import { type RecordedResponse, truncateText } from '../../sandbox/journal/recorded-request.ts';
import type { ResponseCache } from '../response-cache.ts';
import type { Exchange } from './values.ts';
import type { SentResponse } from './write.ts';

/** Records a request in a journal: at once, or after a slow response is sent or broken off. */
export function recordRequest(
  journal: Journal,
  exchange: Exchange,
  sent: SentResponse | undefined,
  res: ServerResponse,
): void {
  if (exchange.draft.transport?.bodyDurationMs === undefined || sent === undefined) record(journal, exchange, sent);
  else res.once('close', () => record(journal, exchange, res.writableFinished ? sent : undefined));
}

/** `sent`: undefined if no response was sent. */
function record(journal: Journal, exchange: Exchange, sent: SentResponse | undefined): void {
  const { request, target, draft } = exchange;
  const { notes, violations, responseViolations, forced } = draft;
  const hasRemarks = notes.length > 0 || violations || responseViolations || forced;
  journal.add({
    method: request.method,
    url: request.target,
    prefix: target?.location.prefix ?? '',
    rawHeaders: request.rawHeaders,
    bodyText: request.body.text,
    response: sent && toJournalResponse(sent),
    durationMs: performance.now() - request.startMs,
    operationId: target?.route?.operationId,
    remarks: hasRemarks ? { notes, violations, responseViolations, forced } : undefined,
  });
}

/** Records a request whose response came from the cache. */
export function recordCachedResponse(
  journal: Journal,
  { method = '', url = '/', rawHeaders }: IncomingMessage,
  { operationId, sent }: { readonly operationId: string; readonly sent: RecordedResponse },
): void {
  journal.add({ method, url, prefix: '', rawHeaders, response: sent, durationMs: 0, operationId, remarks: undefined });
}

/** Stores a response in the cache, if the next request would get the same. */
export function cacheResponse(
  cache: ResponseCache,
  { target, draft }: Exchange,
  sent: SentResponse | undefined,
  res: ServerResponse,
): void {
  const operationId = target?.route?.operationId;
  const { revision, notes } = draft;
  // What is noted of a request has to be noted of the next one too.
  const isPlain = sent?.response.status === 200 && notes.length === 0;
  if (!isPlain || operationId === undefined || revision === undefined) return;
  cache.keep(res.req, revision, () => ({
    operationId,
    // As a list, which Node writes faster.
    headers: Object.entries(res.getHeaders()).flatMap(([name, value = '']) => [name, value]),
    bytes: Buffer.from(sent.text),
    sent: toJournalResponse(sent),
  }));
}

function toJournalResponse({ response: { status, headers }, text }: SentResponse): RecordedResponse {
  return { status, headers, bytes: Buffer.byteLength(text), text: truncateText(text) };
}
