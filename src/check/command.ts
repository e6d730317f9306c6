import { type Contract, loadContract } from '../openapi/contract.ts';
import { type DocumentSource, readSource } from '../openapi/document-source.ts';
import { UserError } from '../util/issue.ts';
import { hideCredentials, isUrl } from '../util/source-path.ts';
import { joinList, quoteShellIfNeeded } from '../util/text.ts';
import type { BehaviourModel } from './behaviour-model.ts';
import { checkServer } from './check.ts';
import type { CheckOptions } from './check-options.ts';
import { Client } from './client.ts';
import { CredentialStore } from './credential-store.ts';
import { applyExpectedFailures } from './expected-failures.ts';
import { compareWithBaseline, prepareFiles, readText, writeText } from './files.ts';
import { createSend } from './hook-requests.ts';
import type { GetSettings } from './operation-settings.ts';
import { type CheckCommand, DEFAULT_TIMEOUT_SECONDS, isRecorded } from './options.ts';
import { parsePact } from './pact.ts';
import { checkRecording, parseHar, readJournal } from './recorded.ts';
import { toAnnotations } from './report/annotations.ts';
import { toJunit } from './report/junit.ts';
import { toMarkdown } from './report/markdown.ts';
import { createReport, getVerdict, type Report, toDocument, toRelativePath } from './report/report.ts';
import { toSarif } from './report/sarif.ts';
import { toText } from './report/text.ts';
import { describeSkipped, resolveSettings } from './resolve-settings.ts';
import {
  getAllowedRoutes,
  getCheckedRoutes,
  isWriteOperation,
  MAX_LISTED_OPERATIONS,
  type Selection,
} from './selection.ts';
import { verifiesPact, verifyPact } from './verify-pact.ts';

/** Formats a report as JSON. */
export function toJson(report: Report): string {
  return `${JSON.stringify(toDocument(report), null, 2)}\n`;
}

/** Formats a report for a file, by the end of its name: SARIF, JSON or Markdown; otherwise JUnit XML. */
function formatReport(report: Report, path: string, workspace: string | undefined): string {
  if (/\.sarif(?:\.json)?$/i.test(path)) return toSarif(report, workspace);
  if (/\.json$/i.test(path)) return toJson(report);
  return /\.md$/i.test(path) ? toMarkdown(report) : toJunit(report);
}

/** A started server. It runs until `close` is called. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The settings and functions that the command line program provides to `storefront check`. */
export interface CheckEnvironment extends Pick<CheckOptions, 'onProgress' | 'signal' | 'access'> {
  /** The environment variables, for the hooks of the configuration. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The path of the default contract. */
  readonly contract: string;
  readonly model: BehaviourModel;
  /** Starts the built-in shop with its default data. */
  readonly start: () => Promise<RunningServer>;
  readonly print: (text: string) => void;
  /**
   * The seed for a command without `--seed`.
   * Each check needs a different seed, because the ids of the sandboxes contain the seed.
   */
  readonly seed: number;
  /** The time of the check, in ms since 1970. */
  readonly nowMs: number;
}

/** A command with the document, if it was read from a URL already. */
export interface LoadedCommand extends CheckCommand {
  readonly source?: DocumentSource | undefined;
}

/**
 * Checks the server at the URL of the command.
 * Without a URL, starts and checks the built-in shop.
 * Throws `UserError` if the check can't run.
 */
export async function runCheck(command: LoadedCommand, environment: CheckEnvironment): Promise<Report> {
  const baseline = prepareFiles(command);
  const seed = command.seed ?? baseline?.seed ?? environment.seed;
  const contract = await loadContract({
    path: command.contract ?? environment.contract,
    source: command.source,
    strict: command.strict === true,
    allowRefs: command.allowRefs,
  });
  const getSettings = resolveSettings(contract, command.operations, command.parameters);
  const run = { ...environment, seed, getSettings, exclude: addSkipped(command, contract, getSettings) };
  const report = isRecorded(command)
    ? await checkRecorded(command, contract, run)
    : await checkRunning(command, contract, run);
  const noted = { ...report, notes: [...report.notes, ...describeSkipped(contract.routes, getSettings)] };
  const whole = {
    ...applyExpectedFailures(noted, contract.routes, getSettings),
    minConfidence: command.confidence,
  };
  return baseline ? compareWithBaseline(whole, { command, baseline, contract, run }) : whole;
}

