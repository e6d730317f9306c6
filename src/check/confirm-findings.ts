import { isUnavailable } from './exchange.ts';
import { type CheckResults, type Finding, getFindingKey } from './findings.ts';
import type { SendResult, Session } from './session.ts';

/** The maximum number of times that the check repeats requests to confirm a finding. */
export const MAX_REPETITIONS = 3;

/**
 * Adds findings to the results.
 * For a new finding, calls `repeat` until the finding occurs again, at most three times.
 * `repeat` sends the same requests again.
 * A finding that does not occur again is stored as not reproducible.
 * If the server limits the request rate, so that a request could not be repeated, the finding is added as it is.
 */
export async function addConfirmed(
  { results }: Session,
  findings: readonly Finding[],
  repeat: () => Promise<readonly Finding[]>,
): Promise<void> {
  const { rateLimitedCount } = results;
  results.addAll(findings.filter((finding) => results.has(finding)));
  let unconfirmed = findings.filter((finding) => !results.has(finding));
  try {
    for (let time = 0; time < MAX_REPETITIONS && unconfirmed.length > 0; time++) {
      const repeated = await repeat();
      const confirmed = new Map(unconfirmed.map((finding) => [finding, findShortest(finding, repeated)]));
      results.addAll(unconfirmed.flatMap((finding) => confirmed.get(finding) ?? []));
      unconfirmed = unconfirmed.filter((finding) => !confirmed.get(finding));
    }
  } catch (error) {
    addUnconfirmed(results, unconfirmed, error);
    throw error;
  }
  if (results.rateLimitedCount > rateLimitedCount) return results.addAll(unconfirmed);
  for (const finding of unconfirmed) results.addUnreproduced(finding);
}

/**
 * Returns a finding, or its repetition if that needs fewer requests.
 * Returns undefined if no repetition needs as few requests as the finding.
 */
function findShortest(finding: Finding, repeated: readonly Finding[]): Finding | undefined {
  const { length } = finding.exchanges;
  const same = repeated.filter((other) => getFindingKey(other) === getFindingKey(finding));
  const shorter = same.find(({ exchanges }) => exchanges.length < length);
  return shorter ?? (same.some(({ exchanges }) => exchanges.length === length) ? finding : undefined);
}

/**
 * Adds findings that could not be confirmed because of `error`.
 * If the check comes back to the operation, they are added only if it cannot check it again.
 * A finding that needs a confirmation is not added: the verdict names it as not checked completely.
 */
export function addUnconfirmed(results: CheckResults, findings: readonly Finding[], error: unknown): void {
  if (isUnavailable(error)) {
    results.addPending(findings);
    return;
  }
  results.addAll(findings.filter(isCertain));
  for (const { operationId, status, title } of findings.filter((finding) => !isCertain(finding)))
    results.addUnchecked(`${operationId} ${status} (a failure was not repeated: ${title})`);
}

/**
 * Sends a request.
 * If the response has findings, sends the request again, and adds the findings that occur again to the results.
 * Returns the first response with all findings in it.
 */
export async function sendConfirmed(session: Session, ...request: Parameters<Session['send']>): Promise<SendResult> {
  const result = await session.send(...request);
  await addConfirmed(session, result.findings, async () => (await session.send(...request)).findings);
  return result;
}

/**
 * Sends a request as `sendConfirmed` does.
 * Returns the exchange; undefined if there is no response, or if the operation cannot be requested now.
 */
export async function sendIfAvailable(session: Session, ...request: Parameters<Session['send']>) {
  try {
    return (await sendConfirmed(session, ...request)).exchange;
  } catch (error) {
    if (isUnavailable(error)) return undefined;
    throw error;
  }
}

/**
 * Calls `repeat` until a finding occurs again, at most `times` times.
 * `repeat` sends the requests of the finding again.
 * Returns the repeated finding; undefined if the finding does not occur again.
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

/** Returns whether two findings have the same operation, status and rule, and the same number of requests. */
function isSame(one: Finding, other: Finding): boolean {
  return getFindingKey(one) === getFindingKey(other) && one.exchanges.length === other.exchanges.length;
}

/**
 * Returns whether a finding needs no confirmation, because a single response contradicts the contract.
 * A missing response, a refused valid request and a difference between several responses can have another cause, such
 * as a busy machine or the data of the server.
 */
function isCertain({ status, title, exchanges }: Finding): boolean {
  return status !== 'none' && exchanges.length <= 1 && !title.startsWith('accepts valid requests');
}

/** Options of `examineAll`. An entry is a test case, such as a request to send or a link to follow. */
interface ExamineOptions<Entry> {
  /** Tests an entry. Returns its findings. */
  readonly examine: (entry: Entry) => Promise<readonly Finding[]>;
  /** Creates the data that the test needs. Called before an entry is tested alone, or tested again. */
  readonly prepare?: () => Promise<void>;
  /**
   * Returns whether an entry must be tested alone, and not at the same time as other entries.
   * Default: false for all entries.
   */
  readonly mustRunAlone?: (entry: Entry) => boolean;
}

/**
 * Tests entries concurrently.
 * Then tests the entries that must run alone, one after another.
 * An entry with findings is tested again, and the findings that occur again are added to the results.
 * If a concurrent test throws an error, adds the findings of the completed tests and rejects with the error.
 * When the time for the part of the check is over, the remaining entries are not tested.
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
    await distribute(concurrent, workers, async (entry) => {
      if (!isTimeOver(session)) findings.set(entry, await examine(entry));
    });
  } catch (error) {
    addUnconfirmed(results, [...findings.values()].flat(), error);
    throw error;
  }
  for (const entry of concurrent) await addConfirmed(session, findings.get(entry) ?? [], () => examineAlone(entry));
  for (const entry of entries.filter(mustRunAlone)) {
    if (isTimeOver(session)) return;
    await addConfirmed(session, await examineAlone(entry), () => examineAlone(entry));
  }
}

/** The number of sequences of requests that run at the same time if the server is slow. */
const SLOW_CONCURRENCY = 5;

/**
 * Returns how many sequences of requests may run at the same time.
 * A fast server gets one after another, so that a check with the same seed sends the same requests in the same order.
 */
export function getConcurrency({ client, hasModel }: Session): number {
  return client.isSlow && !hasModel ? SLOW_CONCURRENCY : 1;
}

/** Returns whether the time for the current part of the check is over. The session then counts as shortened. */
export function isTimeOver(session: Session): boolean {
  const isOver = performance.now() > session.endOfPartMs;
  session.isShortened ||= isOver;
  return isOver;
}

/**
 * Distributes entries to workers.
 * Each worker handles one entry at a time, with `handle`.
 * After an error, no worker starts another entry.
 * When all workers have stopped, the promise is rejected with the first error.
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
