import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { toCurl } from '../../src/check/exchange.ts';
import { type Document, parseDocument, readContract } from '../../src/openapi/document.ts';
import { getRoutes } from '../../src/openapi/routes.ts';
import { dreddView } from './view.ts';

/** A request as it is sent. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty or undefined where there is none. */
  readonly body?: string;
}

/** What dredd found of a server. */
export interface DreddVerdict {
  readonly transactions: readonly DreddTransaction[];
  /** What keeps the transactions from saying anything; empty where the judge did its work. */
  readonly errors: readonly string[];
}

/** One answer that was asked for. */
export interface DreddTransaction {
  /** undefined where it is a method that the path doesn't have. */
  readonly operationId: string | undefined;
  /** In capitals. */
  readonly method: string;
  /** The template of the path. */
  readonly path: string;
  /** The status that was to be provoked. */
  readonly status: number;
  readonly isPassed: boolean;
  /** Why it failed, a sentence; empty where it passed. */
  readonly failure: string;
  /** Commands that ask for the same again; undefined where nothing was asked. */
  readonly curl?: string;
  /** What was answered: status, content type and body; undefined where nothing was. */
  readonly response?: string;
}

/** Which server is judged, and by what. */
export interface DreddRun {
  readonly url: string;
  readonly contractFile: string;
  /** Headers that all requests carry. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Files of hooks in place of those that come along. */
  readonly hooks?: readonly string[];
}

/** What the process in which dredd runs sends back. */
interface Found {
  /** What dredd's parser and compiler warn of. */
  readonly annotations: readonly { readonly message: string }[];
  readonly results: readonly Result[];
  /** Why dredd ended before its time. */
  readonly error?: string;
  /** What it printed, beside what it found. */
  readonly printed: string;
}

interface Result {
  readonly outcome: 'pass' | 'fail' | 'skip' | 'error';
  readonly test: {
    readonly message: string;
    /** By part of the answer, what is wrong with it. */
    readonly results?: { readonly fields?: Readonly<Record<string, { readonly errors: readonly GavelError[] }>> };
    readonly origin: {
      /** Method and template, as the view has them as summary. */
      readonly actionName: string;
      /** Status and content type. */
      readonly exampleName: string;
      readonly isHooked?: boolean;
      readonly operationId?: string;
      /** What was asked for before. */
      readonly before?: readonly Sent[];
    };
    readonly request?: { readonly method: string; readonly uri: string } & Omit<Sent, 'path'>;
    readonly actual?: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body?: string };
  };
}

/** What dredd's validator has to say; messages about a place in the body don't all name it. */
interface GavelError {
  readonly message: string;
  readonly location?: { readonly pointer?: string };
}

/** The hooks that come along. */
export const ownHooks: string = ours('hooks.cjs');

/** How long an answer may take, in ms. */
const ANSWER_MS = 10_000;

/** How much of a body is told, in characters. */
const TOLD_LENGTH = 2_000;

/**
 * Has dredd ask the server at `url` for every documented answer of a contract, resetting it before each. Nothing is printed. Rejects with a
 * `ContractError` where the contract can't be read.
 */
export async function runDredd({
  url,
  contractFile,
  headers = {},
  hooks = [ownHooks],
}: DreddRun): Promise<DreddVerdict> {
  const document = parseDocument(contractFile, readContract(contractFile));
  const unreachable = await whyUnreachable(url);
  if (unreachable !== undefined) return { transactions: [], errors: [unreachable] };
  const found = await foundBy({
    endpoint: url,
    apiDescriptions: [{ location: contractFile, content: JSON.stringify(dreddView(document)) }],
    hookfiles: hooks,
    loglevel: 'error',
    color: false,
    http: { timeout: ANSWER_MS },
    custom: { headers },
  });
  if (typeof found === 'string') return { transactions: [], errors: [found] };
  return {
    transactions: found.results.filter(({ outcome }) => outcome !== 'skip').map((result) => transactionOf(url, result)),
    errors: faultsOf(document, found),
  };
}

async function whyUnreachable(url: string): Promise<string | undefined> {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    return `${url} is not a URL: enter one such as http://127.0.0.1:3000`;
  try {
    await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
    return undefined;
  } catch (error) {
    const { cause = error } = error as Error;
    const { code, message } = cause as NodeJS.ErrnoException;
    return `No server responds at ${url} (${code ?? message}). Start it first.`;
  }
}