/** Returns the operations to which no requests are sent, with those that the settings skip. */
function addSkipped(
  { exclude }: CheckCommand,
  { routes }: Contract,
  getSettings: GetSettings,
): CheckCommand['exclude'] {
  const skipped = routes.filter((route) => getSettings(route).skip !== undefined);
  return skipped.length === 0 ? exclude : [...(exclude ?? []), ...skipped.map(({ operationId }) => operationId)];
}

/** What a check needs beside its command: the functions of the program, and the settings of the operations. */
interface RunEnvironment extends CheckEnvironment, Pick<CheckOptions, 'exclude'> {
  /** The seed of the command, else that of its baseline, else a new one. */
  readonly seed: number;
  readonly getSettings: GetSettings;
}

/**
 * Reads the contract of a command from its URL, once for all parts of the check.
 * Waits for the server as the command says. Sends the headers of the command if the contract is on the checked server.
 * Returns a command with a file as its contract unchanged.
 */
export async function readRemoteContract(
  command: CheckCommand,
  { signal, access }: Pick<CheckEnvironment, 'signal' | 'access'>,
): Promise<LoadedCommand> {
  const { contract: path = '', url, wait: waitSeconds, allowRefs } = command;
  if (!isUrl(path)) return command;
  const isOwnServer = url !== undefined && URL.canParse(path) && new URL(path).origin === new URL(url).origin;
  const headers = isOwnServer ? command.headers : {};
  const get = (target: URL, sent: CheckCommand['headers'], stop: AbortSignal) =>
    getResponse(new Client(target.origin, sent, { signal: stop, access }), target);
  return { ...command, source: await readSource({ path, allowRefs }, { headers, waitSeconds, signal, get }) };
}

/** Sends a GET request with a client of the check, which uses its certificates and proxies. */
async function getResponse(client: Client, { pathname, search }: URL): Promise<Response> {
  try {
    const { status, headers, text } = await client.send({ method: 'GET', target: pathname + search });
    return new Response(text === '' ? null : text, { status, headers });
  } finally {
    client.close();
  }
}

/** Checks the requests and responses of a HAR file, a pact or a journal. */
async function checkRecorded(command: CheckCommand, contract: Contract, environment: RunEnvironment): Promise<Report> {
  const { har, journal, pact, url, headers } = command;
  const { access, exclude, getSettings } = environment;
  const interactions = pact === undefined ? [] : parsePact(pact, readText(pact, 'pact'));
  const recorded = har === undefined ? [] : parseHar(har, readText(har, 'HAR file'));
  const credentials = openCredentials(command, contract, environment);
  const run = { ...environment, contract, credentials, getSettings };
  const verified = verifiesPact(command)
    ? await verifyPact(interactions, { ...command, exclude }, run)
    : { exchanges: interactions.map(({ exchange }) => exchange), unchecked: [], notes: [] };
  const exchanges = [
    ...recorded,
    ...verified.exchanges,
    ...(journal === undefined ? [] : await readJournal(journal, headers, access)),
  ];
  const verdict = checkRecording({ ...command, exclude, contract, mayWrite: true, exchanges, url });
  const { coverage, ...report } = createReport(verdict, contract, () => undefined);
  const source = [har, pact, journal && `the journal of ${journal}`].filter(Boolean).join(' and ');
  return {
    ...report,
    title: `Checked ${verdict.results.responseCount} of ${exchanges.length} recorded requests (${source}) against ${toRelativePath(contract.path)}`,
    unchecked: [...report.unchecked, ...verified.unchecked],
    notes: [...report.notes, ...verified.notes],
    coverage: { ...coverage, rules: coverage.rules.filter(({ count }) => count > 0) },
  };
}

/** Checks a running server, or starts and checks the built-in shop. */
async function checkRunning(command: CheckCommand, contract: Contract, environment: RunEnvironment): Promise<Report> {
  const { model, onProgress, signal, access, exclude, getSettings } = environment;
  const options = { ...command, exclude, contract, model, mayWrite: command.url === undefined || command.allowWrites };
  if (command.url !== undefined && !command.isFresh) warnOfChanges(options, command.url, environment);
  if (command.url !== undefined && command.contract === undefined && !command.isFresh)
    environment.print(`Without --contract, the check uses the contract of ${model.subject}.\n`);
  const running = command.url === undefined ? await startServer(contract, environment) : undefined;
  try {
    const verdict = await checkServer({
      ...options,
      url: running?.url ?? command.url ?? '',
      seed: environment.seed,
      isFresh: running !== undefined || command.isFresh === true,
      waitSeconds: command.wait,
      timeoutSeconds: command.timeout,
      usesDefaultContract: command.contract === undefined,
      onProgress,
      signal,
      access,
      getSettings,
      credentials: openCredentials(command, contract, environment),
    });
    return createReport(verdict, contract, (operationId) => formatCommand(command, operationId, verdict.seed));
  } finally {
    await running?.close();
  }
}

