import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../openapi/routes.ts';
import { CheckError } from './check-error.ts';
import type { CheckOptions } from './check-options.ts';
import { Client } from './client.ts';
import { type Finding, Ledger } from './findings.ts';
import { type CheckPart, createParts, createWorker, finishChecks, runParts, type Worker } from './plan.ts';
import { getCheckedRoutes } from './selection.ts';
import { createSession, type Session } from './session.ts';
import { CheckStoppedError, createNotCheckedError, ServerUnresponsiveError } from './stop-signal.ts';
import { NoResponseError } from './transport.ts';

/** The result of a check. */
export interface Verdict extends Pick<CheckOptions, 'url' | 'headers' | 'seed' | 'runs'> {
  /** The scope of the check: the shop model, or the checks for any API. */
  readonly model: string | undefined;
  readonly routes: readonly Route[];
  readonly ledger: Ledger;
  readonly findings: readonly Finding[];
  /** The names of parts that were selected, but not checked, or only in part. */
  readonly unchecked: readonly string[];
  /** What could not be checked, a sentence each. */
  readonly notes: readonly string[];
}

/** The maximum number of concurrent requests, with one sandbox and in each of several. */
const MAX_CONCURRENT = 10;
const MAX_CONCURRENT_PER_SANDBOX = 2;

/** Checks a server against its contract. Throws `CheckError` if it can't be reached, or if selected operations don't exist. */
export async function checkServer(options: CheckOptions): Promise<Verdict> {
  const { contract, url, seed, runs, headers, signal, sandboxHeaders = [] } = options;
  const routes = getCheckedRoutes(options);
  const first = new Client(url, headers, signal);
  const clients = [first, ...sandboxHeaders.map((own) => new Client(url, own, signal))];
  const model = options.model?.applies(contract) ? options.model : undefined;
  const { maxConcurrent = sandboxHeaders.length > 0 ? MAX_CONCURRENT_PER_SANDBOX : MAX_CONCURRENT } = options;
  const ledger = new Ledger(routes);
  const notes: string[] = [];
  try {
    await reachServer(first, options.waitSeconds, signal);
    const common = {
      contract,
      ledger,
      hasModel: model !== undefined,
      rules: model?.rules ?? [],
      maxConcurrent,
      signal,
    };
    const sessions = clients.map((client) => createSession({ ...common, client }));
    const unfinished = await runChecks(sessions, routes, { ...options, model }, notes);
    const unchecked = [...unfinished, ...noteRateLimits(sessions, notes)];
    ledger.reportUnreproduced();
    const { findings } = ledger;
    return { url: first.url, headers, seed, runs, model: model?.subject, routes, ledger, findings, unchecked, notes };
  } finally {
    for (const client of clients) client.close();
  }
}

/** Runs all checks; adds what they could not check to `notes`. Returns the names of the parts that did not finish. */
async function runChecks(
  sessions: readonly Session[],
  routes: readonly Route[],
  options: CheckOptions,
  notes: string[],
): Promise<readonly string[]> {
  const done = new Set<CheckPart>();
  let parts: readonly CheckPart[] | undefined;
  try {
    const workers = await Promise.all(sessions.map((session) => createWorker(session, options, notes)));
    const [first] = workers as [Worker];
    const all = createParts(first, routes);
    parts = all;
    await runParts(all, workers, (part) => {
      done.add(part);
      options.onProgress?.(done.size, all.length, part.name);
    });
    if (done.size === all.length) finishChecks(first, routes);
  } catch (error) {
    if (!(error instanceof CheckStoppedError)) throw error;
    notes.push(`The check stopped early: ${error.message}`);
    if (error instanceof ServerUnresponsiveError) sessions[0]?.ledger.add(createUnresponsiveFinding(error, routes));
  }
  return parts ? parts.filter((part) => !done.has(part)).map(({ name }) => name) : ['everything'];
}

/** Returns the finding that a server no longer responds, which is no single request's. */
function createUnresponsiveFinding({ message }: Error, [route]: readonly Route[]): Finding {
  const { operationId = '', pointer = '' } = route ?? {};
  return { check: 'behaviour', operationId, status: 'none', rule: 'responds', message, pointer, exchanges: [] };
}

/** Notes that the server limits the request rate. Returns what was not checked because of it. */
function noteRateLimits(sessions: readonly Session[], notes: string[]): readonly string[] {
  const total = (count: (session: Session) => number) => sessions.reduce((sum, session) => sum + count(session), 0);
  const limited = total(({ client }) => client.rateLimitedCount);
  const unchecked = total((session) => session.rateLimitedCount);
  if (limited > 0)
    notes.push(
      `The server limits the request rate: ${limited} responses had status 429. The check repeated these requests after Retry-After, and slowed down.`,
    );
  return unchecked > 0 ? [`${unchecked} requests that received 429 at each attempt`] : [];
}

/** The pause between two connection attempts, and the timeout of an attempt, in ms. */
const PAUSE_MS = 200;
const ATTEMPT_MS = 5_000;

/** Waits until a server responds. Throws a `CheckError` if it doesn't within `waitSeconds`. */
export async function reachServer(client: Client, waitSeconds: number, signal?: AbortSignal): Promise<void> {
  const endMs = performance.now() + waitSeconds * 1_000;
  for (;;) {
    try {
      const leftMs = Math.ceil(endMs - performance.now());
      await client.send(
        { method: 'GET', target: '/' },
        waitSeconds > 0 ? Math.max(PAUSE_MS, Math.min(leftMs, ATTEMPT_MS)) : ATTEMPT_MS,
      );
      return;
    } catch (error) {
      if (signal?.aborted) throw createNotCheckedError(client.url, signal);
      if (!(error instanceof NoResponseError)) throw error;
      // Timers may be early by a fraction of a ms: the remaining time must be long enough for a pause.
      if (performance.now() >= endMs - PAUSE_MS) {
        const isDown = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(error.message);
        const remedy = `Start it${waitSeconds > 0 ? '' : ', or wait for it with --wait SECONDS'}.`;
        throw new CheckError(
          isDown
            ? `No server responds at ${client.url} (${error.message}). ${remedy}`
            : `${client.url} does not respond as an HTTP server: ${error.message}`,
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}
