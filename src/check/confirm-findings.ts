import { type Finding, getFindingKey } from './findings.ts';
import type { Session } from './session.ts';
import { ServerUnreachableError } from './stop-signal.ts';

/** The number of repetitions before a finding counts as not reproducible. */
const REPEATS = 3;

/**
 * Adds findings to the ledger. A new finding is added if `repeat`, which sends the same requests, finds it again; otherwise it is added as not
 * reproducible.
 */
export async function addConfirmed(
  { ledger }: Session,
  found: readonly Finding[],
  repeat: () => Promise<readonly Finding[]>,
): Promise<void> {
  ledger.addAll(found.filter((finding) => ledger.has(finding)));
  let unconfirmed = found.filter((finding) => !ledger.has(finding));
  try {
    for (let time = 0; time < REPEATS && unconfirmed.length > 0; time++) {
      const again = await repeat();
      ledger.addAll(unconfirmed.filter((finding) => again.some((other) => isSame(finding, other))));
      unconfirmed = unconfirmed.filter((finding) => !again.some((other) => isSame(finding, other)));
    }
  } catch (error) {
    ledger.addAll(unconfirmed.filter((finding) => isReportable(finding, error)));
    throw error;
  }
  for (const finding of unconfirmed) ledger.addUnreproduced(finding);
}

/** Repeats requests until the same finding occurs again. Returns it, or undefined if it does not occur within `times` repetitions. */
export async function reproduceFinding(
  finding: Finding,
  repeat: () => Promise<readonly Finding[]>,
  times = REPEATS,
): Promise<Finding | undefined> {
  for (let time = 0; time < times; time++) {
    const again = (await repeat()).find((other) => isSame(finding, other));
    if (again) return again;
  }
  return undefined;
}

/** Whether two findings are the same, after the same number of requests. */
function isSame(one: Finding, other: Finding): boolean {
  return getFindingKey(one) === getFindingKey(other) && one.exchanges.length === other.exchanges.length;
}

/** Whether a finding that can't be repeated is reported: a missing response of a server that is gone violates no contract. */
export function isReportable({ status }: Finding, error: unknown): boolean {
  return !(error instanceof ServerUnreachableError && status === 'none');
}

/** How entries are examined. */
export interface Examination<Entry> {
  readonly examine: (entry: Entry) => Promise<readonly Finding[]>;
  /** Called before an entry is examined alone, or again. */
  readonly prepare?: () => Promise<void>;
  /** Whether an entry must be examined while no other is; by default none. */
  readonly mustRunAlone?: (entry: Entry) => boolean;
}

/** Examines entries, first concurrently those that can be, then the others one after the other. Adds the findings in this order. */
export async function examineAll<Entry>(
  session: Session,
  entries: readonly Entry[],
  { examine, prepare, mustRunAlone = () => false }: Examination<Entry>,
): Promise<void> {
  const repeat = async (entry: Entry) => {
    await prepare?.();
    return examine(entry);
  };
  const together = entries.filter((entry) => !mustRunAlone(entry));
  const found = await examineConcurrently(session, together, examine);
  for (const entry of together) await addConfirmed(session, found.get(entry) ?? [], () => repeat(entry));
  for (const entry of entries.filter(mustRunAlone))
    await addConfirmed(session, await repeat(entry), () => repeat(entry));
}

/** Returns the findings of each entry. If an entry throws, the findings so far are added to the ledger. */
async function examineConcurrently<Entry>(
  { ledger, maxConcurrent }: Session,
  entries: readonly Entry[],
  examine: Examination<Entry>['examine'],
): Promise<ReadonlyMap<Entry, readonly Finding[]>> {
  const found = new Map<Entry, readonly Finding[]>();
  const workers = Array.from({ length: Math.max(1, maxConcurrent) });
  try {
    await distribute(entries, workers, async (entry) => void found.set(entry, await examine(entry)));
  } catch (error) {
    for (const findings of found.values()) ledger.addAll(findings.filter((one) => isReportable(one, error)));
    throw error;
  }
  return found;
}

/**
 * Distributes entries to workers, each of which handles one at a time with `work`. After an error no other entry is started; rejects with it once the
 * pending ones have ended.
 */
export async function distribute<Entry, Worker>(
  entries: readonly Entry[],
  workers: readonly Worker[],
  work: (entry: Entry, worker: Worker) => Promise<void>,
): Promise<void> {
  const left = entries.values();
  const errors: unknown[] = [];
  const handleNext = async (worker: Worker) => {
    for (const entry of left) {
      if (errors.length > 0) return;
      await work(entry, worker).catch((error) => void errors.push(error));
    }
  };
  await Promise.all(workers.map(handleNext));
  if (errors.length > 0) throw errors[0];
}
