import type { JournalEntry, RequestsWanted, Verdict } from '../control/operation.ts';
import { conditionOf } from './condition.ts';
import type { Entry } from './journal.ts';
import { askedIn, shownEntry } from './journal-entry.ts';

/** How often requests are to have come. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** What is asked of the journal: how often, where nothing is said at least once. */
export interface OftenWanted {
  readonly times?: number | undefined;
  readonly atLeast?: number | undefined;
  readonly atMost?: number | undefined;
}

/** How often requests are wanted; whether they can be at all is `least <= most`. */
export function boundsOf({ times, atLeast, atMost }: OftenWanted): Bounds {
  const least = times ?? atLeast ?? (atMost === undefined ? 1 : 0);
  return { least, most: times ?? atMost ?? Number.POSITIVE_INFINITY };
}

/** Why a request of the journal isn't as wanted, a sentence each. */
export type Wanted = (entry: Entry) => readonly string[];

/** Which requests are wanted. Throws a `ConditionFault`. */
export function wantedOf(wanted: RequestsWanted): Wanted {
  const condition = conditionOf(wanted);
  const statuses = wanted.status === undefined ? undefined : [wanted.status].flat();
  return (entry) => {
    const status = entry.answer?.status;
    const met = entry.remarks?.forced?.faults ?? [];
    return [
      ...condition(askedIn(entry)),
      ...(statuses && !(status !== undefined && statuses.includes(status))
        ? [`its status is ${status ?? 'none'}, not ${statuses.join(' or ')}`]
        : []),
      ...(wanted.fault !== undefined && !met.includes(wanted.fault) ? [`it did not meet ${wanted.fault}`] : []),
    ];
  };
}

/** The requests of a journal that are wanted. */
export function countIn(entries: readonly Entry[], { after = 0 }: RequestsWanted, isWanted: Wanted): readonly Entry[] {
  return entries.filter((entry) => entry.id > after && isWanted(entry).length === 0);
}

/** How many requests a verdict shows. */
const SHOWN = 3;

/** Whether requests came as often as wanted, and where not what came closest. */
export function verdictOf(
  entries: readonly Entry[],
  wanted: RequestsWanted,
  { least, most }: Bounds,
  isWanted: Wanted,
): Verdict {
  const found = countIn(entries, wanted, isWanted);
  const verified = found.length >= least && found.length <= most;
  const nearest = verified ? [] : found.length > most ? lastOf(found) : nearestOf(entries, wanted, isWanted);
  return { verified, count: found.length, said: sentence(found.length, { least, most }), nearest };
}

function sentence(count: number, { least, most }: Bounds): string {
  const wanted =
    least === most
      ? `exactly ${least}`
      : most === Number.POSITIVE_INFINITY
        ? `at least ${least}`
        : `${least} to ${most}`;
  return `${count} such request${count === 1 ? '' : 's'} came, wanted: ${wanted}`;
}

function lastOf(found: readonly Entry[]) {
  return found.slice(-SHOWN).map((entry) => ({ request: shownEntry(entry), because: ['it is as wanted'] }));
}

/** Those that are not as wanted in the fewest ways, of these the last. */
function nearestOf(
  entries: readonly Entry[],
  { after = 0 }: RequestsWanted,
  isWanted: Wanted,
): { readonly request: JournalEntry; readonly because: readonly string[] }[] {
  return entries
    .map((entry) => ({
      entry,
      because: [...(entry.id > after ? [] : [`it came before: its id is not above ${after}`]), ...isWanted(entry)],
    }))
    .filter(({ because }) => because.length > 0)
    .sort((one, other) => one.because.length - other.because.length || other.entry.id - one.entry.id)
    .slice(0, SHOWN)
    .map(({ entry, because }) => ({ request: shownEntry(entry), because }));
}
