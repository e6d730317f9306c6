import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../openapi/contract.ts';
import { findMediaType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { UserError } from '../util/issue.ts';
import { joinList } from '../util/text.ts';
import { createResourceFinder } from './causes.ts';
import type { CheckOptions } from './check-options.ts';
import { Client } from './client.ts';
import { addCredentials } from './credentials.ts';
import { reportSameTags } from './etag-rules.ts';
import { CheckStoppedError, createNotCheckedError, type ReceivedResponse } from './exchange.ts';
import { CheckResults, type Finding } from './findings.ts';
import {
  type CheckPart,
  createParts,
  createWorker,
  finishChecks,
  getShareMs,
  runParts,
  type UncheckedItems,
  type Worker,
} from './plan.ts';
import { Pool, withDocumentedValues } from './pool.ts';
import { toRequest } from './requests.ts';
import {
  canBeRequested,
  getAllowedRoutes,
  getCheckedRoutes,
  isWriteOperation,
  MAX_LISTED_OPERATIONS,
} from './selection.ts';
import { createSession, NO_RESPONSE, reportClosedConnections, type Session } from './session.ts';
import type { Suspect } from './suspects.ts';
import { NoResponseError } from './transport.ts';
import { createRequestGenerator } from './valid-requests.ts';

/** The result of `storefront check` for a server. */
export interface Verdict extends Pick<CheckOptions, 'url' | 'headers' | 'query' | 'seed' | 'runs'> {
  /**
   * The name of the application that the behaviour model describes, such as "the shop"; undefined if no model describes
   * the contract.
   */
  readonly model: string | undefined;
  /** The operations that the user has selected. */
  readonly routes: readonly Route[];
  readonly results: CheckResults;
  readonly findings: readonly Finding[];
  /**
   * Descriptions of what was not checked completely: parts that did not end, operations that returned only errors, and
   * requests that received only status 429.
   */
  readonly unchecked: readonly string[];
  /**
   * Operations that the check could not reach, because no response contained an id for their path.
   * Only the error responses of these operations were tested.
   */
  readonly unreached: readonly string[];
  /** Sentences for the report, for example about input that could not be checked. */
  readonly notes: readonly string[];
}

/** The maximum number of concurrent requests, if the check does not use several sandboxes. */
const MAX_CONCURRENT = 10;

/** The maximum number of concurrent requests in each sandbox, if the check uses several sandboxes. */
const MAX_CONCURRENT_PER_SANDBOX = 2;

/**
 * Checks a server against its contract.
 * Throws `UserError` if the server does not respond, or if a selected operation does not exist.
 */
export async function checkServer(options: CheckOptions): Promise<Verdict> {
  const { contract, url, seed, runs, headers, signal, sandboxHeaders = [] } = options;
  const routes = getCheckedRoutes(options);
  const timeoutMs = options.timeoutSeconds === undefined ? undefined : options.timeoutSeconds * 1_000;
  const first = new Client(url, headers, { signal, timeoutMs, query: options.query });
  const clients = [
    first,
    ...sandboxHeaders.map((each) => new Client(url, each, { signal, timeoutMs, query: options.query })),
  ];
  const model = options.model?.applies(contract) ? options.model : undefined;
  const { maxConcurrent = sandboxHeaders.length > 0 ? MAX_CONCURRENT_PER_SANDBOX : MAX_CONCURRENT } = options;
  const results = new CheckResults(routes);
  const unreachable = contract.routes.filter((route) => !canBeRequested(route)).map(({ operationId }) => operationId);
  const notes: string[] =
    unreachable.length > 0
      ? [`Operations whose path has a fragment were skipped: ${joinList(unreachable, MAX_LISTED_OPERATIONS)}`]
      : [];
  try {
    await waitForServer(first, options.waitSeconds, signal);
    const shared = {
      contract,
      clients,
      results,
      hasModel: Boolean(model),
      rules: model?.rules ?? [],
      maxConcurrent,
      signal,
    };
    const restartMs = options.waitSeconds > 0 ? options.waitSeconds * 1_000 : undefined;
    const sessions = clients.map((client) => createSession({ ...shared, client, restartMs }));
    const { unchecked: unfinished, unreached } = await runChecks(sessions, routes, { ...options, model }, notes);
    const unchecked = [...unfinished, ...results.unchecked, ...noteRateLimits(sessions, results, notes)];
    for (const session of sessions) {
      reportClosedConnections(session);
      reportSameTags(session);
    }
    results.reportUnreproduced(createResourceFinder(contract.routes));
    const common = {
      url: first.url,
      headers,
      query: options.query,
      seed,
      runs,
      model: model?.subject,
      routes,
      results,
    };
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
  const maxMs = options.maxTime ? options.maxTime * 1_000 : Number.POSITIVE_INFINITY;
  const endMs = performance.now() + maxMs;
  const shortenedEndMs = performance.now() + maxMs * SHORTENED_SHARE;
  let parts: readonly CheckPart[] | undefined;
  const getUnfinished = () => parts?.filter((part) => !done.has(part)) ?? [];
  try {
    await findApi(sessions, options);
    const workers = await Promise.all(sessions.map((session) => createWorker(session, options, notes)));
    const groups = createParts((workers as [Worker])[0], routes);
    const all = groups.flat();
    parts = all;
    const onDone = (part: CheckPart) => {
      done.add(part);
      options.onProgress?.(done.size, all.length, part.name, sessions[0]?.results.findings ?? []);
    };
    const getPartMs = ({ isOptional, canBeShortened }: CheckPart) => {
      const count = all.length - done.size;
      if (isOptional) return getShareMs(endMs, count);
      return canBeShortened ? Math.max(MIN_PART_MS, getShareMs(shortenedEndMs, count)) : Number.POSITIVE_INFINITY;
    };
    await runGroups(groups, workers, onDone, getPartMs);
    if (sessions.some(({ isShortened }) => isShortened)) notes.push(SHORTENED);
    const { unchecked, unreached } = finishChecks(workers as [Worker], routes);
    return { unchecked: [...getUnfinished().map(({ name }) => name), ...unchecked], unreached };
  } catch (error) {
    if (!(error instanceof CheckStoppedError)) throw error;
    notes.push(`The check stopped early: ${error.message}`);
    reportLostRequests(error, sessions, routes);
    const unfinished = getUnfinished();
    const unchecked = unfinished.filter(({ isOptional }) => !(isOptional && error.kind === 'time-limit'));
    if (unchecked.length < unfinished.length) notes.push(SHORTENED);
    return { unchecked: parts ? unchecked.map(({ name }) => name) : ['everything'], unreached: [] };
  } finally {
    const unfinished = parts ? getUnfinished().flatMap(({ operationIds }) => operationIds) : routes.map(getOperationId);
    sessions[0]?.results.reportPending(unfinished);
  }
}

/** The share of the maximum time after which parts that can be shortened end early, because the server is slow. */
const SHORTENED_SHARE = 0.4;

/** The time that each part has, in ms. */
const MIN_PART_MS = 2_000;

const SHORTENED =
  'Operations were checked with fewer requests because of the time limit. For more requests, use a longer --max-time, or --only for some operations.';

/** Runs the groups of parts one after another. Then runs the parts again whose operations were not available. */
async function runGroups(
  groups: readonly (readonly CheckPart[])[],
  workers: readonly Worker[],
  ...more: [onDone: (part: CheckPart) => void, getPartMs: (part: CheckPart) => number]
): Promise<void> {
  const deferred: CheckPart[] = [];
  for (const group of groups) deferred.push(...(await runParts(group, workers, ...more)).keys());
  for (const { session } of workers) session.mayDefer = false;
  const unavailable = await runParts(deferred, workers, ...more);
  for (const [part, error] of unavailable)
    workers[0]?.note(`${part.name} was not checked completely: ${error.message}`);
}

/** Throws `CheckStoppedError` if the server does not have the operations of the contract. */
async function findApi([session]: readonly Session[], options: CheckOptions): Promise<void> {
  if (!session) return;
  const { contract, seed, usesDefaultContract, model } = options;
  const defaultSubject = usesDefaultContract ? model?.subject : undefined;
  await requireApi({ contract, seed, client: session.client, routes: getAllowedRoutes(options), defaultSubject });
}

function getOperationId({ operationId }: Route): string {
  return operationId;
}

/** The maximum number of requests of a finding about a server that stopped. */
const MAX_LOST_REQUESTS = 10;

/**
 * Adds a finding if the server stopped, and did not start again.
 * The finding contains the requests in flight and those that were answered just before, because one of them is the
 * cause.
 */
function reportLostRequests(error: CheckStoppedError, sessions: readonly Session[], routes: readonly Route[]): void {
  const isUnresponsive = error.kind === 'unresponsive';
  if (!isUnresponsive && error.kind !== 'unreachable') return;
  const isSelected = ({ route }: Suspect) => routes.includes(route);
  const lost = sessions.flatMap((session) => session.lost).filter(isSelected);
  const answered = isUnresponsive ? [] : sessions.flatMap((session) => session.answered).filter(isSelected);
  const route = (lost[0] ?? answered[0])?.route ?? (isUnresponsive ? routes[0] : undefined);
  if (!route) return;
  const suspects = [...lost, ...answered].slice(0, MAX_LOST_REQUESTS).reverse();
  const exchanges = suspects.map(({ request, exchange }) => exchange ?? { request, response: NO_RESPONSE });
  sessions[0]?.results.add({
    check: 'behaviour',
    operationId: route.operationId,
    status: 'none',
    rule: 'responds',
    title: 'responds',
    message: (lost.length > 0 ? 'no response, and then ' : '') + error.message + describeSuspects(lost, answered),
    pointer: route.pointer,
    exchanges,
  });
}

function describeSuspects({ length: lost }: readonly Suspect[], { length: answered }: readonly Suspect[]): string {
  if (lost + answered < 2) return '';
  const inFlight = lost > 0 ? `${lost} in flight` : '';
  const before = answered > 0 ? `${answered} answered within the last second` : '';
  return `: one of ${lost + answered} requests is the cause (${[inFlight, before].filter(Boolean).join(', ')}). To find it, run the server under a process manager that restarts it, or send the requests one at a time`;
}

/**
 * Adds a note to the report if the server limits the request rate.
 * Returns a list with one text: how many requests received only status 429.
 * The list is empty if there are none.
 */
function noteRateLimits(
  sessions: readonly Session[],
  { rateLimitedCount: unchecked }: CheckResults,
  notes: string[],
): readonly string[] {
  const limited = sessions.reduce((sum, { client }) => sum + client.rateLimitedCount, 0);
  if (limited > 0)
    notes.push(
      `The server limits the request rate: ${limited} responses had status 429, or 503 with Retry-After. The check waited as Retry-After requires, repeated these requests, and sent the next requests more slowly.`,
    );
  return unchecked > 0 ? [`${unchecked} requests that received only status 429`] : [];
}

/** The pause between two attempts to reach a server, in ms. */
const PAUSE_MS = 200;

/** The timeout of an attempt to reach a server, in ms. */
const ATTEMPT_MS = 5_000;

/** Sends requests until a server responds. Throws `UserError` if there is no response within `waitSeconds`. */
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
      // The server responds, but the response does not end, for example because it is a stream.
      if (error.kind === 'unfinished') return;
      // A timer can end a fraction of a ms too early.
      // So the remaining time counts as over when it is not longer than a pause.
      if (error.kind === 'untrusted' || performance.now() >= endMs - PAUSE_MS)
        throw createUnreachableError(client.url, error, waitSeconds);
      await sleep(PAUSE_MS);
    }
  }
}

