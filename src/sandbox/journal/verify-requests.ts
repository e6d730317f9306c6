import type { ControlInput, RequestFilter, Verification } from '../../control/operation.ts';
import { createRequestMatcher, TRUNCATED_BODY, TRUNCATED_QUERY } from '../../matcher/request-matcher.ts';
import { createMatcherError } from '../../matcher/value-matcher.ts';
import { runAtOnce, runInSlices, type Steps } from '../../util/slices.ts';
import type { Journal } from './journal.ts';
import { type JournalRecord, toJournalEntry, toRequestToMatch } from './recorded-request.ts';

/**
 * The expected number of requests, in the format of the control API: `{ "times": 2 }` or
 * `{ "atLeast": 1, "atMost": 3 }`.
 */
type ExpectedCount = Pick<ControlInput<'verifyRequests'>['body'], 'times' | 'atLeast' | 'atMost'>;

/**
 * Returns the minimum (`least`) and the maximum (`most`) of the expected number of requests.
 * By default, at least one request is expected.
 */
export function parseBounds({ times, atLeast, atMost }: ExpectedCount) {
  const least = times ?? atLeast ?? (atMost === undefined ? 1 : 0);
  return { least, most: times ?? atMost ?? Number.POSITIVE_INFINITY };
}

/**
 * The minimum and the maximum of the expected number of requests.
 * If `least` is greater than `most`, a verification always fails.
 */
export type Bounds = ReturnType<typeof parseBounds>;

/**
 * The maximum number of steps for matching the regular expressions of a filter with all records of a journal, in
 * slices.
 * A step takes up to 13 ns.
 */
const MAX_STEPS = 300_000_000;

/** The maximum number of steps for one record, during which the server handles no other request. */
const MAX_RECORD_STEPS = 8_000_000;

/**
 * Throws `HttpProblemError` if it would take too long to compare the regular expressions of a filter with the
 * records of a journal.
 */
function rejectSlowPatterns({ patternSize }: ExpectedRequests, records: readonly JournalRecord[]): void {
  const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
  const largest = Math.max(0, ...records.map((record) => record.bytes));
  const isLargeRecord = patternSize * largest > MAX_RECORD_STEPS;
  if (patternSize * bytes <= MAX_STEPS && !isLargeRecord) return;
  const requests = isLargeRecord ? `a request of ${largest} bytes` : `${records.length} requests of ${bytes} bytes`;
  const problem = `has regular expressions that are too large for ${requests}`;
  const remedy = 'simplify the regular expressions, or clear the journal first';
  throw createMatcherError({ pointer: '/where' }, { rule: 'complexity', problem, remedy });
}

/**
 * The maximum number of requests that are compared without a pause, if they arrived while earlier requests were
 * compared.
 */
const MAX_LATE_RECORDS = 3;

/**
 * Returns the ids of the requests in a journal that match.
 * The server handles other requests in the meantime, and these are compared too.
 * Rejects with an `HttpProblemError` if the regular expressions would take too long.
 */
export async function findMatches(expected: ExpectedRequests, journal: Journal): Promise<ReadonlySet<number>> {
  const ids = new Set<number>();
  let records = journal.records();
  while (records.length > MAX_LATE_RECORDS) {
    const known = new Map(records.map((record) => [record.id, record]));
    await runInSlices(matchInSteps(expected, records, ids));
    for (const id of ids) if (journal.find(id) === undefined) ids.delete(id);
    records = journal.records().filter(({ id, isWaiting }) => known.get(id)?.isWaiting !== isWaiting || !known.has(id));
  }
  runAtOnce(matchInSteps(expected, records, ids));
  return ids;
}

/** Adds the ids of the records that match to `ids`, and deletes those of records that no longer match. */
function* matchInSteps(expected: ExpectedRequests, records: readonly JournalRecord[], ids: Set<number>): Steps<void> {
  rejectSlowPatterns(expected, records);
  for (const record of records) {
    if (expected.isMatch(record)) ids.add(record.id);
    else ids.delete(record.id);
    yield;
  }
}