/** What dredd sends back from a process of its own; where it ends without, a sentence that says so. */
function foundBy(configuration: object): Promise<Found | string> {
  return new Promise((resolve, reject) => {
    const child = fork(ours('child.cjs'), { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    let printed = '';
    let found: Omit<Found, 'printed'> | undefined;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (printed += data));
    child.once('message', (message) => (found = message as Found));
    child.once('close', () =>
      resolve(found ? { ...found, printed } : `dredd ended without a result: ${printed.trim()}`),
    );
    child.once('error', reject);
    child.send(configuration);
  });
}

function transactionOf(url: string, { outcome, test }: Result): DreddTransaction {
  const { actionName, exampleName, operationId, before } = test.origin;
  const [method = '', path = ''] = actionName.split(' ');
  const { request, actual } = test;
  const status = Number.parseInt(exampleName, 10);
  const said = outcome === 'pass' ? '' : whyFailed(status, test);
  const asks = before && request && [...before, { ...request, path: request.uri }];
  const body = (actual?.body ?? '').slice(0, TOLD_LENGTH);
  return {
    operationId,
    method,
    path,
    status,
    isPassed: outcome === 'pass',
    failure: said,
    ...(asks ? { curl: asks.map((ask) => lineOf(url, ask)).join(' && ') } : {}),
    ...(actual ? { response: `${actual.statusCode} ${actual.headers['content-type'] ?? ''}\n${body}`.trim() } : {}),
  };
}

/** A request as a line for a shell. */
function lineOf(url: string, { method, path, headers = {}, body = '' }: Sent): string {
  const told = Object.entries(headers).filter(([name]) => !/^(user-agent|content-length)$/i.test(name));
  const printed = /^ +$/.test(body) ? { printedBy: `printf '%${body.length}s' ''` } : {};
  const ask = { method, target: path, headers: Object.fromEntries(told), ...(body === '' ? {} : { body }), ...printed };
  return toCurl(url.replace(/\/+$/, ''), ask);
}

function whyFailed(status: number, { message, actual, results }: Result['test']): string {
  if (actual && Number(actual.statusCode) !== status) return `Status ${actual.statusCode} instead of ${status}`;
  const errors = Object.entries(results?.fields ?? {}).flatMap(([part, field]) =>
    field.errors.map((error) => `${part}: ${placed(error)}`),
  );
  return errors.length > 0 ? errors.join('; ') : message.replace(/^Failed in \w+ hook: /, '');
}

function placed({ message, location }: GavelError): string {
  const { pointer = '' } = location ?? {};
  return message.includes(pointer) ? message : `${message}, at ${pointer}`;
}

function faultsOf(document: Document, { annotations, results, error, printed }: Found): readonly string[] {
  const { documented, nameOf } = answersOf(document);
  const named = results.map((result) => ({ ...result, name: nameOf(result) }));
  const namesOf = (some: typeof named) => some.map(({ name }) => name);
  const [lost, strange] = [without(documented, namesOf(named)), without(namesOf(named), documented)];
  return [
    ...(error === undefined ? [] : [`dredd stopped: ${[error, ...printed.matchAll(/(?<=^error: ).*/gm)].join('; ')}`]),
    // None is known that has to be borne: the view is made so that the parser has nothing to say.
    ...annotations.map(({ message }) => `dredd's parser warns: ${message}`),
    ...counted(
      namesOf(named.filter(({ test }) => !test.origin.isHooked)),
      'transactions ran without hooks, which were not loaded',
    ),
    ...counted(namesOf(named.filter(({ outcome }) => outcome === 'skip')), 'transactions were skipped'),
    ...counted(lost, `of ${documented.length} documented responses were not requested`),
    ...counted(strange, 'responses are not documented, or were requested twice'),
  ];
}

/** A fault that tells of a number of transactions, and of the first of them; none where there are none. */
function counted([first, ...more]: readonly string[], said: string): readonly string[] {
  return first === undefined ? [] : [`${more.length + 1} ${said}: ${first}${more.length > 0 ? ', …' : ''}`];
}

/** The entries of a list that another list hasn't, each as often as it has it less. */
function without(list: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return list.filter((entry) => {
    const place = left.indexOf(entry);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

/** All answers that a document has a status for, and for each path that to a method which it doesn't have; and which of these a result is. */
function answersOf(document: Document) {
  const routes = getRoutes(document);
  const operations = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const own = routes.flatMap(({ method, path, responses }) =>
    responses.flatMap(({ name }) => (/^\d+$/.test(name) ? [`${method} ${path} ${name}`] : [])),
  );
  const others = new Set(routes.map(({ path }) => `another method of ${path} 405`));
  const nameOf = ({ test: { origin } }: Result) => {
    const operation = origin.actionName;
    const who = operations.has(operation) ? operation : `another method of ${operation.split(' ')[1]}`;
    return `${who} ${Number.parseInt(origin.exampleName, 10)}`;
  };
  return { documented: [...own, ...others], nameOf };
}

/** A file of this folder. */
function ours(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
