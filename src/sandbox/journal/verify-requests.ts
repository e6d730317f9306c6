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
 * Counts the requests in a journal that match.
 * The server handles other requests in the meantime, and these are counted too.
 * Rejects with an `HttpProblemError` if the regular expressions would take too long.
 */
export async function countMatches(expected: ExpectedRequests, journal: Journal): Promise<number> {
  let count = 0;
  let records = journal.records();
  while (records.length > MAX_LATE_RECORDS) {
    count += await runInSlices(countInSteps(expected, records));
    records = getLaterRecords(journal, records.at(-1)?.id ?? 0);
  }
  return count + runAtOnce(countInSteps(expected, records));
}

function* countInSteps(expected: ExpectedRequests, records: readonly JournalRecord[]): Steps<number> {
  rejectSlowPatterns(expected, records);
  let count = 0;
  for (const record of records) {
    if (expected.isMatch(record)) count++;
    yield;
  }
  return count;
}

function getLaterRecords(journal: Journal, id: number): readonly JournalRecord[] {
  return journal.lastId() > id ? journal.records().filter((record) => record.id > id) : [];
}

/** Compiles a filter of journal records. Throws `HttpProblemError` if a matcher in the filter is invalid. */
export function parseExpectedRequests(filter: RequestFilter) {
  const matcher = createRequestMatcher(filter);
  const { patternSize } = matcher;
  const { after = 0, fault } = filter;
  const statuses = filter.status === undefined ? undefined : [filter.status].flat();
  const reasons = (record: JournalRecord): readonly string[] => [
    ...(record.id > after ? [] : [`id: expected a number greater than ${after}, got ${record.id}`]),
    ...matcher(toRequestToMatch(record)),
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
    isMatch: (record: JournalRecord) => record.id > after && isFast(record) && reasons(record).length === 0,
    /** The id after which requests match. Earlier requests do not match. */
    after,
    /** The number of compiled instructions in all regular expressions of the filter. */
    patternSize,
  };
}

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
 * A verification with a maximum also fails if the journal has deleted or truncated requests that could match.
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
  if (count >= bounds.least && count <= bounds.most && !isUncertain)
    return { verified: true, count, message, nearMisses: [] };
  const shown = count > bounds.most ? matches.slice(bounds.most).slice(-MAX_NEAR_MISSES) : findNearMisses(compared);
  return {
    verified: false,
    count,
    message: [message, ...uncertainties].join('; '),
    nearMisses: shown.map(({ record, reasons }) => ({
      request: toJournalEntry(record),
      reasons: reasons.length > 0 ? reasons : [SURPLUS_REASON],
    })),
  };
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
