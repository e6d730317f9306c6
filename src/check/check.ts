import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../openapi/routes.ts';
import { CheckError } from './check-error.ts';
import type { CheckOptions } from './check-options.ts';
import { Client } from './client.ts';
import { CheckResults, type Finding } from './findings.ts';
import { type CheckPart, createParts, createWorker, finishChecks, runParts, type Worker } from './plan.ts';
import { canBeRequested, getCheckedRoutes } from './selection.ts';
import { createSession, type Session } from './session.ts';
import { CheckStoppedError, createNotCheckedError, ServerUnresponsiveError } from './stop-signal.ts';
import { NoResponseError } from './transport.ts';

/** The result of a check. */
export interface Verdict extends Pick<CheckOptions, 'url' | 'headers' | 'seed' | 'runs'> {
  /** The subject of the behaviour model, such as "the shop"; undefined if no model describes the contract. */
  readonly model: string | undefined;
  /** The checked operations. */
  readonly routes: readonly Route[];
  readonly results: CheckResults;
  readonly findings: readonly Finding[];
  /**
   * Descriptions of what was not checked completely: parts that did not end, operations that never succeeded, and requests that only received 429.
   */
  readonly unchecked: readonly string[];
  /** Sentences for the report, for example about input that could not be checked. */
  readonly notes: readonly string[];
}

/** The maximum number of concurrent requests in each sandbox: if the check uses one sandbox, and if it uses several. */
const MAX_CONCURRENT = 10;
const MAX_CONCURRENT_PER_SANDBOX = 2;

/** Checks a server against its contract. Throws `CheckError` if the server does not respond, or if a selected operation does not exist. */
export async function checkServer(options: CheckOptions): Promise<Verdict> {
  const { contract, url, seed, runs, headers, signal, sandboxHeaders = [] } = options;
  const routes = getCheckedRoutes(options);
  const first = new Client(url, headers, signal);
  const clients = [first, ...sandboxHeaders.map((each) => new Client(url, each, signal))];
  const model = options.model?.applies(contract) ? options.model : undefined;
  const { maxConcurrent = sandboxHeaders.length > 0 ? MAX_CONCURRENT_PER_SANDBOX : MAX_CONCURRENT } = options;
  const results = new CheckResults(routes);
  const unreachable = contract.routes.filter((route) => !canBeRequested(route)).map(({ operationId }) => operationId);
  const notes: string[] =
    unreachable.length > 0 ? [`Operations whose path has a fragment were skipped: ${unreachable.join(', ')}`] : [];
  try {
    await reachServer(first, options.waitSeconds, signal);
    const common = { contract, results, hasModel: Boolean(model), rules: model?.rules ?? [], maxConcurrent, signal };
    const sessions = clients.map((client) => createSession({ ...common, client }));
    const unfinished = await runChecks(sessions, routes, { ...options, model }, notes);
    const unchecked = [...unfinished, ...noteRateLimits(sessions, notes)];
    results.reportUnreproduced();
    const { findings } = results;
    return { url: first.url, headers, seed, runs, model: model?.subject, routes, results, findings, unchecked, notes };
  } finally {
    for (const client of clients) client.close();
  }
}

/**
 * Runs all parts of the check. Adds sentences for the report to `notes`. Returns descriptions of the parts that did not end, and of the operations
 * that never succeeded.
 */
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
    if (done.size === all.length) return finishChecks(first, routes);
  } catch (error) {
    if (!(error instanceof CheckStoppedError)) throw error;
    notes.push(`The check stopped early: ${error.message}`);
    if (error instanceof ServerUnresponsiveError) sessions[0]?.results.add(createUnresponsiveFinding(error, routes));
  }
  return parts ? parts.filter((part) => !done.has(part)).map(({ name }) => name) : ['everything'];
}

/** Creates a finding about a server that stopped responding. The finding has no exchange, because no single request is the cause. */
function createUnresponsiveFinding({ message }: Error, [route]: readonly Route[]): Finding {
  const { operationId = '', pointer = '' } = route ?? {};
  return { check: 'behaviour', operationId, status: 'none', rule: 'responds', message, pointer, exchanges: [] };
}

/** Adds a note if the server limits the request rate. Returns a description of the requests that only received status 429. */
function noteRateLimits(sessions: readonly Session[], notes: string[]): readonly string[] {
  const total = (count: (session: Session) => number) => sessions.reduce((sum, session) => sum + count(session), 0);
  const limited = total(({ client }) => client.rateLimitedCount);
  const unchecked = total((session) => session.rateLimitedCount);
  if (limited > 0)
    notes.push(
      `The server limits the request rate: ${limited} responses had status 429. The check waited as Retry-After requires, repeated these requests, and sent the next requests more slowly.`,
    );
  return unchecked > 0 ? [`${unchecked} requests that only received status 429`] : [];
}

/** The pause between two attempts to reach a server, and the timeout of an attempt, in ms. */
const PAUSE_MS = 200;
const ATTEMPT_MS = 5_000;

/** Sends requests until a server responds. Throws `CheckError` if there is no response within `waitSeconds`. */
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
      // A timer can end a fraction of a ms too early, so the remaining time must be longer than a pause.
      if (performance.now() >= endMs - PAUSE_MS) {
        const isDown = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(error.message);
        const remedy = `Start it${waitSeconds > 0 ? '' : ', or wait for it with --wait SECONDS'}.`;
        throw new CheckError(
          isDown
            ? `No server responds at ${client.url} (${error.message}). ${remedy}`
            : `${client.url} did not return a valid HTTP response: ${error.message}`,
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}
