import { pairEntries } from '../sandbox/change-log.ts';
import type { ListChange } from '../sandbox/journal/change-history.ts';
import type { Journal } from '../sandbox/journal/journal.ts';
import {
  type JournalRecord,
  toJournalEntry,
  toRequestToMatch,
  toUnredactedRequest,
} from '../sandbox/journal/recorded-request.ts';
import {
  type Bounds,
  findMatches,
  parseBounds,
  parseExpectedRequests,
  verifyRequests,
} from '../sandbox/journal/verify-requests.ts';
import { DEFAULT_SANDBOX_ID, type Sandbox } from '../sandbox/sandbox.ts';
import { createIdentity } from '../util/entry-identity.ts';
import { HttpProblemError } from '../util/problem.ts';
import { runInSlices, type Steps } from '../util/slices.ts';
import { type ControlHandlers, type ControlParts, getSandbox, rejectIssues } from './handler.ts';
import type { ControlInput, EntryChange, Fault, JournalEntry, RequestFilter } from './operation.ts';

/**
 * Returns the journal of a sandbox, and which of its records an event stream sends.
 * `isMatch`: whether the stream sends a record.
 * `after`: the stream starts after the record with this id; if undefined, the stream sends only new records.
 */
export function getFollowedRequests({ path, query }: ControlInput<'listRequests'>, parts: ControlParts) {
  const { after, isMatch } = parseQuery(query, parts);
  return { journal: getSandbox(path.id, parts).journal, after, isMatch };
}

/** The handlers of the control API for the journal (the recorded requests of a sandbox), by operationId. */
export const journalHandlers = {
  async listRequests({ path, query }, parts) {
    const { isMatch, limit } = parseQuery(query, parts);
    await parts.sandboxes.loadJournal(path.id);
    const records = getSandbox(path.id, parts).journal.records().filter(isMatch);
    return runInSlices(formatInSteps(records.slice(-limit)));
  },
  clearRequests: ({ path }, parts) => parts.sandboxes.clearJournal(getSandbox(path.id, parts)),
  async countRequests({ path, body }, parts) {
    const expected = parseFilter(body, parts);
    await parts.sandboxes.loadJournal(path.id);
    const { journal } = getSandbox(path.id, parts);
    return { count: (await findMatches(expected, journal)).size };
  },
  async verifyRequests({ path, body }, parts) {
    const expected = parseFilter(body, parts);
    const bounds = parseBounds(body);
    await parts.sandboxes.loadJournal(path.id);
    const { journal } = getSandbox(path.id, parts);
    const { stopping } = parts;
    const waiting = { journal, stopping, isMatch: expected.isMatch, matches: await findMatches(expected, journal) };
    await waitForRequests({ ...bounds, ...waiting, withinMs: body.withinMs ?? 0 });
    // The sandbox may have been deleted or replaced during the wait.
    if (getSandbox(path.id, parts).journal !== journal) {
      const detail = `Sandbox ${path.id} was deleted during the verification. Verify the requests before you delete the sandbox.`;
      throw new HttpProblemError({ code: 'unknown-sandbox', detail });
    }
    const verification = await runInSlices(verifyRequests(journal, expected, bounds));
    if (stopping.aborted)
      return { ...verification, verified: false, message: 'The server is shutting down, so the result is not known' };
    if (verification.verified || journal.lastId() > 0 || journal.records().length > 0) return verification;
    return { ...verification, message: `${verification.message}; ${describeMissingRequests(path.id)}` };
  },
} satisfies Partial<ControlHandlers>;

/**
 * Explains why a sandbox may have received no requests, for the message of a failed verification.
 * The usual cause is a page on another host, to which the browser sends no cookie.
 */
function describeMissingRequests(id: string): string {
  const remedy =
    id === DEFAULT_SANDBOX_ID
      ? 'check the address of the server, and that the requests name no other sandbox'
      : `check that the requests have the header X-Sandbox: ${id}, the prefix /_sandbox/${id} or the cookie sandbox=${id}; the browser sends the cookie only if the page has the same host as the baseURL of the tests, and a server that renders the app must pass the sandbox on (docs/server-rendered-apps.md)`;
  return `the sandbox ${id} has received no requests: ${remedy}`;
}

/** Formats journal records in steps, because a journal can have 32 MB. */
function* formatInSteps(records: readonly JournalRecord[]): Steps<readonly JournalEntry[]> {
  const formatted: JournalEntry[] = [];
  for (const record of records) {
    formatted.push(toJournalEntry(record));
    yield;
  }
  return formatted;
}

/**
 * Parses the query parameters of `listRequests`.
 * Throws a `HttpProblemError` if `operation` names an operation that the contract does not define.
 */
function parseQuery({ operation, delivery, after, limit }: ControlInput<'listRequests'>['query'], parts: ControlParts) {
  const deliveries = delivery === undefined ? undefined : String(delivery).split(',');
  const operations = operation === undefined ? undefined : String(operation).split(',');
  rejectIssues('unknown-operation', parts.findUnknownOperationIssues(operations), 'query');
  const afterId = after === undefined ? undefined : Number(after);
  return {
    after: afterId,
    limit: Number(limit ?? Number.POSITIVE_INFINITY),
    isMatch: ({ id, operationId = '', delivery: sent }: JournalRecord) =>
      id > (afterId ?? 0) &&
      (operations === undefined || operations.includes(operationId)) &&
      (deliveries === undefined || deliveries.includes(sent?.name ?? '')),
  };
}

