import { afterAll, beforeAll, expect } from 'vitest';
import { createStorefront, type Options, type Storefront } from '../../../src/index.ts';
import { createControlClient, createSandboxClient } from './sandboxes.ts';
import { createFetchClient, type LogLine, NOW_MS, type TestShop } from './start-storefront.ts';

/** A sandbox for one test in a shop that all tests of a file share. */
export interface SandboxClient {
  readonly id: string;
  readonly port: number;
  /** Sends a request to the shop in the sandbox. */
  readonly ask: TestShop['ask'];
  /** Sends a request to the control API for a path below that of the sandbox, and validates the response against the contract. */
  readonly sendControl: TestShop['ask'];
}

/** The log level of internal errors. */
const ERROR = 50;

/**
 * Starts a shop in memory before all tests of a file and closes it after them. Fails the file if the shop logs an internal error. Returns functions for
 * the shop and for a new sandbox.
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

/** Returns the sandbox with this id in a shop. */
export function getSandboxClient(shop: Storefront, id: string): SandboxClient {
  const sendControl = createControlClient(shop);
  return {
    id,
    port: shop.port,
    ask: id === 'default' ? createFetchClient(shop.url) : createSandboxClient(shop, id),
    sendControl: (method, below, ...rest) => sendControl(method, `/${id}${below}`, ...rest),
  };
}
