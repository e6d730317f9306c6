import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { formatFindings, runCheck, shopContract } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { type ProxyRequest, startProxy } from '../support/planted-defects/proxy.ts';

/** The safe methods (RFC 9110, section 9.2.1), and the method QUERY of a draft. */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];

/** Starts a correct shop for one test, and records its requests. */
async function startRecordedShop(): Promise<{ readonly url: string; readonly asked: readonly ProxyRequest[] }> {
  const { port } = await startStorefront({ durability: 'memory' });
  const asked: ProxyRequest[] = [];
  const { url, close } = await startProxy(port, (one, pass) => {
    asked.push(one);
    return pass(one);
  });
  onTestFinished(close);
  return { url, asked };
}

/** Starts a correct shop that responds to some requests and then closes all connections. Returns its address. */
async function startSilentShop(answers: number): Promise<string> {
  const { port } = await startStorefront({ durability: 'memory' });
  let left = answers;
  const server = createServer((req, res) => {
    if (left-- <= 0) return void req.socket.destroy();
    const { method, url: path, headers } = req;
    const forwarded = request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    req.pipe(forwarded);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('checkServer on a server that stops responding', () => {
  const SUMMARY = { only: ['getPaymentSummary'] };

  it.each([
    ['after the first response', 1, SUMMARY],
    ['during requests to the checked operation', 20, { ...SUMMARY, mayWrite: false }],
    ['during requests to other operations', 150, SUMMARY],
  ])('%s fails the check', async (_, answers, selection) => {
    const verdict = await runCheck(await startSilentShop(answers), { ...selection, runs: 20 });
    expect(verdict.findings.map(({ rule }) => rule)).toContain('responds');
    expect(verdict.notes).toContainEqual(
      expect.stringMatching(/^The check stopped early: no response in 5 consecutive rounds of concurrent requests: /),
    );
  });
});

describe('checkServer', () => {
  it.each(['listProducts', 'listCartItems', 'listOrders', 'createOrder', 'resetData'])(
    'never sends a request to %s if it is excluded',
    async (excluded) => {
      const { url, asked } = await startRecordedShop();
      const verdict = await runCheck(url, { exclude: [excluded], only: ['getPaymentSummary'] });
      const { method, path } = shopContract.routes.find(({ operationId }) => operationId === excluded) ?? {};
      const wrongly = asked.filter(
        (one) => (one.method === 'HEAD' ? 'GET' : one.method) === method && one.target.split('?')[0] === path,
      );
      expect(wrongly.map(({ method, target }) => `${method} ${target}`)).toEqual([]);
      expect(asked.length).toBeGreaterThan(5);
      expect(formatFindings(verdict.findings)).toEqual([]);
    },
  );

  it('sends only safe methods if changes are not allowed', async () => {
    const { url, asked } = await startRecordedShop();
    const verdict = await runCheck(url, { mayWrite: false, isFresh: false });
    const methods = [...new Set(asked.map(({ method }) => method))];
    expect(methods).toEqual(expect.arrayContaining(['GET', 'HEAD', 'OPTIONS', 'TRACE']));
    expect(methods.filter((method) => !SAFE.includes(method))).toEqual([]);
    expect(formatFindings(verdict.findings)).toEqual([]);
    expect(verdict.notes.join('\n')).toMatch(
      /Operations that need --allow-writes were skipped: addCartItem, updateCartItem, removeCartItem, createOrder, resetData/,
    );
  });

  it('rejects unknown operations, and a selection without operations', async () => {
    await expect(runCheck('http://127.0.0.1:1', { only: ['listProduct'] })).rejects.toThrow(
      /has no operation listProduct\. Its operations are listProducts, /,
    );
    await expect(runCheck('http://127.0.0.1:1', { exclude: ['a', 'b'] })).rejects.toThrow(/has no operation a, b/);
    await expect(runCheck('http://127.0.0.1:1', { only: ['resetData'], exclude: ['resetData'] })).rejects.toThrow(
      /No operation is left/,
    );
  });

  it('reports at once that no server responds', async () => {
    await expect(runCheck('http://127.0.0.1:1/x/')).rejects.toThrow(
      /^No server responds at http:\/\/127\.0\.0\.1:1\/x \(.*ECONNREFUSED.*\)\. Start it, correct the URL, or wait for it with --wait SECONDS\.$/,
    );
  });
});