/** Creates the error for a server that sends no valid response. */
function createUnreachableError(url: string, { kind, message }: NoResponseError, waitSeconds: number): UserError {
  if (kind === 'untrusted')
    return new UserError(
      `The certificate of ${url} is not trusted: ${message}. Set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority. For a test server, NODE_TLS_REJECT_UNAUTHORIZED=0 accepts any certificate.`,
    );
  const isDown = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(message);
  const remedy = `Start it${waitSeconds > 0 ? ' or correct the URL' : ', correct the URL, or wait for it with --wait SECONDS'}.`;
  if (isDown) return new UserError(`No server responds at ${url} (${message}). ${remedy}`);
  const scheme = /wrong version number|packet length too long/i.test(message)
    ? ' It does not use TLS: try http://.'
    : '';
  return new UserError(`${url} did not return a valid HTTP response: ${message}. Check the URL.${scheme}`);
}

/** The server and the operations to find on it. */
interface AddressOptions {
  readonly contract: Contract;
  readonly client: Client;
  /** The operations to which the check may send requests. */
  readonly routes: readonly Route[];
  readonly seed: number;
  /** The name of the application of the contract, if the user has chosen no contract. */
  readonly defaultSubject: string | undefined;
}

/** The maximum time to wait for a response of an operation, in ms. A slow operation exists. */
const REQUEST_MS = 5_000;

