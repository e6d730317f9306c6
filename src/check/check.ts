import { setTimeout as sleep } from 'node:timers/promises';
import { canBeRequested, type Route } from '../openapi/routes.ts';
import { UserError } from '../util/issue.ts';
import { joinList } from '../util/text.ts';
import { requireApi } from './address.ts';
import { createResourceFinder } from './causes.ts';
import type { CheckOptions } from './check-options.ts';
import { Client } from './client.ts';
import { getConcurrency } from './confirm-findings.ts';
import { reportSameTags } from './etag-rules.ts';
import { CheckStoppedError, createNotCheckedError } from './exchange.ts';
import { CheckResults, type Finding, type Stop } from './findings.ts';
import { Hints } from './hints.ts';
import { NO_SETTINGS } from './operation-settings.ts';
import { createParts, createWorker, finishChecks, type UncheckedItems } from './plan.ts';
import { type CheckPart, getShareMs, runParts, type Worker } from './run-parts.ts';
import { getAllowedRoutes, getCheckedRoutes, MAX_LISTED_OPERATIONS } from './selection.ts';
import { createSession, NO_RESPONSE, reportClosedConnections, type Session } from './session.ts';
import type { Suspect } from './suspects.ts';
import { NoResponseError } from './transport.ts';

/** The result of `storefront check` for a server. */
export interface Verdict extends Pick<CheckOptions, 'url' | 'headers' | 'query' | 'seed' | 'runs' | 'access'> {
  /**
   * The name of the application that the behaviour model describes, such as "the shop"; undefined if no model describes
   * the contract.
   */
  readonly model: string | undefined;
  /** Values that reports must not show, in addition to those of the headers and query parameters. */
  readonly secrets?: readonly string[];
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
  const { contract, seed, runs, headers, signal, sandboxHeaders = [] } = options;
  const routes = getCheckedRoutes(options);
  const { query, access, credentials } = options;
  const clients = createClients(options);
  const [first] = clients;
  const model = options.model?.applies(contract) ? options.model : undefined;
  const { maxConcurrent = sandboxHeaders.length > 0 ? MAX_CONCURRENT_PER_SANDBOX : MAX_CONCURRENT } = options;
  const results = new CheckResults(routes);
  const hints = new Hints(contract);
  results.hints = hints;
  const unreachable = contract.routes.filter((route) => !canBeRequested(route)).map(({ operationId }) => operationId);
  const notes: string[] =
    unreachable.length > 0
      ? [`Operations whose path has a fragment were skipped: ${joinList(unreachable, MAX_LISTED_OPERATIONS)}`]
      : [];
  try {
    await waitForServer(first, options.waitSeconds, signal);
    if (access?.csrf?.path !== undefined) await first.send({ method: 'GET', target: access.csrf.path });
    await credentials?.open();
    const shared = {
      contract,
      clients,
      results,
      hasModel: Boolean(model),
      rules: model?.rules ?? [],
      maxConcurrent,
      signal,
      restartMs: options.waitSeconds > 0 ? options.waitSeconds * 1_000 : undefined,
    };
    const sessions = clients.map((client) => createSession({ ...shared, client }));
    const prepared = { ...options, hints, model, openSession: () => createSession({ ...shared, client: first }) };
    const { unchecked: unfinished, unreached } = await runChecks(sessions, routes, prepared, notes);
    const unchecked = [...unfinished, ...results.unchecked, ...noteRateLimits(sessions, results, notes)];
    for (const session of sessions) {
      reportClosedConnections(session);
      reportSameTags(session);
    }
    results.reportUnreproduced(createResourceFinder(contract.routes));
    notes.push(...hints.texts);
    const common = {
      url: first.url,
      headers,
      query,
      access,
      secrets: listSecrets(options),
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

/** Creates the client of each sandbox, the first one for the headers of the check itself. */
function createClients(options: CheckOptions): readonly [Client, ...Client[]] {
  const { url, headers, sandboxHeaders = [], signal, query, access, credentials, getSettings } = options;
  const timeoutMs = options.timeoutSeconds === undefined ? undefined : options.timeoutSeconds * 1_000;
  const create = (own: CheckOptions['headers']) =>
    new Client(url, own, { signal, timeoutMs, query, access, credentials, getSettings });
  return [create(headers), ...sandboxHeaders.map(create)];
}

/** Returns the values of headers of single operations, and the credentials of the configuration. */
function listSecrets({ contract, credentials, getSettings = NO_SETTINGS }: CheckOptions): readonly string[] {
  const headers = contract.routes.flatMap((route) => Object.values(getSettings(route).headers ?? {}));
  return [...headers, ...(credentials?.secrets ?? [])];
}

/** The number of parts that run at the same time if the server is slow. */
const MAX_WORKERS = 5;

/** The number of seeds for new unique values that each of these workers can use. */
const FRESH_SEEDS = 10_000;

interface PreparedOptions extends CheckOptions {
  readonly hints: Hints;
  /** Creates a further session with the connections of the first one. */
  readonly openSession: () => Session;
}

/**
 * Runs all parts of the check.
 * Adds sentences for the report to `notes`.
 * Returns what was not checked completely.
 */
async function runChecks(
  sessions: Session[],
  routes: readonly Route[],
  options: PreparedOptions,
  notes: string[],
): Promise<UncheckedItems> {
  const done = new Set<CheckPart>();
  const maxMs = options.maxTime ? options.maxTime * 1_000 : Number.POSITIVE_INFINITY;
  const endMs = performance.now() + maxMs * USED_SHARE;
  const shortenedEndMs = performance.now() + maxMs * SHORTENED_SHARE;
  let parts: readonly CheckPart[] | undefined;
  const getUnfinished = () => parts?.filter((part) => !done.has(part)) ?? [];
  const getUnfinishedIds = () =>
    parts ? getUnfinished().flatMap(({ operationIds }) => operationIds) : routes.map(getOperationId);
  try {
    await findApi(sessions, options);
    const workers = await createWorkers(sessions, options, notes);
    const groups = createParts((workers as [Worker])[0], routes);
    const all = groups.flat();
    parts = all;
    const onDone = (part: CheckPart) => {
      done.add(part);
      options.onProgress?.(done.size, all.length, part.name, sessions[0]?.results.findings ?? []);
    };
    const getPartMs = (part: CheckPart) => {
      const remaining = { parts: getUnfinished(), workers: workers.length };
      if (part.isOptional) return getShareMs(endMs, part, remaining);
      if (!part.canBeShortened) return Number.POSITIVE_INFINITY;
      // The operations of a large contract can have less time than the minimum.
      const minMs = Math.min(MIN_PART_MS, getShareMs(endMs, part, remaining));
      return Math.max(minMs, getShareMs(shortenedEndMs, part, remaining));
    };
    await runGroups(groups, workers, onDone, getPartMs);
    if (sessions.some(({ isShortened }) => isShortened)) notes.push(SHORTENED);
    const { unchecked, unreached } = finishChecks(workers as [Worker], routes);
    return { unchecked: [...getUnfinished().map(({ name }) => name), ...unchecked], unreached };
  } catch (error) {
    if (!(error instanceof CheckStoppedError)) throw error;
    notes.push(`The check stopped early: ${error.message}`);
    const unchecked = parts
      ? findUnchecked(error, { unfinished: getUnfinished(), sessions, routes, options }, notes)
      : ['everything'];
    const left = { unfinished: unchecked, operations: [...new Set(getUnfinishedIds())] };
    reportLostRequests(error, { sessions, routes, left });
    return { unchecked, unreached: [] };
  } finally {
    sessions[0]?.results.reportPending(getUnfinishedIds());
  }
}

/**
 * Creates a worker for each session.
 * If the server is slow, adds sessions to `sessions`, with workers that create their own resources.
 */
async function createWorkers(
  sessions: Session[],
  options: PreparedOptions,
  notes: string[],
): Promise<readonly Worker[]> {
  const create = (session: Session) => createWorker(session, options, notes);
  const workers = await Promise.all(sessions.map(create));
  const [first] = sessions;
  if (workers.length > 1 || !first || getConcurrency(first) === 1) return workers;
  for (let count = 1; count < MAX_WORKERS; count++) {
    const session = options.openSession();
    session.freshSeedCount = count * FRESH_SEEDS;
    sessions.push(session);
  }
  return [...workers, ...(await Promise.all(sessions.slice(1).map(create)))];
}

/** What a check knows when it stops early. */
interface StoppedCheck {
  readonly unfinished: readonly CheckPart[];
  readonly sessions: readonly Session[];
  readonly routes: readonly Route[];
  readonly options: CheckOptions;
}

/**
 * Returns what was not checked when the check stopped early.
 * The optional parts that the time limit leaves out are not in this list, but in a note.
 * Every operation needs at least one response for a verdict.
 */
function findUnchecked(
  { kind }: CheckStoppedError,
  { unfinished, sessions, routes, options }: StoppedCheck,
  notes: string[],
): readonly string[] {
  const isLeftOut = ({ isOptional }: CheckPart) => isOptional === true && kind === 'time-limit';
  const leftOut = unfinished.filter(isLeftOut).map(({ name }) => name);
  const unchecked = unfinished.filter((part) => !isLeftOut(part)).map(({ name }) => name);
  if (leftOut.length === 0) return unchecked;
  notes.push(
    `Left out because of the time limit: ${joinList(leftOut, MAX_LISTED_OPERATIONS)}. Use a longer --max-time, or --only for some operations.`,
  );
  const allowed = getAllowedRoutes(options);
  const { results } = sessions[0] as Session;
  const isUnknown = (route: Route) => allowed.includes(route) && results.getStatusCodes(route.operationId).length === 0;
  return [...unchecked, ...routes.filter(isUnknown).map(getOperationId)];
}

/** The share of the maximum time that the parts distribute. The requests of a part can need longer than its share. */
const USED_SHARE = 0.9;

/** The share of the maximum time after which parts that can be shortened end early, because the server is slow. */
const SHORTENED_SHARE = 0.4;

/** The time that each part has, in ms, unless there are too many parts. */
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
async function findApi([session]: readonly Session[], options: PreparedOptions): Promise<void> {
  if (!session) return;
  const { contract, seed, usesDefaultContract, model, getSettings, hints } = options;
  const defaultSubject = usesDefaultContract ? model?.subject : undefined;
  const routes = getAllowedRoutes(options);
  await requireApi({ contract, seed, getSettings, hints, client: session.client, routes, defaultSubject });
}

function getOperationId({ operationId }: Route): string {
  return operationId;
}

/** The maximum number of requests of a finding about a server that stopped. */
const MAX_LOST_REQUESTS = 10;

/** What a check knows about a server that has stopped. */
interface StopContext {
  readonly sessions: readonly Session[];
  readonly routes: readonly Route[];
  /** What the check could not do any more. */
  readonly left: Omit<Stop, 'suspects'>;
}

/** The title of a finding about a server that stopped. A request without a response alone has another title. */
const KEEPS_RUNNING = 'the server keeps running';

/**
 * Adds a finding if the server stopped, and did not start again.
 * The finding contains the requests in flight and those that were answered just before, because one of them is the
 * cause.
 */
function reportLostRequests(error: CheckStoppedError, { sessions, routes, left }: StopContext): void {
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
    title: KEEPS_RUNNING,
    stop: {
      ...left,
      suspects: [...new Set([...lost, ...answered, { route }].map(({ route: one }) => one.operationId))],
    },
    message: (lost.length > 0 ? 'no response, and then ' : '') + error.message + describeSuspects(lost, answered),
    pointer: route.pointer,
    exchanges,
  });
}

function describeSuspects({ length: lost }: readonly Suspect[], { length: answered }: readonly Suspect[]): string {
  if (lost + answered < 2) return '';
  const inFlight = lost > 0 ? `${lost} in flight` : '';
  const before = answered > 0 ? `${answered} answered in the second before` : '';
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
  const clients = new Set(sessions.map(({ client }) => client));
  const limited = [...clients].reduce((sum, { rateLimitedCount }) => sum + rateLimitedCount, 0);
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
      const isFinal = error.kind === 'untrusted' || error.kind === 'no-certificate';
      if (isFinal || performance.now() >= endMs - PAUSE_MS)
        throw createUnreachableError(client.url, error, waitSeconds);
      await sleep(PAUSE_MS);
    }
  }
}

/** Creates the error for a server that sends no valid response. */
function createUnreachableError(url: string, { kind, message }: NoResponseError, waitSeconds: number): UserError {
  if (kind === 'untrusted')
    return new UserError(
      `The certificate of ${url} is not trusted: ${message}. Add the certificate of its authority with --ca FILE. For a test server, --insecure accepts any certificate.`,
    );
  if (kind === 'no-certificate')
    return new UserError(
      `${url} refuses the connection without a certificate of the client that it trusts: ${message}. Add it with --cert FILE and --key FILE.`,
    );
  const isDown = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(message);
  const remedy = `Start it${waitSeconds > 0 ? ' or correct the URL' : ', correct the URL, or wait for it with --wait SECONDS'}.`;
  if (isDown) return new UserError(`No server responds at ${url} (${message}). ${remedy}`);
  const scheme = /wrong version number|packet length too long/i.test(message)
    ? ' It does not use TLS: try http://.'
    : '';
  return new UserError(`${url} did not return a valid HTTP response: ${message}. Check the URL.${scheme}`);
}
