import { type Finding, getFindingKey } from './findings.ts';
import type { SendResult, Session } from './session.ts';
import { ServerUnreachableError } from './stop-signal.ts';

/** The maximum number of times that the requests of a finding are repeated to confirm it. */
export const REPETITIONS = 3;

/**
 * Adds findings to the results. For new findings, first calls `repeat`, which sends the same requests again. Adds a new finding only if it occurs
 * again. Records it as not reproducible if it does not.
 */
export async function addConfirmed(
  { results }: Session,
  findings: readonly Finding[],
  repeat: () => Promise<readonly Finding[]>,
): Promise<void> {
  results.addAll(findings.filter((finding) => results.has(finding)));
  let unconfirmed = findings.filter((finding) => !results.has(finding));
  try {
    for (let time = 0; time < REPETITIONS && unconfirmed.length > 0; time++) {
      const repeated = await repeat();
      const isConfirmed = (finding: Finding) => repeated.some((other) => isSame(finding, other));
      results.addAll(unconfirmed.filter(isConfirmed));
      unconfirmed = unconfirmed.filter((finding) => !isConfirmed(finding));
    }
  } catch (error) {
    results.addAll(unconfirmed.filter((finding) => isReportable(finding, error)));
    throw error;
  }
  for (const finding of unconfirmed) results.addUnreproduced(finding);
}

/**
 * Sends a request. If the response has findings, repeats the request, and adds the findings that occur again to the results. Returns the exchange and
 * all findings of the first request.
 */
export async function sendConfirmed(session: Session, ...request: Parameters<Session['send']>): Promise<SendResult> {
  const result = await session.send(...request);
  await addConfirmed(session, result.findings, async () => (await session.send(...request)).findings);
  return result;
}

/**
 * Sends the requests of a finding again, at most `times` times, by calling `repeat`. Returns the repeated finding; undefined if it does not occur
 * again.
 */
export async function reproduceFinding(
  finding: Finding,
  repeat: () => Promise<readonly Finding[]>,
  times: number,
): Promise<Finding | undefined> {
  for (let time = 0; time < times; time++) {
    const repeated = (await repeat()).find((other) => isSame(finding, other));
    if (repeated) return repeated;
  }
  return undefined;
}

/** Returns whether two findings violate the same rule after the same number of requests. */
function isSame(one: Finding, other: Finding): boolean {
  return getFindingKey(one) === getFindingKey(other) && one.exchanges.length === other.exchanges.length;
}

/** Returns whether to report a finding that could not be confirmed because of `error`. A missing response is not reported if the server has stopped. */
export function isReportable({ status }: Finding, error: unknown): boolean {
  return !(error instanceof ServerUnreachableError && status === 'none');
}

/** Options of `examineAll`. An entry is a test case, such as a request to send or a link to follow. */
interface ExamineOptions<Entry> {
  /** Tests an entry. Returns its findings. */
  readonly examine: (entry: Entry) => Promise<readonly Finding[]>;
  /** Called before an entry is tested alone, or tested again. */
  readonly prepare?: () => Promise<void>;
  /** Returns whether an entry must not be tested at the same time as another entry. Default: false for all entries. */
  readonly mustRunAlone?: (entry: Entry) => boolean;
}

/**
 * Tests all entries: first the entries that can run concurrently, then the others one after another. Adds the findings to the results in this order.
 * If a concurrent test throws an error, adds the findings of the tests that have ended, and rejects with the error.
 */
export async function examineAll<Entry>(
  session: Session,
  entries: readonly Entry[],
  { examine, prepare, mustRunAlone = () => false }: ExamineOptions<Entry>,
): Promise<void> {
  const examineAlone = async (entry: Entry) => {
    await prepare?.();
    return examine(entry);
  };
  const { results, maxConcurrent } = session;
  const concurrent = entries.filter((entry) => !mustRunAlone(entry));
  const findings = new Map<Entry, readonly Finding[]>();
  const workers = Array.from({ length: Math.max(1, maxConcurrent) });
  try {
    await distribute(concurrent, workers, async (entry) => void findings.set(entry, await examine(entry)));
  } catch (error) {
    results.addAll([...findings.values()].flat().filter((finding) => isReportable(finding, error)));
    throw error;
  }
  for (const entry of concurrent) await addConfirmed(session, findings.get(entry) ?? [], () => examineAlone(entry));
  for (const entry of entries.filter(mustRunAlone))
    await addConfirmed(session, await examineAlone(entry), () => examineAlone(entry));
}

/**
 * Distributes entries to workers. A worker handles one entry at a time, with `handle`. After an error, no worker starts another entry. When all
 * workers have stopped, the promise is rejected with the first error.
 */
export async function distribute<Entry, Worker>(
  entries: readonly Entry[],
  workers: readonly Worker[],
  handle: (entry: Entry, worker: Worker) => Promise<void>,
): Promise<void> {
  const remaining = entries.values();
  const errors: unknown[] = [];
  const runWorker = async (worker: Worker) => {
    for (const entry of remaining) {
      if (errors.length > 0) return;
      await handle(entry, worker).catch((error) => void errors.push(error));
    }
  };
  await Promise.all(workers.map(runWorker));
  if (errors.length > 0) throw errors[0];
}
