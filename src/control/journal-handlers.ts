import type { Journal } from '../sandbox/journal/journal.ts';
import { toJournalEntry } from '../sandbox/journal/journal-entry.ts';
import type { Entry } from '../sandbox/journal/recorded-request.ts';
import {
  type ExpectedRequests,
  parseBounds,
  parseExpectedRequests,
  rejectSlowPatterns,
  verifyRequests,
} from '../sandbox/journal/verify-requests.ts';
import { DEFAULT_SANDBOX_ID } from '../sandbox/sandbox.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import type { ControlInput, RequestFilter } from './operation.ts';
import { ControlProblemError, getSandbox, rejectIssues } from './refusal.ts';
import { waitForRequests } from './wait-for-requests.ts';

/**
 * Returns the journal and the filter for an event stream. The stream starts with the entry after the id `after`. If `after` is undefined, the stream sends only new
 * entries.
 */
export function getFollowedRequests({ path, query }: ControlInput<'listRequests'>, parts: ControlParts) {
  const { after, isMatch } = parseQuery(query, parts);
  return { journal: getSandbox(path.id, parts).journal, after, isMatch };
}

/** The handlers of the operations on the journal. */
export const journalHandlers = {
  listRequests({ path, query }, parts) {
    const { isMatch, limit } = parseQuery(query, parts);
    const entries = getSandbox(path.id, parts).journal.entries().filter(isMatch);
    return entries.slice(-limit).map(toJournalEntry);
  },
  clearRequests: ({ path }, parts) => getSandbox(path.id, parts).journal.clear(),
  countRequests({ path, body }, parts) {
    const expected = parseFilter(body, parts);
    const { journal } = getSandbox(path.id, parts);
    return { count: countMatches(expected, journal) };
  },
  async verifyRequests({ path, body }, parts) {
    const expected = parseFilter(body, parts);
    const bounds = parseBounds(body);
    const { journal } = getSandbox(path.id, parts);
    const { stopping } = parts;
    const waiting = { journal, stopping, isMatch: expected.isMatch, count: countMatches(expected, journal) };
    await waitForRequests({ ...bounds, ...waiting, withinMs: body.withinMs ?? 0 });
    // The sandbox may have been deleted or replaced during the wait.
    if (getSandbox(path.id, parts).journal !== journal) {
      const detail = `Sandbox ${path.id} was deleted during the verification. Verify before you delete it.`;
      throw new ControlProblemError('unknown-sandbox', detail);
    }
    const verification = verifyRequests(journal, expected, bounds);
    if (stopping.aborted)
      return { ...verification, verified: false, message: 'The server is shutting down, so the result is not known' };
    if (verification.verified || journal.lastId() > 0) return verification;
    return { ...verification, message: `${verification.message}; ${describeMissingRequests(path.id)}` };
  },
} satisfies Partial<ControlHandlers>;

/** Describes why a sandbox may have received no requests. The usual cause is a cookie for one host and a page on another host. */
function describeMissingRequests(id: string): string {
  const remedy =
    id === DEFAULT_SANDBOX_ID
      ? 'check the address of the server, and that the requests name no other sandbox'
      : `check that the requests have the header X-Sandbox: ${id}, the prefix /_sandbox/${id} or the cookie sandbox=${id}; a page on another host than the baseURL of the tests does not send the cookie`;
  return `the sandbox ${id} has received no requests: ${remedy}`;
}

/** Returns the number of matching requests. Throws an `InvalidMatcherError` if the regular expressions would take too long. */
function countMatches(expected: ExpectedRequests, journal: Pick<Journal, 'entries'>): number {
  const entries = journal.entries();
  rejectSlowPatterns(expected, entries);
  return entries.filter(expected.isMatch).length;
}

/** Parses the query parameters of `listRequests`. Throws a `ControlProblemError` if an operation does not exist. */
function parseQuery({ operation, after, limit }: ControlInput<'listRequests'>['query'], parts: ControlParts) {
  const operations = operation === undefined ? undefined : String(operation).split(',');
  rejectIssues('unknown-operation', parts.findUnknownOperations(operations), 'query');
  const afterId = after === undefined ? undefined : Number(after);
  return {
    after: afterId,
    limit: Number(limit ?? Number.POSITIVE_INFINITY),
    isMatch: ({ id, operationId = '' }: Entry) =>
      id > (afterId ?? 0) && (operations === undefined || operations.includes(operationId)),
  };
}

/** Parses a filter of requests. Throws an `InvalidMatcherError` if a matcher is invalid, or a `ControlProblemError` if an operation does not exist. */
function parseFilter(body: RequestFilter, parts: ControlParts) {
  rejectIssues('unknown-operation', parts.findUnknownOperations(body.operation));
  return parseExpectedRequests(body);
}
