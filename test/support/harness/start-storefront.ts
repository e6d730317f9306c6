import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createStorefront, type Options, type Storefront } from '../../../src/index.ts';

/** The time of all frozen clocks in tests, in ms since 1970: 2025-06-01T12:00:00Z. */
export const NOW_MS = 1_748_779_200_000;

/** A shop for one test. */
export interface TestShop extends Storefront {
  /** Sends a request, optionally with a JSON body. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  /** All lines that the shop has logged. */
  readonly log: readonly LogLine[];
  /** The folder that contains the data file of the shop. */
  readonly folder: string;
}

/** A line that the shop has logged as JSON. */
export interface LogLine {
  readonly level: number;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** A response with its complete body. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body parsed as JSON; undefined if the body is empty or not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the type of the body that it expects.
  readonly body: any;
}

/** The log level of internal errors, as pino defines it. */
const ERROR = 50;

/**
 * Starts a shop for one test on a free port, with a new data file and with its clock frozen at `NOW_MS`. Closes the shop when the test ends. Fails the test
 * if the shop has logged an internal error, for example a response that violates the contract. With `errorsExpected`, internal errors are allowed.
 */
export async function startStorefront({
  errorsExpected = false,
  start = createStorefront,
  ...options
}: Options & {
  errorsExpected?: boolean;
  /** Starts the server. Default: `createStorefront`, which serves the shop. */
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

/** Creates a client for the server at `url` that uses fetch. It converts a body that is not a string to JSON. */
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
