import type { RequestsWanted, Verdict } from '../../control/operation.ts';
import { CUT_BODY, createRequestMatcher } from '../matcher/request-matcher.ts';
import { InvalidMatcherError } from '../matcher/value-matcher.ts';
import type { Entry, Journal } from './journal.ts';
import { toJournalEntry, toMatchableRequest } from './journal-entry.ts';

/** How often requests are to have come. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** What is asked of the journal: how often, where nothing is said at least once. */
export interface ExpectedCount {
  readonly times?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** How often requests are wanted; whether they can be at all is `least <= most`. */
export function parseBounds({ times, atLeast, atMost }: ExpectedCount): Bounds {
  const least = times ?? atLeast ?? (atMost === undefined ? 1 : 0);
  return { least, most: times ?? atMost ?? Number.POSITIVE_INFINITY };
}

/** Which requests of a journal are wanted, and why others aren't, a sentence each. */
export interface ExpectedRequests {
  readonly reasons: (entry: Entry) => readonly string[];
  readonly isMeant: (entry: Entry) => boolean;
  /** Those with a higher id alone. */
  readonly after: number;
  /** The instructions that the regular expressions of the condition compile to. */
  readonly patternSize: number;
}

/** How many steps regular expressions may take for the requests of a journal: some 3 s. */
const MOST_STEPS = 300_000_000;

/** Throws a `InvalidMatcherError` where the regular expressions of a condition would take too long for the requests of a journal. */
export function refuseSlow({ patternSize }: ExpectedRequests, entries: readonly Entry[]): void {
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  if (patternSize * bytes <= MOST_STEPS) return;
  const trouble = `has regular expressions that are too large for ${entries.length} requests of ${bytes} bytes: simplify them, or clear the journal before`;
  throw new InvalidMatcherError([{ pointer: '/where', trouble }]);
}

/** Which requests are wanted. Throws a `InvalidMatcherError`. */
export function parseExpectedRequests(wanted: RequestsWanted): ExpectedRequests {
  const condition = createRequestMatcher(wanted);
  const { after = 0, fault } = wanted;
  const statuses = wanted.status === undefined ? undefined : [wanted.status].flat();
  const reasons = (entry: Entry) => {
    const status = entry.answer?.status;
    const met = entry.remarks?.forced?.faults ?? [];
    return [
      ...(entry.id > after ? [] : [`it came before: its id is not above ${after}`]),
      ...condition(toMatchableRequest(entry)),
      ...(statuses && !(status !== undefined && statuses.includes(status))
        ? [`its status is ${status ?? 'none'}, not ${statuses.join(' or ')}`]
        : []),
      ...(fault !== undefined && !met.includes(fault) ? [`it did not meet ${fault}`] : []),
    ];
  };
  const { patternSize } = condition;
  const isQuick = (entry: Entry) => patternSize * entry.bytes <= MOST_STEPS;
  const isMeant = (entry: Entry) => entry.id > after && isQuick(entry) && reasons(entry).length === 0;
  return { reasons, after, patternSize, isMeant };
}

/** How many requests a verdict shows. */
const SHOWN = 3;

/** Whether requests came as often as wanted, and where not what came closest. What a journal has forgotten may have been some: then nobody knows that there were not more. */
export function verifyRequests(
  journal: Pick<Journal, 'entries' | 'forgotten'>,
  wanted: ExpectedRequests,
  { least, most }: Bounds,
): Verdict {
  const entries = journal.entries();
  refuseSlow(wanted, entries);
  const judged = entries.map((entry) => ({ entry, reasons: wanted.reasons(entry) }));
  const found = judged.filter(({ reasons }) => reasons.length === 0);
  const { length: count } = found;
  const isBounded = count <= most && most !== Number.POSITIVE_INFINITY;
  const isUnknown = isBounded && (journal.forgotten() > wanted.after || judged.some(isUnseen));
  const verified = count >= least && count <= most && !isUnknown;
  const nearest = verified ? [] : count > most ? found.slice(-SHOWN) : nearestOf(judged);
  return {
    verified,
    count,
    message: [sentence(count, { least, most }), ...(verified ? [] : unknownSaid(journal, wanted, judged))].join('; '),
    nearMisses: nearest.map(({ entry, reasons }) => ({
      request: toJournalEntry(entry),
      reasons: reasons.length > 0 ? reasons : ['it matches'],
    })),
  };
}

function sentence(count: number, { least, most }: Bounds): string {
  return `${count} such request${count === 1 ? '' : 's'} came, wanted: ${formatBounds({ least, most })}`;
}

function formatBounds({ least, most }: Bounds): string {
  if (least === most) return `exactly ${least}`;
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`;
  if (least > most) return `at least ${least} and at most ${most}, which no number of requests is`;
  return `${least} to ${most}`;
}

/** What nobody knows, a sentence each. */
function unknownSaid(
  journal: Pick<Journal, 'forgotten'>,
  { after }: ExpectedRequests,
  judged: readonly { readonly reasons: readonly string[] }[],
): readonly string[] {
  const forgotten = journal.forgotten();
  const unseen = judged.filter(isUnseen).length;
  const remedy = 'ask for what came after, or clear the journal before';
  return [
    ...(forgotten > after ? [`of those up to #${forgotten} nobody knows any more: ${remedy}`] : []),
    ...(unseen > 0 ? [`of ${unseen} nobody knows, since their bodies are cut`] : []),
  ];
}

/** Whether a request may be one that is wanted, since only its cut body speaks against it. */
function isUnseen({ reasons }: { readonly reasons: readonly string[] }): boolean {
  return reasons.length === 1 && reasons[0] === CUT_BODY;
}

/** Those that are not as wanted in the fewest ways, of these the last. */
function nearestOf<Judged extends { readonly entry: Entry; readonly reasons: readonly string[] }>(
  judged: readonly Judged[],
): readonly Judged[] {
  return judged
    .filter(({ reasons }) => reasons.length > 0)
    .sort((one, other) => one.reasons.length - other.reasons.length || other.entry.id - one.entry.id)
    .slice(0, SHOWN);
}
