import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selectSandboxes } from '../../src/check/check-sandbox.ts';
import { CheckStoppedError } from '../../src/check/exchange.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { UserError } from '../../src/util/issue.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { getRejection } from '../support/harness/rejection.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const COMMAND = { wait: 0, allowWrites: false, headers: {}, runs: 1 };

/** Selects the sandboxes of a check of the server at `url`. Returns the changed command and the printed text. */
async function select(url: string, signal?: AbortSignal, contract = projectFile('openapi.yaml')) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const parts = { model: shopModel, contract, seed: 7, print, printProgress() {}, signal };
  return { command: await selectSandboxes({ ...COMMAND, url }, parts), printed: printed.join('') };
}

describe('selectSandboxes', () => {
  it('prints that the check runs in new sandboxes and does not change the default one', async () => {
    const { url } = await startStorefront();
    expect((await select(url)).printed).toBe(
      `${url} is a storefront server: the check runs in 8 new sandboxes (check-7 and 7 more) and does not change the default sandbox.\n`,
    );
  });

  it('selects one new sandbox of a storefront server for another contract', async () => {
    const contract = projectFile('test/support/reference-applications/library.yaml');
    const { url } = await startStorefront({ contract });
    const { command, printed } = await select(url, undefined, contract);
    expect(printed).toContain('the check runs in the new sandbox check-7 and does not change the default sandbox');
    expect(command).toMatchObject({ headers: { 'x-sandbox': 'check-7' }, sandboxHeaders: [], allowWrites: true });
  });

  it('detects whether a storefront server is strict', async () => {
    const commands = [{}, { strict: true }].map(async (options) => {
      const { url } = await startStorefront(options);
      return (await select(url)).command.strict;
    });
    expect(await Promise.all(commands)).toEqual([false, true]);
  });

  it('does not receive the contract again that the check has', async () => {
    const shop = await startStorefront();
    const statuses: number[] = [];
    const proxy = createServer(async ({ method = '', url = '', headers }, response) => {
      const { host: _, connection: __, ...others } = headers as Record<string, string>;
      const sent = await fetch(shop.url + url, { method, headers: others });
      if (url === '/openapi.json') statuses.push(sent.status);
      response.writeHead(sent.status, Object.fromEntries(sent.headers)).end(await sent.text());
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const { command } = await select(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    expect(command).toMatchObject({ strict: false, headers: { 'x-sandbox': 'check-7' } });
    expect(statuses).toEqual([304]);
  });

  it.each([
    ['with another document', 'get'],
    ['with a document that has no GET operation', 'post'],
  ])('uses the contract that a storefront server %s serves', async (_, method) => {
    const responses = { '204': { description: 'Done' } };
    const contract = await writeDocument({ paths: { '/jobs': { [method]: { operationId: 'jobs', responses } } } });
    const { url } = await startStorefront({ contract });
    const { command, printed } = await select(url);
    expect(printed).toContain(`uses the contract that the server serves: ${url}/openapi.json`);
    expect(command).toMatchObject({ contract: `${url}/openapi.json`, headers: { 'x-sandbox': 'check-7' } });
  });

  it.each([
    ['of another API', { openapi: '3.1.0', info: { title: 'Jobs', version: '1' }, paths: { '/jobs': { get: {} } } }],
    ['that is invalid', { openapi: '3.1.0', paths: { '/jobs': 5 } }],
  ])('does not use the document of another server %s', async (_, document) => {
    const { url } = await startRecorder(({ target }, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end(target === '/openapi.json' && JSON.stringify(document));
    });
    const { command, printed } = await select(url);
    expect([command.contract, printed]).toEqual([undefined, '']);
  });

  it('selects no sandbox of a server that repeats the header of each request', async () => {
    const { url } = await startRecorder(({ headers }, response) => {
      response.setHeader('X-Sandbox', headers['x-sandbox'] ?? '').end();
    });
    const { command, printed } = await select(url);
    expect(command).toMatchObject({ headers: {}, allowWrites: false });
    expect(printed).toBe('');
  });

  it('rejects with a UserError if the server closes the connection without a response', async () => {
    const { url } = await startRecorder(({ target }, response) =>
      target === '/' ? void response.end() : void response.destroy(),
    );
    const error = await getRejection(select(url), UserError);
    expect(error.message).toMatch(new RegExp(`^${url} was not checked: no response to GET /api/products: `));
  });

  it('rejects with the reason of the signal if it is aborted during a request', async () => {
    const interrupt = new AbortController();
    const { url } = await startRecorder(({ target }, response) => {
      if (target === '/') response.end();
      else interrupt.abort(new CheckStoppedError('the check was interrupted', 'interrupted'));
    });
    const error = await getRejection(select(url, interrupt.signal), UserError);
    expect(error.message).toBe(`${url} was not checked: the check was interrupted`);
  });
});