/**
 * Statuses of responses to requests that a server does not know: the path is unknown, or the server supports no such
 * method.
 */
const UNKNOWN_STATUSES: readonly number[] = [404, 501];

/** The statuses of redirects. */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Requests one operation after another until a response shows that the server has the operations of the contract.
 * Throws `CheckStoppedError` if no response shows this: for example, if all responses have status 404.
 */
async function requireApi(options: AddressOptions): Promise<void> {
  const { contract, client, routes, seed } = options;
  const requests = createRequestGenerator(contract, new Pool());
  const isSimple = (route: Route) => route.pathNames.length === 0;
  const reading = routes.filter((route) => !isWriteOperation(route));
  const writing = routes.filter(isWriteOperation);
  const statuses = new Set<number>();
  for (const route of [reading, writing].flatMap((all) => [
    ...all.filter(isSimple),
    ...all.filter((one) => !isSimple(one)),
  ])) {
    const generated = requests.createValid(route, seed);
    if (!generated) continue;
    // Only the documented values can exist on the server.
    for (const values of [generated, withDocumentedValues(contract, route, generated) ?? []].flat()) {
      const response = await request(client, route, toRequest(route, values));
      if (!response || !isForeign(options, route, response)) return;
      statuses.add(response.status);
    }
  }
  if (statuses.size > 0) throw new CheckStoppedError(describe(options, [...statuses]), 'wrong-address');
}

