import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { handleUnhandledErrors } from '../../src/cli/unhandled-errors.ts';
import { createStorefront, type Storefront } from '../../src/index.ts';

/** Handles the unhandled errors of a program, whose events the test emits. */
function handled(starting: Promise<Storefront>) {
  const program = new EventEmitter();
  const [logged, failed]: [string[], string[]] = [[], []];
  handleUnhandledErrors(program as unknown as Pick<NodeJS.Process, 'on'>, {
    starting,
    logError: (error, message) => void logged.push(`${message}: ${(error as Error).message}`),
    fail: (message) => void failed.push(message),
  });
  return { program, logged, failed };
}

describe('an unhandled rejection', () => {
  it('is a failure during the start', () => {
    const { program, logged, failed } = handled(new Promise(() => {}));
    program.emit('unhandledRejection', new Error('late'));
    expect(failed).toEqual([expect.stringContaining('the start failed: a promise was rejected')]);
    expect(logged).toEqual([]);
  });

  it('is logged by a server that runs, which goes on serving', async () => {
    const storefront = await createStorefront();
    const { program, logged, failed } = handled(Promise.resolve(storefront));
    await Promise.resolve();
    program.emit('unhandledRejection', 'late');
    expect(logged).toEqual([expect.stringMatching(/the server goes on: late$/)]);
    expect(failed).toEqual([]);
    expect((await fetch(`${storefront.url}/api/products`)).status).toBe(200);
    await storefront.close();
  });
});

describe('an uncaught exception', () => {
  it('is a failure during the start', () => {
    const { program, failed } = handled(new Promise(() => {}));
    program.emit('uncaughtException', new Error('bad'), 'uncaughtException');
    expect(failed).toEqual([expect.stringContaining('the start failed: an exception was not caught')]);
  });

  it('stops a server that runs in order', async () => {
    const storefront = await createStorefront();
    const { program, logged, failed } = handled(Promise.resolve(storefront));
    await Promise.resolve();
    program.emit('uncaughtException', new Error('bad'), 'uncaughtException');
    await vi.waitFor(() => expect(failed).toEqual(['stopped after an exception that was not caught']), {
      timeout: 20_000,
    });
    expect(logged).toEqual([expect.stringMatching(/the server stops: bad$/)]);
    await expect(fetch(`${storefront.url}/api/products`)).rejects.toThrow();
  });
});
