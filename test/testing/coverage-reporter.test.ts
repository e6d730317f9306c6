import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CoverageLimits } from '../../src/coverage/limits.ts';
import CoverageReporter from '../../src/testing/coverage-reporter.ts';
import { startStorefront } from '../../src/testing/in-process.ts';
import { writeApi } from '../support/harness/start-api.ts';

/** Runs tests with the reporter of Vitest. Returns what it prints. */
async function runWith(test: () => Promise<unknown>, limits?: CoverageLimits): Promise<string> {
  const { exitCode } = process;
  onTestFinished(() => {
    vi.unstubAllEnvs();
    process.exitCode = exitCode;
  });
  vi.stubEnv('STOREFRONT_COVERAGE_FOLDER', undefined);
  const reporter = new CoverageReporter(limits);
  reporter.onInit();
  reporter.onTestRunStart();
  const folder = process.env.STOREFRONT_COVERAGE_FOLDER ?? '';
  await test();
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    reporter.onTestRunEnd();
    return written.mock.calls.join('');
  } finally {
    written.mockRestore();
    expect(existsSync(folder)).toBe(false);
  }
}

/** Starts a server as a test file does, sends requests to paths, and stops it. */
async function request(options: Parameters<typeof startStorefront>[0], ...paths: readonly string[]): Promise<void> {
  const server = await startStorefront(options);
  for (const path of paths)
    await fetch(server.url + path, {
      headers: { authorization: 'Bearer t', prefer: path.includes('?') ? '' : 'code=200' },
    });
  await server.close();
}

describe('the coverage reporter for Vitest and Jest', () => {
  it('prints one line for the servers of all test files, with what only forced responses touched', async () => {
    const text = await runWith(async () => {
      await request({ controlToken: 't' }, '/api/products?limit=1', '/api/orders?limit=1');
      await request({}, '/api/products', '/api/delivery-options');
    });
    expect(text).toMatch(
      /^\nCoverage of Storefront 2\.0\.0: 3 of 11 operations \(1 only forced\), 3 of 53 statuses \(1 only forced\), .*\n$/,
    );
  });

  it('prints a line for each contract', async () => {
    const contract = await writeApi({ paths: { '/notes': { get: { operationId: 'listNotes' } } } });
    const text = await runWith(async () => {
      await request({}, '/api/products?limit=1');
      await request({ contract }, '/notes?');
    });
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines.filter((line) => line.includes(': 1 of 1 operations'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('Coverage of Storefront 2.0.0: 1 of 11 operations'))).toHaveLength(1);
  });

  it('prints nothing without servers, or if they have no control API', async () => {
    expect(await runWith(async () => {})).toBe('');
    expect(await runWith(() => request({ control: false }, '/api/products?'))).toBe('');
  });

  it('fails the run if the coverage of a contract is too low', async () => {
    const contract = await writeApi({ paths: { '/notes': { get: { operationId: 'listNotes' } } } });
    const test = async () => {
      await request({}, '/api/products?limit=1');
      await request({ contract }, '/notes?');
    };
    await runWith(test, { min: { operations: 9 } });
    expect(process.exitCode).toBeUndefined();
    const text = await runWith(test, { min: { operations: 10 }, ignore: ['getOrder', 'listNotes'] });
    expect(text).toMatch(/1 of 10 operations/);
    expect(process.exitCode).toBeUndefined();
    expect(await runWith(test, { min: { operations: 10 } })).toMatch(
      /\nCoverage of Storefront .*\nThe coverage of operations is 9\.1 %, which is below 10 %\.\n/,
    );
    expect(process.exitCode).toBe(1);
  });

  it('fails a run with limits whose coverage is unknown', async () => {
    expect(await runWith(async () => {}, { failOn: ['untouched-operation'] })).toMatch(/is unknown: close the servers/);
    expect(process.exitCode).toBe(1);
  });

  it('reports to Jest, which passes its configuration before the options, that the coverage is too low', async () => {
    const { exitCode } = process;
    onTestFinished(() => {
      vi.unstubAllEnvs();
      process.exitCode = exitCode;
    });
    vi.stubEnv('STOREFRONT_COVERAGE_FOLDER', undefined);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const reporter = new CoverageReporter({ rootDir: '/' } as CoverageLimits, { min: 100 });
    reporter.onRunStart();
    await request({}, '/api/products?limit=1');
    expect(reporter.getLastError()).toBeUndefined();
    reporter.onRunComplete();
    vi.restoreAllMocks();
    expect(reporter.getLastError()?.message).toBe('The coverage of the contract is too low.');
  });
});
