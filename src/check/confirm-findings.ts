import { ServerGoneError } from './check-stopped-error.ts';
import { forEachConcurrently } from './concurrency.ts';
import { type Finding, getFindingKey } from './findings.ts';
import type { Session } from './session.ts';

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
  return !(error instanceof ServerGoneError && status === 'none');
}

/** Examines independent entries concurrently, then adds the findings in the order of the entries. */
export async function examineConcurrently<Entry>(
  session: Session,
  entries: readonly Entry[],
  { examine, repeat }: Examination<Entry>,
): Promise<void> {
  const found = new Map<Entry, readonly Finding[]>();
  try {
    await forEachConcurrently(
      entries,
      session.maxConcurrent,
      async (entry) => void found.set(entry, await examine(entry)),
    );
  } catch (error) {
    for (const findings of found.values()) session.ledger.addAll(findings.filter((one) => isReportable(one, error)));
    throw error;
  }
  for (const entry of entries) await addConfirmed(session, found.get(entry) ?? [], () => repeat(entry));
}

/** The functions that examine an entry, and examine it again. */
export interface Examination<Entry> {
  readonly examine: (entry: Entry) => Promise<readonly Finding[]>;
  readonly repeat: (entry: Entry) => Promise<readonly Finding[]>;
}

/** Examines entries one after the other. */
export async function examineInSequence<Entry>(
  session: Session,
  entries: readonly Entry[],
  repeat: (entry: Entry) => Promise<readonly Finding[]>,
): Promise<void> {
  for (const entry of entries) await addConfirmed(session, await repeat(entry), () => repeat(entry));
}