/**
 * Parses a filter of recorded requests.
 * Throws an `HttpProblemError` if a matcher is invalid or an operation does not exist.
 */
function parseFilter(body: RequestFilter, parts: ControlParts) {
  rejectIssues('unknown-operation', parts.findUnknownOperationIssues(body.operation));
  return parseExpectedRequests(body);
}

/** Options of `waitForRequests`. */
interface Waiting extends Bounds {
  readonly journal: Pick<Journal, 'follow'>;
  /** The maximum time to wait, in ms. */
  readonly withinMs: number;
  /** The signal that ends the wait. */
  readonly stopping: AbortSignal;
  /** The ids of the matching requests that are already in the journal. */
  readonly matches: ReadonlySet<number>;
  /** Returns whether a new request matches. */
  readonly isMatch: (record: JournalRecord) => boolean;
}

/**
 * Waits until later requests can't change the result of a verification, but at most `withinMs`.
 * This is the case if more than `most` requests match.
 * If `most` is infinite, it is the case if at least `least` requests match.
 * It is always the case if `least` is greater than `most`.
 * Also stops waiting if the sandbox is removed or the server stops.
 */
export function waitForRequests({ journal, withinMs, stopping, least, most, ...found }: Waiting): Promise<void> {
  const matches = new Set(found.matches);
  const isSettled = () =>
    least > most || matches.size > most || (matches.size >= least && most === Number.POSITIVE_INFINITY);
  if (withinMs === 0 || isSettled() || stopping.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      unfollow();
      stopping.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, withinMs);
    const unfollow = journal.follow({
      onRecord(record) {
        // A waiting request that has ended can match no longer.
        if (found.isMatch(record)) matches.add(record.id);
        else matches.delete(record.id);
        if (isSettled()) end();
      },
      onWaitingEnd: (id) => matches.delete(id),
      onEnd: end,
    });
    stopping.addEventListener('abort', end);
  });
}

/** The handlers of the control API for a single recorded request, by operationId. */
export const requestHandlers = {
  async getRequest({ path }, parts) {
    await parts.sandboxes.loadJournal(path.id);
    const sandbox = getSandbox(path.id, parts);
    // Path parameters are strings.
    const record = findRecord(sandbox, Number(path.request));
    const request = toJournalEntry(record);
    const { findSource, collections } = parts.application();
    const keys = new Map(collections.map(({ name, key }) => [name, key]));
    const changes = sandbox.journal.changes.get(record.id)?.filter(({ collection }) => keys.has(collection));
    return {
      request,
      violations: (request.violations ?? []).map((violation) => {
        const source = findSource(request.operation, violation);
        return source ? { violation, source } : { violation };
      }),
      faults: explainFaults(sandbox, record),
      ...(changes ? { changes: toEntryChanges(changes, (name) => keys.get(name)) } : {}),
    };
  },
  async getUnredactedRequest({ path }, parts) {
    await parts.sandboxes.loadJournal(path.id);
    return toUnredactedRequest(findRecord(getSandbox(path.id, parts), Number(path.request)));
  },
} satisfies Partial<ControlHandlers>;

/** Returns the journal record with the id `id`. Throws a `HttpProblemError` if the journal does not contain it. */
function findRecord({ id: sandbox, journal }: Sandbox, id: number): JournalRecord {
  const record = journal.find(id);
  if (record) return record;
  const reason = id > journal.lastId() ? 'does not exist yet' : 'is no longer in the journal';
  throw new HttpProblemError({
    code: 'unknown-journal-entry',
    detail: `Request ${id} of sandbox ${sandbox} ${reason}.`,
  });
}

/** Returns the active faults that did not apply to a request, with the reasons. */
function explainFaults({ faults }: Sandbox, record: JournalRecord) {
  const { faults: applied = [] } = record.remarks?.forced ?? {};
  return faults.explain(toRequestToMatch(record), applied).map(({ fault, reasons }) => ({
    fault,
    reasons: reasons.length > 0 ? [...reasons] : explainMatch(fault, record),
  }));
}

/** Returns reasons why a fault may not have been applied to a request, although the request matches the fault. */
function explainMatch({ skip = 0, probability = 1 }: Fault, { decision, remarks }: JournalRecord): string[] {
  if (decision?.source === 'refusal') return ['the server refused the request before it applied faults'];
  const reasons = [
    ...(skip > 0 ? [`skip: the fault skips the first ${skip} matching requests`] : []),
    ...(probability < 1 ? [`probability: the fault applies to ${probability * 100} % of the matching requests`] : []),
    ...(decision?.source === 'preference' ? ['the request has a preference for a response'] : []),
    ...(remarks?.forced?.faults ? ['another fault applied to the request'] : []),
  ];
  return reasons.length > 0
    ? reasons
    : ['the fault was added after the request, or its effect is not possible for the operation'];
}

/**
 * Converts changed lists to a list of changed entries.
 * `getKey`: returns the property that identifies the entries of a collection, such as `id`.
 */
function toEntryChanges(
  lists: readonly ListChange[],
  getKey: (collection: string) => string | undefined,
): EntryChange[] {
  return lists.flatMap((list) => pairEntries(list, createIdentity(getKey(list.collection))));
}