function openCredentials(
  { credentials, url }: CheckCommand,
  contract: Contract,
  { environment = {}, signal, access }: RunEnvironment,
): CredentialStore | undefined {
  const send = createSend(url, { signal, access });
  return credentials && new CredentialStore(contract, credentials, { url, environment, send });
}

/**
 * The exit codes of `storefront check`.
 * `misuse`: the command line is invalid.
 * `incomplete`: there are no findings, but the check did not run completely.
 */
export const EXIT_CODES = { passed: 0, failed: 1, misuse: 2, incomplete: 3 } as const;

/** Prints a report and writes the report files of the command. Returns the exit code. */
export function writeReports(report: Report, command: CheckCommand, print: (text: string) => void): number {
  print(`${toText(report)}\n`);
  for (const file of command.report ?? []) writeText(file, formatReport(report, file, command.annotationsFor), 'w');
  writeText(command.summary, toMarkdown(report), 'a');
  if (command.annotationsFor !== undefined) print(toAnnotations(report, command.annotationsFor));
  return EXIT_CODES[getVerdict(report)];
}

/**
 * Returns the command line that repeats the check of an operation.
 * Omits the values of headers and query parameters, because they can be secrets.
 */
function formatCommand(command: CheckCommand, operationId: string, seed: number): string {
  const { url, contract, exclude, headers, query = {}, runs, isFresh, timeout = DEFAULT_TIMEOUT_SECONDS } = command;
  const { rate, insecure, ca, cert, key, csrf, allowRefs = [] } = command;
  const headerNames = Object.keys(headers).filter((name) => !isFresh || name !== 'x-sandbox');
  const words = [
    ...['npx', 'storefront', 'check'],
    ...(url === undefined ? [] : [url, ...(command.allowWrites && !isFresh ? ['--allow-writes'] : [])]),
    ...(contract === undefined ? [] : ['--contract', hideCredentials(contract)]),
    ...(allowRefs.length > 0 ? ['--allow-refs', allowRefs.join(',')] : []),
    ...(timeout === DEFAULT_TIMEOUT_SECONDS ? [] : ['--timeout', String(timeout)]),
    ...(insecure ? ['--insecure'] : []),
    ...(csrf ? ['--csrf', [csrf.cookie, csrf.header, csrf.path ?? []].flat().join(':')] : []),
    ...Object.entries({ rate, ca, cert, key }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, String(value)],
    ),
    ...headerNames.flatMap((name) => ['-H', `${name}: …`]),
    ...Object.keys(query).flatMap((name) => ['--query', `${name}=…`]),
    ...['--only', operationId],
    ...(exclude ? ['--exclude', exclude.join(',')] : []),
    ...['--seed', String(seed), '--runs', String(runs)],
  ];
  return words.map(quoteShellIfNeeded).join(' ');
}

async function startServer(contract: Contract, { model, start }: CheckEnvironment): Promise<RunningServer> {
  if (!model.applies(contract))
    throw new UserError(
      `Without a URL, storefront check checks ${model.subject}, but ${contract.path} is not the contract of ${model.subject}. Use the URL of the server: storefront check URL --contract FILE`,
      { reason: 'usage' },
    );
  return start();
}

/**
 * Prints a warning that lists the requests that can change data, such as `DELETE /pets/{id}`.
 * Throws `UserError` if the check needs these requests, but the command has no --allow-writes.
 */
function warnOfChanges(selection: Selection, url: string, { model, print }: CheckEnvironment): void {
  const { mayWrite, contract } = selection;
  if (!mayWrite && !getCheckedRoutes(selection).some(isWriteOperation)) return;
  const writing = getAllowedRoutes({ ...selection, mayWrite: true }).filter(isWriteOperation);
  if (writing.length === 0) return;
  const resets = model.applies(contract) && writing.some(({ operationId }) => operationId === model.resetOperationId);
  const requests = joinList(
    writing.map(({ method, path }) => `${method} ${path}`),
    MAX_LISTED_OPERATIONS,
  );
  const warning = `The check changes data on ${url}: it sends ${requests} many times${resets ? ', and resets the data repeatedly' : ''}`;
  if (!mayWrite) throw new UserError(`${warning}. To allow this, add --allow-writes.`, { reason: 'usage' });
  print(`${warning}\n`);
}
