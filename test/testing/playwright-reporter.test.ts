import { describe, expect, it, vi } from 'vitest';
import type { CoverageLimits } from '../../src/coverage/limits.ts';
import type { Coverage } from '../../src/testing/coverage-line.ts';
import CoverageReporter from '../../src/testing/playwright-reporter.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

/** Runs tests with the reporter. Returns what it prints. */
async function runWith(server: string, test: (endTest: () => void) => Promise<void>, limits?: CoverageLimits) {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const reporter = new CoverageReporter({ server, ...limits });
    // The servers are in this process, which the read after the last test would block.
    reporter.onBegin({}, { allTests: () => [{ id: 'a' }, { id: 'b' }] });
    await test(() => reporter.onTestEnd({ id: 'a' }));
    const passed = await reporter.onEnd({ status: 'passed' });
    const text = written.mock.calls.join('');
    expect(await reporter.onEnd({ status: 'interrupted' })).toBeUndefined();
    return { text, status: passed?.status ?? 'passed' };
  } finally {
    written.mockRestore();
  }
}

/** Lists the products in a test. */
async function listProducts(server: string, limits?: CoverageLimits) {
  return runWith(
    server,
    async (endTest) => {
      endTest();
      await vi.waitFor(async () => {
        await fetch(`${server}/api/products`);
        const response = await fetch(`${server}/_control/coverage`);
        expect(((await response.json()) as Coverage).totals[0]?.touched).toBe(1);
      });
      endTest();
    },
    limits,
  );
}

describe('the coverage reporter', () => {
  it('prints one line with the operations that the tests have used', async () => {
    const { url, ask } = await startStorefront();
    const { text } = await runWith(url, async (endTest) => {
      endTest();
      await vi.waitFor(async () => {
        await ask('GET', '/api/orders');
        await ask('GET', '/_sandbox/w1/api/products');
      });
      endTest();
    });
    expect(text).toMatch(/^\nCoverage of .*: 2 of 11 operations, 2 of \d+ statuses.*\. Untouched: .* and \d+ more\n$/);
  });

  it('reads the coverage after the last test before Playwright stops the server', async (context) => {
    const program = await startProgram(context, ['--port', '0', '--durability', 'memory', '--log', 'off']);
    const server = await program.url();
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const reporter = new CoverageReporter({ server, reset: false, min: { operations: 10 } });
    reporter.onBegin({}, { allTests: () => [{ id: 'a' }] });
    await fetch(`${server}/api/products`);
    reporter.onTestEnd({ id: 'a' });
    program.child.kill('SIGKILL');
    const ended = await reporter.onEnd({ status: 'passed' });
    const text = written.mock.calls.join('');
    written.mockRestore();
    expect([text, ended]).toEqual([expect.stringContaining(': 1 of 11 operations'), { status: 'failed' }]);
    expect(text).not.toContain('could not be read');
  });

  it('says why the coverage is missing', async () => {
    const { url, close } = await startStorefront();
    await close();
    const { text, status } = await runWith(url, async (endTest) => endTest());
    expect([text, status]).toEqual([expect.stringMatching(/could not be read: No server responds at/), 'passed']);
  });

  it.each<[limits: CoverageLimits, failure: RegExp]>([
    [{ min: 80 }, /\nThe coverage is \d+(\.\d)? %, which is below 80 %\.\n$/],
    [{ min: { operations: 10, statuses: 1 } }, /\nThe coverage of operations is 9\.1 %, which is below 10 %\.\n$/],
    [
      { failOn: ['untouched-operation'], ignore: ['createOrder'] },
      /Coverage of .*: 1 of 10 operations.*\nNever touched, of operations:\n(?:(?!.*createOrder).*\n){9}$/,
    ],
    [{ ignore: ['createOder'] }, /"createOder" does not exist: did you mean "createOrder"\? The operations are .*\n$/],
  ])('fails the run if the coverage is too low: %j', async (limits, failure) => {
    const { url } = await startStorefront();
    expect(await listProducts(url, limits)).toEqual({ text: expect.stringMatching(failure), status: 'failed' });
  });

  it('passes a run whose coverage reaches the limits', async () => {
    const { url } = await startStorefront();
    const { text, status } = await listProducts(url, { min: { operations: 9 }, failOn: [] });
    expect([text.trim().split('\n').length, status]).toEqual([1, 'passed']);
  });

  it('fails a run with limits whose coverage is unknown', async () => {
    const { url, close } = await startStorefront();
    await close();
    expect((await runWith(url, async (endTest) => endTest(), { min: 1 })).status).toBe('failed');
  });

  it.each([
    [{ min: '80' }, 'Invalid option min of storefront/playwright-reporter. It is "80": use a number from 0 to 100, or'],
    [{ min: { status: 1 } }, 'for the kinds operations, statuses, examples, media-types, parameters,'],
    [{ failOn: ['operation'] }, 'use a list of untouched-operation, untouched-status,'],
    [{ ignore: 'getOrder' }, 'use a list of operationIds'],
  ])('rejects the invalid limits %j', (limits, message) => {
    const options = { server: 'http://localhost:3000', ...(limits as CoverageLimits) };
    expect(() => new CoverageReporter(options)).toThrow(message);
  });

  it('rejects an option without an address', () => {
    expect(() => new CoverageReporter({ server: 'localhost' })).toThrow('Invalid option server');
  });
});
