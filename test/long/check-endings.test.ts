import { expect, it } from 'vitest';
import { startProgram } from '../support/harness/start-program.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

/** A server that responds to no request below /api. */
const silentBelowApi = () =>
  startRecorder(({ target }, response) => {
    if (target === '/') response.end();
  });

it.for(['SIGINT', 'SIGTERM'] as const)(
  'storefront check exits with 3 and one line on %s while it looks for a sandbox',
  async (signal, test) => {
    const { url, seen } = await silentBelowApi();
    const program = await startProgram(test, ['check', url, '--allow-writes']);
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBe(2);
    program.child.kill(signal);
    const { code } = await program.ended;
    expect([code, program.stderr()]).toEqual([3, `storefront: ${url} was not checked: the check was interrupted\n`]);
  },
);

it('storefront check includes the time to look for a sandbox in --max-time', async (test) => {
  const { url } = await silentBelowApi();
  const program = await startProgram(test, ['check', url, '--allow-writes', '--max-time', '1']);
  const { code } = await program.ended;
  const reason = 'the time limit is reached (--max-time 1)';
  expect([code, program.stderr()]).toEqual([3, `storefront: ${url} was not checked: ${reason}\n`]);
});
