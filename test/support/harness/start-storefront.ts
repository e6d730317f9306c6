import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createStorefront, type Options, type Storefront } from '../../../src/index.ts';

/** The time of all clocks, unless a test changes it: 2025-06-01T12:00:00Z. */
export const NOW_MS = 1_748_779_200_000;

/** A shop for one test. */
export interface TestShop extends Storefront {
  /** Sends a request, optionally with a JSON body. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  /** The lines of the log so far. */
  readonly log: readonly LogLine[];
  /** The folder with the files of the shop. */
  readonly folder: string;
}

/** A line of the log. */
export interface LogLine {
  readonly level: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** A response that is read completely. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, or undefined if it is empty or not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the type of the body that it expects.
  readonly body: any;
}

/** The log level of internal errors. */
const ERROR = 50;

/**
 * Starts a shop with a new data file on a free port with its clock frozen at NOW_MS, and closes it when the test ends. Fails the test if the
 * shop logs an internal error (an unhandled error or a response that breaks the contract), unless `errorsExpected` is set.
 */
export async function startStorefront({
  errorsExpected = false,
  start = createStorefront,
  ...options
}: Options & {
  errorsExpected?: boolean;
  /** Starts the server: the shop unless a test has another application. */
  start?: (options: Options) => Promise<Storefront>;
} = {}): Promise<TestShop> {
  const folder = await mkdtemp(join(tmpdir(), 'storefront-'));
  const log: LogLine[] = [];
  const shop = await start({
    data: join(folder, 'db.json'),
    nowMs: () => NOW_MS,
    verify: 'strict',
    log: 'json',
    logTo: { write: (line) => void log.push(JSON.parse(line)) },
    ...options,
  });
  onTestFinished(async () => {
    await shop.close();
    await rm(folder, { recursive: true, force: true });
    const errors = log.filter(({ level }) => level >= ERROR);
    if (!errorsExpected && errors.length > 0)
      throw new Error(`the shop logged internal errors: ${JSON.stringify(errors, null, 2)}`);
  });
  return { ...shop, folder, log, ask: createFetchClient(shop.url) };
}

/** Creates a client for the server at `url`. */
export function createFetchClient(url: string): TestShop['ask'] {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parseJson(text) };
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
