import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { startProgram } from '../support/harness/start-program.ts';
import { createFetchClient } from '../support/harness/start-storefront.ts';

const esModule = (
  text: string,
) => `import { DomainError } from ${JSON.stringify(pathToFileURL(projectFile('dist/storefront.js')).href)};
export const listOrders = ({ headers }) => {
  if (headers['x-fail']) throw new DomainError('sold-out', 'none left');
  return { status: 503, body: { title: ${JSON.stringify(text)} } };
};`;
const commonJs = (text: string) =>
  `exports.listOrders = () => ({ status: 503, body: { title: ${JSON.stringify(text)} } });`;

/** Starts the program with a module of handlers: Node must load it, because vitest has its own loader. */
async function startWith(test: TestContext, name: string, text: string) {
  const program = await startProgram(test, ['--port', '0', '--handlers', name, '--verify', 'off'], {
    prepare: (folder) => writeFile(join(folder, name), text),
  });
  const ask = createFetchClient(await program.url());
  const save = (next: string) => writeFile(join(program.folder, name), next);
  const waitForOutput = (part: string) =>
    vi.waitFor(() => expect(program.stdout()).toContain(part), { timeout: 60_000, interval: 20 });
  const title = async () => (await ask('GET', '/api/orders')).body.title;
  return { ask, save, waitForOutput, title };
}

describe('storefront --handlers', () => {
  it.for([
    ['handlers.mjs', esModule],
    ['handlers.cjs', commonJs],
    ['handlers.js', commonJs],
  ] as const)('reloads the module when it is saved: %s', async ([name, module], test) => {
    const { save, waitForOutput, title } = await startWith(test, name, module('first'));
    expect(await title()).toBe('first');
    for (const next of ['second', 'third']) {
      await save(module(next));
      await vi.waitFor(async () => expect(await title()).toBe(next), { timeout: 60_000, interval: 20 });
    }
    await waitForOutput('was reloaded: handlers of listOrders');
  });

  it('keeps the previous handlers if the saved module has a syntax error, and warns how to find it', async (test) => {
    const { save, waitForOutput, title } = await startWith(test, 'handlers.mjs', esModule('first'));
    await save('export const listOrders = (');
    await waitForOutput('node --check');
    await waitForOutput('The previous handlers stay in use');
    expect(await title()).toBe('first');
  });

  it('responds with 500 and the code for a DomainError with an unknown code', async (test) => {
    const { ask } = await startWith(test, 'handlers.mjs', esModule('first'));
    const reply = await ask('GET', '/api/orders', undefined, { 'X-Fail': '1' });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
    expect(reply.body.detail).toContain('unknown code "sold-out" (none left)');
  });

  it('continues to serve after an unhandled rejection in the module', async (test) => {
    const { save, waitForOutput, title } = await startWith(test, 'handlers.mjs', esModule('first'));
    await save(`Promise.reject(new Error('late'));\n${esModule('second')}`);
    await waitForOutput('Error: late');
    await vi.waitFor(async () => expect(await title()).toBe('second'), { timeout: 60_000, interval: 20 });
  });

  it('fails the start with one message for an unhandled rejection in the module', async (test) => {
    const program = await startProgram(test, ['--port', '0', '--handlers', 'handlers.mjs'], {
      prepare: (folder) =>
        writeFile(join(folder, 'handlers.mjs'), `Promise.reject(new Error('early'));\n${esModule('first')}`),
    });
    expect((await program.ended).code).toBe(1);
    expect(program.stderr()).toMatch(/^storefront: The start failed: .*Error: early/);
  });

  it('stops gracefully after an uncaught exception of a handler, and logs it', async (test) => {
    const late = `export const resetData = () => { setTimeout(() => { throw new Error('unexpected'); }); return { status: 204 }; };`;
    const program = await startProgram(test, ['--port', '0', '--handlers', 'handlers.mjs'], {
      prepare: (folder) => writeFile(join(folder, 'handlers.mjs'), late),
    });
    const ask = createFetchClient(await program.url());
    expect((await ask('POST', '/api/reset')).status).toBe(204);
    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(program.stdout() + program.stderr()).toContain('Error: unexpected');
  });
});
