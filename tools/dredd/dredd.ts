import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseDocument, readContract } from '../../src/openapi/document.ts';
import type { DreddOutput } from './dredd-result.ts';
import { findRunErrors } from './run-errors.ts';
import { type DreddTransaction, toTransaction } from './transaction.ts';
import { createDreddView } from './view.ts';

/** The result of a run of dredd. */
export interface DreddVerdict {
  readonly transactions: readonly DreddTransaction[];
  /** The reasons why the results of the transactions are not reliable; empty if they are reliable. */
  readonly errors: readonly string[];
}

/** Options of a run of dredd. */
export interface DreddRun {
  readonly url: string;
  readonly contractFile: string;
  /** Headers that all requests contain. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The paths of the hook files. Default: hooks.cjs. */
  readonly hooks?: readonly string[];
}

/** The path of the default hook file. */
export const defaultHooks: string = toPath('hooks.cjs');

/** The timeout of a response, in ms. */
const RESPONSE_MS = 10_000;

/**
 * Tests every documented response of a contract with dredd against the server at `url`. Resets the server before each test. Rejects with a `UserError` if
 * the contract can't be read.
 */
export async function runDredd({
  url,
  contractFile,
  headers = {},
  hooks = [defaultHooks],
}: DreddRun): Promise<DreddVerdict> {
  const document = parseDocument(contractFile, readContract(contractFile));
  const unreachable = await checkReachable(url);
  if (unreachable !== undefined) return { transactions: [], errors: [unreachable] };
  const output = await runInChild({
    endpoint: url,
    apiDescriptions: [{ location: contractFile, content: JSON.stringify(createDreddView(document)) }],
    hookfiles: hooks,
    loglevel: 'error',
    color: false,
    http: { timeout: RESPONSE_MS },
    custom: { headers },
  });
  if (typeof output === 'string') return { transactions: [], errors: [output] };
  return {
    transactions: output.results
      .filter(({ outcome }) => outcome !== 'skip')
      .map((result) => toTransaction(url, result)),
    errors: findRunErrors(document, output),
  };
}

async function checkReachable(url: string): Promise<string | undefined> {
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    return `${url} is not a URL: enter a URL such as http://127.0.0.1:3000`;
  try {
    await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(RESPONSE_MS) });
    return undefined;
  } catch (error) {
    const { cause = error } = error as Error;
    const { code, message } = cause as NodeJS.ErrnoException;
    return `No server responds at ${url} (${code ?? message}). Start it first.`;
  }
}

/** Runs dredd in a child process. Returns its output, or an error message if the process ends without output. */
function runInChild(configuration: object): Promise<DreddOutput | string> {
  return new Promise((resolve, reject) => {
    const child = fork(toPath('child.cjs'), { execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    let printed = '';
    let output: Omit<DreddOutput, 'printed'> | undefined;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (printed += data));
    child.once('message', (message) => (output = message as DreddOutput));
    child.once('close', () =>
      resolve(output ? { ...output, printed } : `dredd ended without a result: ${printed.trim()}`),
    );
    child.once('error', reject);
    child.send(configuration);
  });
}

/** Returns the path of a file in this folder. */
function toPath(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
