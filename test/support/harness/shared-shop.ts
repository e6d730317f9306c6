import { afterAll, beforeAll, expect } from 'vitest';
import { createStorefront, type Options, type Storefront } from '../../../src/index.ts';
import { createControlClient, createSandboxClient } from './sandboxes.ts';
import { createFetchClient, type LogLine, NOW_MS, type TestShop } from './start-storefront.ts';

/** A sandbox for one test. All tests of a file share one shop. */
export interface SandboxClient {
  readonly id: string;
  readonly port: number;
  /** Sends a request to the shop. The request selects the sandbox. */
  readonly ask: TestShop['ask'];
  /**
   * Sends a request to the control API. The path is relative to the path of the sandbox. Expects the response to conform to the contract of the control API.
   */
  readonly sendControl: TestShop['ask'];
}

/** The log level of internal errors, as pino defines it. */
const ERROR = 50;

/**
 * Starts a shop in memory before all tests of a file, and closes it after them. Fails if the shop has logged an internal error. Returns a function for the
 * shop, and a function that creates a client of a new sandbox.
 */
export function useSharedShop(options: Options = {}): {
  readonly shop: () => Storefront;
  readonly newSandbox: () => SandboxClient;
} {
  const errors: LogLine[] = [];
  let storefront: Storefront;
  let sandboxes = 0;
  beforeAll(async () => {
    const write = (line: string) => {
      const logLine: LogLine = JSON.parse(line);
      if (logLine.level >= ERROR) errors.push(logLine);
    };
    storefront = await createStorefront({
      nowMs: () => NOW_MS,
      verify: 'strict',
      log: 'json',
      logTo: { write },
      ...options,
    });
  });
  afterAll(async () => {
    await storefront.close();
    expect(errors).toEqual([]);
  });
  return { shop: () => storefront, newSandbox: () => getSandboxClient(storefront, `test-${++sandboxes}`) };
}

/** Returns a client of the sandbox `id` in a shop. */
export function getSandboxClient(shop: Storefront, id: string): SandboxClient {
  const sendControl = createControlClient(shop);
  return {
    id,
    port: shop.port,
    ask: id === 'default' ? createFetchClient(shop.url) : createSandboxClient(shop, id),
    sendControl: (method, below, ...rest) => sendControl(method, `/${id}${below}`, ...rest),
  };
}