/** Sends a request. Returns the response; undefined if there is none in time. */
async function request(client: Client, route: Route, plainRequest: ReturnType<typeof toRequest>) {
  try {
    return await client.send(addCredentials(route, client, plainRequest), REQUEST_MS);
  } catch (error) {
    if (error instanceof NoResponseError) return undefined;
    throw error;
  }
}

/**
 * Returns whether a server without this operation can send this response: an unknown path, a redirect, or a page of a
 * web site.
 */
function isForeign(
  { defaultSubject }: AddressOptions,
  { responses }: Route,
  { status, headers, text }: ReceivedResponse,
): boolean {
  if (UNKNOWN_STATUSES.includes(status)) return true;
  const documented = findResponse(responses, status);
  if (!documented && (status === 405 || REDIRECTS.includes(status))) return true;
  const types = Object.keys(documented?.media ?? {});
  const isDocumentedType = documented && (types.length === 0 || findMediaType(types, headers['content-type'] ?? ''));
  // A user who has chosen no contract can have an API that differs in every response.
  if (defaultSubject !== undefined && !isDocumentedType && status < 500) return true;
  return status < 400 && /^\s*<(!doctype html|html)\b/i.test(text) && (!isDocumentedType || types.length === 0);
}

function describe({ contract, client: { url }, defaultSubject }: AddressOptions, statuses: readonly number[]): string {
  const list = statuses.toSorted((a, b) => a - b).join(' or ');
  const path = new URL(url).pathname.replace(/\/+$/, '');
  const basePaths = [...new Set(contract.routes.flatMap((route) => route.basePaths))].filter((base) => base !== '');
  const missing = basePaths.filter((base) => !path.endsWith(base));
  const root = url.slice(0, url.length - path.length);
  return [
    `${url} does not have the operations of ${contract.path}: every response has status ${list}.`,
    ...(missing.length > 0
      ? [`The contract has the base path ${missing.join(' or ')} (servers): try ${root}${missing[0]}.`]
      : []),
    ...(path === '' ? [] : [`The URL has the path ${path}: try ${root} if the server has none.`]),
    ...(defaultSubject === undefined
      ? []
      : [
          `Without --contract, the check uses the contract of ${defaultSubject}. For another API, use --contract FILE.`,
        ]),
    'Check the host, the port and the path of the URL, and the contract.',
  ].join(' ');
}