/** Compiles a filter of journal records. Throws `HttpProblemError` if a matcher in the filter is invalid. */
export function parseExpectedRequests(filter: RequestFilter) {
  const matcher = createRequestMatcher(filter);
  const { patternSize } = matcher;
  const { after = 0, fault, state = 'finished', delivery } = filter;
  const deliveries = delivery === undefined ? undefined : [delivery].flat();
  // A waiting request of a server with a database has a negative id. It is later than all recorded requests.
  const isLater = ({ id }: JournalRecord) => id > after || id < 0;
  const isState = ({ isWaiting = false }: JournalRecord) => state === 'any' || isWaiting === (state === 'waiting');
  const statuses = filter.status === undefined ? undefined : [filter.status].flat();
  const reasons = (record: JournalRecord): readonly string[] => [
    ...(isLater(record) ? [] : [`id: expected a number greater than ${after}, got ${record.id}`]),
    ...compareDelivery(record, deliveries),
    ...matcher(toRequestToMatch(record)),
    ...(isState(record)
      ? []
      : [`${STATE_REASON}: expected ${state}, got ${record.isWaiting ? 'waiting' : 'finished'}`]),
    ...compareStatus(record.response?.status, statuses),
    ...(fault === undefined || record.remarks?.forced?.faults?.includes(fault)
      ? []
      : [`fault: ${fault} did not apply`]),
  ];
  const isFast = (record: JournalRecord) => patternSize * record.bytes <= MAX_RECORD_STEPS;
  return {
    /**
     * Returns the reasons why a record does not match.
     * Each reason is a sentence.
     * Returns an empty list if the record matches.
     */
    reasons,
    /**
     * Returns whether a record matches.
     * Returns false if the comparison with regular expressions would take too long.
     */
    isMatch: (record: JournalRecord) =>
      isLater(record) && isState(record) && isFast(record) && reasons(record).length === 0,
    /** The id after which requests match. Earlier requests do not match. */
    after,
    /** The number of compiled instructions in all regular expressions of the filter. */
    patternSize,
  };
}

/** Compares the webhook or callback of a record. `names`: the expected ones; undefined for received requests. */
function compareDelivery({ delivery }: JournalRecord, names: readonly string[] | undefined): readonly string[] {
  if (!names) return delivery ? [`delivery: expected a received request, got the delivery of ${delivery.name}`] : [];
  if (delivery && names.includes(delivery.name)) return [];
  return [`delivery: expected ${names.join(' or ')}, got ${delivery?.name ?? 'a received request'}`];
}

/** The start of the reason that a request is waiting although only finished requests are expected, or vice versa. */
const STATE_REASON = 'state';

/** A compiled filter of journal records. */
type ExpectedRequests = ReturnType<typeof parseExpectedRequests>;

function compareStatus(status: number | undefined, expected: readonly number[] | undefined): readonly string[] {
  if (!expected || (status !== undefined && expected.includes(status))) return [];
  return [`status: expected ${expected.join(' or ')}, got ${status ?? 'no response'}`];
}

/** The maximum number of near misses in the result of a verification. */
const MAX_NEAR_MISSES = 3;

/**
 * The reason that a verification gives for a surplus request, which matches although no more requests were expected.
 */
const SURPLUS_REASON = 'the request matches, but exceeds the expected number';

/** A record, and the reasons why it does not match. */
interface ComparedRecord {
  readonly record: JournalRecord;
  readonly reasons: readonly string[];
}

/**
 * Verifies that the expected number of requests in the journal match.
 * If too few requests match, `nearMisses` contains the most similar other requests.
 * If too many requests match, it contains the last matching requests.
 * A verification with a maximum also fails if the journal has deleted or truncated requests that could match, or if
 * requests that are still waiting exceed the maximum.
 * Compares the requests in steps, because a journal can have 32 MB.
 */
