import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { handleUnhandledErrors } from '../../src/cli/unhandled-errors.ts';
import { createStorefront, type Storefront } from '../../src/index.ts';

/** Installs the handlers on a program whose events the test emits. */
function install(starting: Promise<Storefront>) {
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
  it('fails the start of a server', () => {
    const { program, logged, failed } = install(new Promise(() => {}));
    program.emit('unhandledRejection', new Error('late'));
    expect(failed).toEqual([expect.stringContaining('The start failed: unhandled promise rejection')]);
    expect(logged).toEqual([]);
  });

  it('is logged by a running server, which continues to serve requests', async () => {
    const storefront = await createStorefront();
    const { program, logged, failed } = install(Promise.resolve(storefront));
    await Promise.resolve();
    program.emit('unhandledRejection', 'late');
    expect(logged).toEqual([expect.stringMatching(/The server continues\.: late$/)]);
    expect(failed).toEqual([]);
    expect((await fetch(`${storefront.url}/api/products`)).status).toBe(200);
    await storefront.close();
  });
});

describe('an uncaught exception', () => {
  it('fails the start of a server', () => {
    const { program, failed } = install(new Promise(() => {}));
    program.emit('uncaughtException', new Error('bad'), 'uncaughtException');
    expect(failed).toEqual([expect.stringContaining('The start failed: uncaught exception')]);
  });

  it('is logged by a running server, which stops gracefully', async () => {
    const storefront = await createStorefront();
    const { program, logged, failed } = install(Promise.resolve(storefront));
    await Promise.resolve();
    program.emit('uncaughtException', new Error('bad'), 'uncaughtException');
    await vi.waitFor(() => expect(failed).toEqual(['Stopped after an uncaught exception']), {
      timeout: 60_000,
    });
    expect(logged).toEqual([expect.stringMatching(/The server stops\.: bad$/)]);
    await expect(fetch(`${storefront.url}/api/products`)).rejects.toThrow();
  });
});
