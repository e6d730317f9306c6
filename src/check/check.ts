import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from '../openapi/routes.ts';
import { CheckError } from './check-error.ts';
import type { CheckOptions } from './check-options.ts';
import { Client } from './client.ts';
import { CheckResults, type Finding } from './findings.ts';
import {
  type CheckPart,
  createLastPart,
  createParts,
  createWorker,
  finishChecks,
  runParts,
  type UncheckedItems,
  type Worker,
} from './plan.ts';
import { canBeRequested, getCheckedRoutes } from './selection.ts';
import { createSession, type Session } from './session.ts';
import { CheckStoppedError, createNotCheckedError, ServerUnresponsiveError } from './stop-signal.ts';
import { NoResponseError } from './transport.ts';

/** The result of `storefront check` for a server. */
export interface Verdict extends Pick<CheckOptions, 'url' | 'headers' | 'seed' | 'runs'> {
  /** The name of the application that the behaviour model describes, such as "the shop"; undefined if no model describes the contract. */
  readonly model: string | undefined;
  /** The operations that the user has selected. */
  readonly routes: readonly Route[];
  readonly results: CheckResults;
  readonly findings: readonly Finding[];
  /**
   * Descriptions of what was not checked completely: parts that did not end, operations that returned only errors, and requests that received only status 429.
   */
  readonly unchecked: readonly string[];
  /**
   * Operations that the check could not reach, because no response contained an id for their path. Only the error responses of these operations were tested.
   */
  readonly unreached: readonly string[];
  /** Sentences for the report, for example about input that could not be checked. */
  readonly notes: readonly string[];
}

/** The maximum number of concurrent requests, if the check does not use several sandboxes. */
const MAX_CONCURRENT = 10;

/** The maximum number of concurrent requests in each sandbox, if the check uses several sandboxes. */
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
    await waitForServer(first, options.waitSeconds, signal);
    const shared = { contract, results, hasModel: Boolean(model), rules: model?.rules ?? [], maxConcurrent, signal };
    const sessions = clients.map((client) => createSession({ ...shared, client }));
    const { unchecked: unfinished, unreached } = await runChecks(sessions, routes, { ...options, model }, notes);
    const unchecked = [...unfinished, ...noteRateLimits(sessions, notes)];
    results.reportUnreproduced();
    const common = { url: first.url, headers, seed, runs, model: model?.subject, routes, results };
    return { ...common, findings: results.findings, unchecked, unreached, notes };
  } finally {
    for (const client of clients) client.close();
  }
}

/** Runs all parts of the check. Adds sentences for the report to `notes`. Returns what was not checked completely. */
async function runChecks(
  sessions: readonly Session[],
  routes: readonly Route[],
  options: CheckOptions,
  notes: string[],
): Promise<UncheckedItems> {
  const done = new Set<CheckPart>();
  let parts: readonly CheckPart[] | undefined;
  try {
    const workers = await Promise.all(sessions.map((session) => createWorker(session, options, notes)));
    const [first, ...others] = workers as [Worker];
    const all = createParts(first, routes);
    const last = createLastPart(routes);
    parts = [...all, last];
    const onDone = (part: CheckPart) => {
      done.add(part);
      options.onProgress?.(done.size, all.length + 1, part.name);
    };
    await runParts(all, workers, onDone);
    await runParts([last], [first], onDone);
    if (done.size === parts.length) return finishChecks([first, ...others], routes);
  } catch (error) {
    if (!(error instanceof CheckStoppedError)) throw error;
    notes.push(`The check stopped early: ${error.message}`);
    if (error instanceof ServerUnresponsiveError) sessions[0]?.results.add(createUnresponsiveFinding(error, routes));
  }
  const unchecked = parts ? parts.filter((part) => !done.has(part)).map(({ name }) => name) : ['everything'];
  return { unchecked, unreached: [] };
}

/** Creates a finding about a server that stopped responding. The finding has no exchange, because no single request is the cause. */
function createUnresponsiveFinding({ message }: Error, [route]: readonly Route[]): Finding {
  const { operationId = '', pointer = '' } = route ?? {};
  return { check: 'behaviour', operationId, status: 'none', rule: 'responds', message, pointer, exchanges: [] };
}

/**
 * Adds a note to the report if the server limits the request rate. Returns a list with one text: how many requests received only status 429. The list is empty
 * if there are none.
 */
function noteRateLimits(sessions: readonly Session[], notes: string[]): readonly string[] {
  const total = (count: (session: Session) => number) => sessions.reduce((sum, session) => sum + count(session), 0);
  const limited = total(({ client }) => client.rateLimitedCount);
  const unchecked = total((session) => session.rateLimitedCount);
  if (limited > 0)
    notes.push(
      `The server limits the request rate: ${limited} responses had status 429. The check waited as Retry-After requires, repeated these requests, and sent the next requests more slowly.`,
    );
  return unchecked > 0 ? [`${unchecked} requests that received only status 429`] : [];
}

/** The pause between two attempts to reach a server, in ms. */
const PAUSE_MS = 200;

/** The timeout of an attempt to reach a server, in ms. */
const ATTEMPT_MS = 5_000;

/** Sends requests until a server responds. Throws `CheckError` if there is no response within `waitSeconds`. */
export async function waitForServer(client: Client, waitSeconds: number, signal?: AbortSignal): Promise<void> {
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
      // A timer can end a fraction of a ms too early. So the remaining time counts as over when it is not longer than a pause.
      if (performance.now() >= endMs - PAUSE_MS) {
        const isDown = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(error.message);
        const remedy = `Start it${waitSeconds > 0 ? '' : ', or wait for it with --wait SECONDS'}.`;
        throw new CheckError(
          isDown
            ? `No server responds at ${client.url} (${error.message}). ${remedy}`
            : `${client.url} did not return a valid HTTP response: ${error.message}. Check the URL.`,
        );
      }
      await sleep(PAUSE_MS);
    }
  }
}
