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
 * The maximum number of steps for matching the regular expressions of a filter with all entries of a journal, in
 * slices.
 * A step takes up to 13 ns.
 */
const MAX_STEPS = 300_000_000;

/** The maximum number of steps for one entry, during which the server handles no other request. */
const MAX_ENTRY_STEPS = 8_000_000;

/**
 * Throws `HttpProblemError` if it would take too long to compare the regular expressions of a filter with the
 * entries of a journal.
 */
function rejectSlowPatterns({ patternSize }: ExpectedRequests, entries: readonly JournalRecord[]): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const largest = Math.max(0, ...entries.map((entry) => entry.bytes));
  const isLargeEntry = patternSize * largest > MAX_ENTRY_STEPS;
  if (patternSize * bytes <= MAX_STEPS && !isLargeEntry) return;
  const requests = isLargeEntry ? `a request of ${largest} bytes` : `${entries.length} requests of ${bytes} bytes`;
  const problem = `has regular expressions that are too large for ${requests}`;
  const remedy = 'simplify the regular expressions, or clear the journal first';
  throw createMatcherError({ pointer: '/where' }, { rule: 'complexity', problem, remedy });
}

/**
 * The maximum number of requests that are compared without a pause, if they arrived while earlier requests were
 * compared.
 */
const MAX_LATE_ENTRIES = 3;

/**
 * Counts the requests in a journal that match.
 * The server handles other requests in the meantime, and these are counted too.
 * Rejects with an `HttpProblemError` if the regular expressions would take too long.
 */
export async function countMatches(expected: ExpectedRequests, journal: Journal): Promise<number> {
  let count = 0;
  let entries = journal.entries();
  while (entries.length > MAX_LATE_ENTRIES) {
    count += await runInSlices(countInSteps(expected, entries));
    entries = getLaterEntries(journal, entries.at(-1)?.id ?? 0);
  }
  return count + runAtOnce(countInSteps(expected, entries));
}

function* countInSteps(expected: ExpectedRequests, entries: readonly JournalRecord[]): Steps<number> {
  rejectSlowPatterns(expected, entries);
  let count = 0;
  for (const entry of entries) {
    if (expected.isMatch(entry)) count++;
    yield;
  }
  return count;
}

function getLaterEntries(journal: Journal, id: number): readonly JournalRecord[] {
  return journal.lastId() > id ? journal.entries().filter((entry) => entry.id > id) : [];
}

/** Compiles a filter of journal entries. Throws `HttpProblemError` if a matcher in the filter is invalid. */
export function parseExpectedRequests(filter: RequestFilter) {
  const matcher = createRequestMatcher(filter);
  const { patternSize } = matcher;
  const { after = 0, fault } = filter;
  const statuses = filter.status === undefined ? undefined : [filter.status].flat();
  const reasons = (entry: JournalRecord): readonly string[] => [
    ...(entry.id > after ? [] : [`id: expected a number greater than ${after}, got ${entry.id}`]),
    ...matcher(toRequestToMatch(entry)),
    ...compareStatus(entry.response?.status, statuses),
    ...(fault === undefined || entry.remarks?.forced?.faults?.includes(fault) ? [] : [`fault: ${fault} did not apply`]),
  ];
  const isFast = (entry: JournalRecord) => patternSize * entry.bytes <= MAX_ENTRY_STEPS;
  return {
    /**
     * Returns the reasons why an entry does not match.
     * Each reason is a sentence.
     * Returns an empty list if the entry matches.
     */
    reasons,
    /**
     * Returns whether an entry matches.
     * Returns false if the comparison with regular expressions would take too long.
     */
    isMatch: (entry: JournalRecord) => entry.id > after && isFast(entry) && reasons(entry).length === 0,
    /** The id after which requests match. Earlier requests do not match. */
    after,
    /** The number of compiled instructions in all regular expressions of the filter. */
    patternSize,
  };
}

/** A compiled filter of journal entries. */
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

/** An entry, and the reasons why it does not match. */
interface ComparedEntry {
  readonly entry: JournalRecord;
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
  const entries = journal.entries();
  const droppedId = journal.lastDroppedId();
  rejectSlowPatterns(expected, entries);
  const compared: ComparedEntry[] = [];
  for (const entry of entries) {
    compared.push({ entry, reasons: expected.reasons(entry) });
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
    nearMisses: shown.map(({ entry, reasons }) => ({
      request: toJournalEntry(entry),
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
  compared: readonly ComparedEntry[],
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
 * Returns the three entries with the fewest reasons why they do not match.
 * If two entries have the same number of reasons, the later entry comes first.
 */
function findNearMisses(compared: readonly ComparedEntry[]): readonly ComparedEntry[] {
  return compared
    .filter(({ reasons }) => reasons.length > 0)
    .sort((a, b) => a.reasons.length - b.reasons.length || b.entry.id - a.entry.id)
    .slice(0, MAX_NEAR_MISSES);
}
