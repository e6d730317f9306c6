import type { CountedExchange } from '../coverage/coverage.ts';
import type { RecordedRequest } from '../sandbox/journal/recorded-request.ts';
import { CHECK_USER_AGENT } from '../util/headers.ts';
import { type Exchange, hasRoute, type SentResponse, toRecordedResponse } from './exchange.ts';

/**
 * Adds a request that waits for a delay or a fault to the journal of its sandbox.
 * Does nothing if the journal does not record the request.
 */
export function addWaiting(exchange: Exchange): void {
  if (!exchange.isRecorded) return;
  const { journal } = exchange.sandbox;
  exchange.waitingId = journal.addWaiting(toRecordedRequest(exchange, undefined), exchange.waitingId);
}

/** Adds a request and its response to the journal of its sandbox. `sent`: undefined if no response was sent. */
export function addToJournal(exchange: Exchange, sent: SentResponse | undefined): void {
  exchange.sandbox.journal.add(toRecordedRequest(exchange, sent), exchange.waitingId);
}

function toRecordedRequest(exchange: Exchange, sent: SentResponse | undefined): RecordedRequest {
  const { api, location, notes, violations, responseViolations, forced } = exchange;
  const hasRemarks = notes.length > 0 || violations || responseViolations || forced;
  return {
    method: exchange.method,
    url: exchange.url,
    prefix: location.prefix,
    basePath: api && location.basePath,
    rawHeaders: exchange.rawHeaders,
    bodyText: exchange.bodyText,
    response: sent && toRecordedResponse(sent),
    durationMs: performance.now() - exchange.startMs,
    operationId: exchange.route?.operationId,
    decision: exchange.decision,
    changes: exchange.changes,
    credentialNames: api && exchange.contract.credentialNames,
    remarks: hasRemarks ? { notes, violations, responseViolations, forced } : undefined,
  };
}

/**
 * Counts which parts of the contract a request and its response use.
 * Does nothing for other requests, and for those of `storefront check`, whose coverage would hide that of the tests.
 */
export function countCoverage(exchange: Exchange): void {
  const { app, contract, isRecorded, sandbox, decision } = exchange;
  if (!isRecorded || !hasRoute(exchange) || exchange.headers['user-agent'] === CHECK_USER_AGENT) return;
  const { route } = exchange;
  const isMocked = decision?.source === 'mock' && sandbox.mockedOperations.ids.has(route.operationId);
  const isForced = isMocked || decision?.source === 'preference' || decision?.source === 'fault';
  app.coverage.count(contract, route, toCountedExchange(exchange), isForced);
}

/** The status of a request whose body the handler cannot read. */
const UNSUPPORTED_MEDIA_TYPE = 415;

/** Returns the parts of a request and its response that determine which parts of the contract they use. */
export function toCountedExchange({ input, query, headers, sent, decision }: Exchange): CountedExchange {
  const { response } = sent ?? {};
  return {
    request: { path: input.path, query, headers, body: input.body },
    isRefused: decision?.source === 'refusal' || response?.status === UNSUPPORTED_MEDIA_TYPE,
    response: response && {
      status: response.status,
      contentType: response.headers['Content-Type'],
      example: decision?.example,
      body: response.list ?? response.body,
      length: response.pieces ? undefined : sent?.text.length,
    },
  };
}
