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

/** What a client follows, told of as it comes. */
export interface FollowedRequests {
  readonly journal: Journal;
  /** Of those that came before only those with a higher id are told of; where it isn't given none. */
  readonly after: number | undefined;
  readonly isMeant: (entry: Entry) => boolean;
}

/** What was asked, as it is asked. */
export function followedRequests({ path, query }: ControlInput<'listRequests'>, parts: ControlParts): FollowedRequests {
  const { after, isMeant } = requestsMeant(query, parts);
  return { journal: getSandbox(path.id, parts).journal, after, isMeant };
}

/** What was asked, and whether it was as wanted. */
export const journalHandlers: ControlHandlers<'listRequests' | 'clearRequests' | 'countRequests' | 'verifyRequests'> = {
  listRequests({ path, query }, parts) {
    const { isMeant, limit } = requestsMeant(query, parts);
    const asked = getSandbox(path.id, parts).journal.entries().filter(isMeant);
    return (limit === undefined ? asked : asked.slice(-limit)).map(toJournalEntry);
  },
  clearRequests: ({ path }, parts) => getSandbox(path.id, parts).journal.clear(),
  countRequests({ path, body }, parts) {
    const wanted = wantedIn(body, parts);
    const { journal } = getSandbox(path.id, parts);
    return { count: countOf(wanted, journal) };
  },
  async verifyRequests({ path, body }, parts) {
    const wanted = wantedIn(body, parts);
    const bounds = parseBounds(body);
    const { journal } = getSandbox(path.id, parts);
    const { isMatch: isMeant } = wanted;
    const count = countOf(wanted, journal);
    const { stopping } = parts;
    await waitForRequests({ ...bounds, journal, isMeant, count, stopping, withinMs: body.withinMs ?? 0 });
    // It may have been removed meanwhile.
    if (getSandbox(path.id, parts).journal !== journal) throw unknown(path.id);
    const verdict = withControlProblems(() => verifyRequests(journal, wanted, bounds));
    return stopping.aborted
      ? { ...verdict, verified: false, message: 'the server is stopping, so nobody knows' }
      : verdict;
  },
};

/** How many requests of a journal are wanted; declines where that takes too long to find out. */
function countOf(wanted: ExpectedRequests, journal: Pick<Journal, 'entries'>): number {
  const entries = journal.entries();
  withControlProblems(() => rejectSlowPatterns(wanted, entries));
  return entries.filter(wanted.isMatch).length;
}

function unknown(id: string): ControlProblemError {
  return new ControlProblemError(
    'unknown-sandbox',
    `the sandbox ${id} was removed meanwhile, with its journal: verify before`,
  );
}

/** Which requests a query means; `after` is undefined where it doesn't say. Declines where it names no operations. */
function requestsMeant(query: ControlInput<'listRequests'>['query'], parts: ControlParts) {
  const numberIn = (name: 'after' | 'limit') => (query[name] === undefined ? undefined : Number(query[name]));
  const operation = query.operation === undefined ? undefined : String(query.operation).split(',');
  refuseIssues('unknown-operation', parts.findUnknownOperations(operation));
  const after = numberIn('after');
  return {
    after,
    limit: numberIn('limit'),
    isMeant: (entry: Entry) => entry.id > (after ?? 0) && isOf(operation, entry),
  };
}

/** Whether a request is one of some operations; of any where none are named. */
function isOf(operations: readonly string[] | undefined, { operationId }: Pick<Entry, 'operationId'>): boolean {
  return operations === undefined || (operationId !== undefined && operations.includes(operationId));
}

/** Which requests are wanted; declines where that makes no sense. */
function wantedIn(body: RequestFilter, parts: ControlParts) {
  refuseIssues('unknown-operation', parts.findUnknownOperations(body.operation));
  return withControlProblems(() => parseExpectedRequests(body));
}
