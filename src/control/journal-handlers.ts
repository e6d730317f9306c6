import type { Entry, Journal } from '../sandbox/journal/journal.ts';
import { toJournalEntry } from '../sandbox/journal/journal-entry.ts';
import {
  type ExpectedRequests,
  parseBounds,
  parseExpectedRequests,
  rejectSlowPatterns,
  verifyRequests,
} from '../sandbox/journal/verify-requests.ts';
import type { ControlHandlers, ControlParts } from './handler.ts';
import type { ControlInput, RequestFilter } from './operation.ts';
import { ControlProblemError } from './refusal.ts';
import { getSandbox, refuseIssues, withControlProblems } from './refuse.ts';
import { waitForRequests } from './wait-for-requests.ts';

/** The requests that a client follows. */
export interface FollowedRequests {
  readonly journal: Journal;
  /** Earlier requests with a higher id are sent first; none if undefined. */
  readonly after: number | undefined;
  readonly isMatch: (entry: Entry) => boolean;
}

/** Returns the requests that a client follows. */
export function followedRequests({ path, query }: ControlInput<'listRequests'>, parts: ControlParts): FollowedRequests {
  const { after, isMatch } = parseQuery(query, parts);
  return { journal: getSandbox(path.id, parts).journal, after, isMatch };
}

/** The operations on the journal. */
export const journalHandlers: ControlHandlers<'listRequests' | 'clearRequests' | 'countRequests' | 'verifyRequests'> = {
  listRequests({ path, query }, parts) {
    const { isMatch, limit } = parseQuery(query, parts);
    const entries = getSandbox(path.id, parts).journal.entries().filter(isMatch);
    return (limit === undefined ? entries : entries.slice(-limit)).map(toJournalEntry);
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
    const { isMatch } = expected;
    const count = countMatches(expected, journal);
    const { stopping } = parts;
    await waitForRequests({ ...bounds, journal, isMatch, count, stopping, withinMs: body.withinMs ?? 0 });
    // The sandbox may have been deleted while the request waited.
    if (getSandbox(path.id, parts).journal !== journal) throw createDeletedError(path.id);
    const verification = withControlProblems(() => verifyRequests(journal, expected, bounds));
    return stopping.aborted
      ? { ...verification, verified: false, message: 'The server is shutting down, so the result is not known' }
      : verification;
  },
};

/** Returns the number of matching requests. Throws a `ControlProblemError` if the regular expressions would take too long. */
function countMatches(expected: ExpectedRequests, journal: Pick<Journal, 'entries'>): number {
  const entries = journal.entries();
  withControlProblems(() => rejectSlowPatterns(expected, entries));
  return entries.filter(expected.isMatch).length;
}

function createDeletedError(id: string): ControlProblemError {
  return new ControlProblemError(
    'unknown-sandbox',
    `Sandbox ${id} was deleted during the verification. Verify before you delete it.`,
  );
}

/** Parses the query of a request for the journal. Throws a `ControlProblemError` if an operation does not exist. */
function parseQuery(query: ControlInput<'listRequests'>['query'], parts: ControlParts) {
  const getNumber = (name: 'after' | 'limit') => (query[name] === undefined ? undefined : Number(query[name]));
  const operation = query.operation === undefined ? undefined : String(query.operation).split(',');
  refuseIssues('unknown-operation', parts.findUnknownOperations(operation));
  const after = getNumber('after');
  return {
    after,
    limit: getNumber('limit'),
    isMatch: (entry: Entry) => entry.id > (after ?? 0) && hasOperation(operation, entry),
  };
}

/** Returns whether a request is of one of the operations; true if there are none. */
function hasOperation(operations: readonly string[] | undefined, { operationId }: Pick<Entry, 'operationId'>): boolean {
  return operations === undefined || (operationId !== undefined && operations.includes(operationId));
}

/** Parses a filter. Throws a `ControlProblemError` if it is invalid. */
function parseFilter(body: RequestFilter, parts: ControlParts) {
  refuseIssues('unknown-operation', parts.findUnknownOperations(body.operation));
  return withControlProblems(() => parseExpectedRequests(body));
}
