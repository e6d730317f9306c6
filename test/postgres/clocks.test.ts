import { expect, inject, it } from 'vitest';
import { startProgram } from '../support/harness/start-program.ts';
import { createDatabaseOptions } from '../support/postgres/servers.ts';

const MINUTE_MS = 60_000;

/** Starts a server on a machine whose clock is fast by `ms`. Resolves to a function that sends requests to the control API. */
async function startWithClock(test: Parameters<typeof startProgram>[0], databaseSchema: string, ms: number) {
  const shift = `const now = Date.now; Date.now = () => now() + ${ms};`;
  const program = await startProgram(
    test,
    ['--port', '0', '--database', inject('databaseUrl'), '--database-schema', databaseSchema],
    { environment: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(shift)}` } },
  );
  const url = await program.url();
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in there.
  return async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${url}/_control/sandboxes/w1${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (response.headers.get('content-type') ?? '').includes('json') ? response.json() : undefined;
  };
}

it('Servers whose clocks differ by ten minutes use the clock of the database', async (test) => {
  const { databaseSchema } = createDatabaseOptions();
  const one = await startWithClock(test, databaseSchema, 0);
  const fast = await startWithClock(test, databaseSchema, 10 * MINUTE_MS);
  await one('PUT', '');
  await one('PUT', '/faults', [{ operation: 'listProducts', status: 503, durationMs: 5 * MINUTE_MS }]);
  expect(await fast('GET', '/faults')).toMatchObject([{ expired: false }]);
  await fast('PUT', '/faults', [{ operation: 'listProducts', status: 503, durationMs: 5 * MINUTE_MS }]);
  expect(await one('GET', '/faults')).toMatchObject([{ expired: false }]);
  const times = [await one('GET', '/clock'), await fast('GET', '/clock')].map(({ now }) => Date.parse(now));
  const [first = 0, second = 0] = times;
  expect(Math.abs(second - first)).toBeLessThan(MINUTE_MS);
  // The clock that one server sets is that of all servers.
  await fast('PUT', '/clock', { now: '2030-01-01T00:00:00Z' });
  const { now } = await one('GET', '/clock');
  expect(Math.abs(Date.parse(now) - Date.parse('2030-01-01T00:00:00Z'))).toBeLessThan(MINUTE_MS);
});