export function* verifyRequests(journal: Journal, expected: ExpectedRequests, bounds: Bounds): Steps<Verification> {
  const records = journal.records();
  const droppedId = journal.lastDroppedId();
  rejectSlowPatterns(expected, records);
  const compared: ComparedRecord[] = [];
  for (const record of records) {
    compared.push({ record, reasons: expected.reasons(record) });
    yield;
  }
  const matches = compared.filter(({ reasons }) => reasons.length === 0);
  const { length: count } = matches;
  const message = `Expected ${describeBounds(bounds)}, found ${count}`;
  const uncertainties = describeUncertainties(droppedId, expected.after, compared);
  const isUncertain = bounds.most !== Number.POSITIVE_INFINITY && uncertainties.length > 0;
  const waiting = compared.filter(isMatchingAndWaiting);
  const isExceeded = count + waiting.length > bounds.most;
  if (count >= bounds.least && !isExceeded && !isUncertain) return { verified: true, count, message, nearMisses: [] };
  const shown = count > bounds.most ? matches.slice(bounds.most).slice(-MAX_NEAR_MISSES) : findNearMisses(compared);
  const hints = count < bounds.least || isExceeded ? describeWaiting(waiting) : [];
  return {
    verified: false,
    count,
    message: [message, ...hints, ...uncertainties].join('; '),
    nearMisses: shown.map(({ record, reasons }) => ({
      request: toJournalEntry(record),
      reasons: reasons.length > 0 ? reasons : [SURPLUS_REASON],
    })),
  };
}

/** The maximum number of waiting requests that a message names. */
const MAX_NAMED_REQUESTS = 3;

/** Returns whether a request matches except for its state, because it is still waiting. */
function isMatchingAndWaiting({ record, reasons: [first = '', ...others] }: ComparedRecord): boolean {
  return record.isWaiting === true && others.length === 0 && first.startsWith(STATE_REASON);
}

/** Describes waiting requests. */
function describeWaiting(waiting: readonly ComparedRecord[]): readonly string[] {
  if (waiting.length === 0) return [];
  const named = waiting.slice(0, MAX_NAMED_REQUESTS).map(({ record }) => describeHolder(record));
  const rest = waiting.length > named.length ? ' and others' : '';
  const [what, pronoun] = waiting.length === 1 ? ['request is', 'it'] : ['requests are', 'them'];
  return [
    `${waiting.length} matching ${what} still waiting (${named.join(', ')}${rest}): release ${pronoun}, wait with \`withinMs\`, or count ${pronoun} with the state any`,
  ];
}

function describeHolder({ id, remarks }: JournalRecord): string {
  const { faults = [] } = remarks?.forced ?? {};
  return faults.length === 0 ? `#${id}` : `#${id} by fault ${faults.join(' and ')}`;
}

function describeBounds({ least, most }: Bounds): string {
  if (least === most) return `exactly ${countRequests(least)}`;
  if (most === Number.POSITIVE_INFINITY) return `at least ${countRequests(least)}`;
  if (least > most) return `at least ${least} and at most ${countRequests(most)}, which is impossible`;
  return `${least} to ${countRequests(most)}`;
}

function countRequests(count: number): string {
  return `${count} matching request${count === 1 ? '' : 's'}`;
}

/** Returns the reasons why the number of matching requests is uncertain. Each reason is a sentence. */
function describeUncertainties(
  droppedId: number,
  after: number,
  compared: readonly ComparedRecord[],
): readonly string[] {
  const undecided = compared.filter(({ reasons }) => isUndecided(reasons, TRUNCATED_BODY)).length;
  const undecidedQueries = compared.filter(({ reasons }) => isUndecided(reasons, TRUNCATED_QUERY)).length;
  return [
    ...(droppedId > after
      ? [`the journal no longer contains the requests up to #${droppedId}: set \`after\`, or clear the journal first`]
      : []),
    ...(undecided > 0 ? [`the truncated bodies of ${undecided} requests cannot be compared`] : []),
    ...(undecidedQueries > 0 ? [`the truncated queries of ${undecidedQueries} requests cannot be compared`] : []),
  ];
}

/**
 * Returns whether all parts of a request match, except truncated parts that can't be compared.
 * `truncated`: the reason of one of these parts.
 */
function isUndecided(reasons: readonly string[], truncated: string): boolean {
  return reasons.includes(truncated) && reasons.every((reason) => TRUNCATIONS.includes(reason));
}

const TRUNCATIONS: readonly string[] = [TRUNCATED_BODY, TRUNCATED_QUERY];

/**
 * Returns the three records with the fewest reasons why they do not match.
 * If two records have the same number of reasons, the later record comes first.
 */
function findNearMisses(compared: readonly ComparedRecord[]): readonly ComparedRecord[] {
  return compared
    .filter(({ reasons }) => reasons.length > 0)
    .sort((a, b) => a.reasons.length - b.reasons.length || b.record.id - a.record.id)
    .slice(0, MAX_NEAR_MISSES);
}
