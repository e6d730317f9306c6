import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSlowProxy } from '../support/harness/slow-link.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { NOTES_CONTRACT, startNotesServer } from '../support/reference-servers/notes-server.ts';
import { startPlainServer } from '../support/reference-servers/plain-server.ts';

const LATENCY_MS = 60;

/** Starts a correct server of another implementation for one test and returns its port. */
async function plainPort(): Promise<number> {
  const { url, close } = await startPlainServer();
  onTestFinished(close);
  return Number(new URL(url).port);
}

describe('storefront check of a server with a latency of 60 ms', () => {
  it('completes the check of a storefront in several sandboxes', async (test) => {
    const { port } = await startStorefront({ durability: 'memory' });
    const program = await startProgram(test, ['check', await startSlowProxy(port, LATENCY_MS), '--max-time', '0']);
    const { code } = await program.ended;
    expect(program.stdout()).toMatch(/^Contract check passed: no violations/m);
    expect([code, program.stderr()]).toEqual([0, '']);
  });

  it('completes the check of another implementation', async (test) => {
    const url = await startSlowProxy(await plainPort(), LATENCY_MS);
    const program = await startProgram(test, ['check', url, '--allow-writes', '--max-time', '0', '--runs', '10']);
    const { code } = await program.ended;
    expect(program.stdout()).toMatch(/^Contract check passed: no violations/m);
    expect(code).toBe(0);
    // About 3,000 requests, one after another.
  }, 900_000);

  it('exits with 3 when the time is up, and lists what it did not check', async (test) => {
    const url = await startSlowProxy(await plainPort(), LATENCY_MS);
    const program = await startProgram(test, ['check', url, '--allow-writes', '--max-time', '3']);
    const { code } = await program.ended;
    expect(program.stdout()).toMatch(/^The check stopped early: the time limit is reached \(--max-time 3\)$/m);
    expect(program.stdout()).toMatch(/^Not checked completely: .*; and \d+ more$/m);
    expect(program.stdout()).toMatch(/^Contract check incomplete: no violations/m);
    expect(code).toBe(3);
  });

  it.for(['SIGINT', 'SIGTERM'] as const)('reports the results so far on %s', async (signal, test) => {
    const { url, seen } = await startNotesServer();
    const program = await startProgram(
      test,
      [
        'check',
        await startSlowProxy(Number(new URL(url).port), LATENCY_MS),
        '--allow-writes',
        '--contract',
        'notes.yaml',
      ],
      { prepare: (folder) => writeFile(join(folder, 'notes.yaml'), NOTES_CONTRACT) },
    );
    await expect.poll(() => seen.length, { timeout: 60_000 }).toBeGreaterThan(30);
    program.child.kill(signal);
    const { code } = await program.ended;
    expect(program.stdout()).toMatch(/^The check stopped early: the check was interrupted$/m);
    expect(program.stdout()).toMatch(/^Contract check incomplete: /m);
    expect(code).toBe(3);
  });
});
