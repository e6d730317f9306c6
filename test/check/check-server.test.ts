import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check.ts';
import type { Judge } from '../../src/check/findings.ts';
import { reportOf } from '../../src/check/report/report.ts';
import { at } from '../../src/contract/document.ts';
import { checked, judgesOf, shopContract, together, told } from '../support/check.ts';
import { type Asked, startProxy } from '../support/defects/proxy.ts';
import { type Defect, defects, startDefective } from '../support/defects.ts';
import { startStorefront } from '../support/start-storefront.ts';

/** The address of a shop with defects, for one test. */
async function withDefects(...names: readonly string[]): Promise<string> {
  const chosen = names.map((name) => defects.find((one) => one.name === name) ?? unknown(name));
  const { url, close } = await startDefective(together(...chosen));
  onTestFinished(close);
  return url;
}

function unknown(name: string): Defect {
  throw new Error(`no defect is called ${name}`);
}

/** Methods that change nothing (RFC 9110, section 9.2.1; QUERY is a draft's). */
const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];

/** A sound shop for one test, and what it is asked. */
async function watched(): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const { port } = await startStorefront({ durability: 'memory' });
  const asked: Asked[] = [];
  const { url, close } = await startProxy(port, (one, pass) => {
    asked.push(one);
    return pass(one);
  });
  onTestFinished(close);
  return { url, asked };
}

/** Who finds a defect, of which operation, with which answer, and what is said of it. */
type Found = readonly [judge: Judge, defect: string, operationId: string, status: string, said: RegExp];

/** The address of a sound shop that answers so many requests, and hangs up on all others. */
async function fallingSilent(answers: number): Promise<string> {
  const { port } = await startStorefront({ durability: 'memory' });
  let left = answers;
  const server = createServer((req, res) => {
    if (left-- <= 0) return void req.socket.destroy();
    const { method, url: path, headers } = req;
    const asked = request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(res);
    });
    req.pipe(asked);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('checkServer of a server that falls silent', () => {
  const SUMMARY = { only: ['getPaymentSummary'] };

  it.each([
    ['at once', 1, SUMMARY],
    ['while it is asked what is judged', 20, { ...SUMMARY, mayWrite: false }],
    ['while others are asked for its sake', 150, SUMMARY],
  ])('%s does not find that the contract is kept', async (_, answers, selection) => {
    const verdict = await checked(await fallingSilent(answers), { ...selection, runs: 20 });
    expect(verdict.findings.map(({ rule }) => rule)).toContain('answers');
    expect(verdict.notes).toContainEqual(expect.stringMatching(/^judging ended early: 5 requests in a row/));
  });
});

describe('checkServer', () => {
  /** Shops with defects: what is judged of them, and the defect that each judge finds there, with what it has to say of it. */
  const SHOPS: readonly { readonly judged: Partial<CheckOptions>; readonly found: readonly Found[] }[] = [
    {
      judged: { only: ['getOrder', 'createOrder', 'removeCartItem', 'listProducts'] },
      found: [
        ['statuses', 'answers a removal and removes nothing', 'removeCartItem', '204', /what is removed is gone/],
        ['links', 'answers an order that it does not store', 'getOrder', '404', /the link getOrder.* is answered 404/],
        ['behaviour', 'finds nothing for a blank term', 'listProducts', '200', /a blank term/],
      ],
    },
    {
      judged: { only: ['listProducts', 'getPaymentSummary'], exclude: ['resetData'] },
      found: [
        ['input', 'has a fault at a bracket in a search', 'listProducts', '5XX', /answers 500 to this request/],
        ['methods', 'answers 405 without Allow', 'getPaymentSummary', '4XX', /405 comes without Allow/],
      ],
    },
  ];

  it.each(SHOPS)(
    'finds what breaks the contract, with curl lines and the place in it: $found',
    async ({ judged, found }) => {
      const url = await withDefects(...found.map(([, defect]) => defect));
      const verdict = await checked(url, judged);
      const { failures } = await reportOf(verdict, shopContract, (operationId) => `again ${operationId}`);
      for (const [judge, , operationId, status, said] of found) {
        const one = failures.find(
          (failure) => failure.judge === judge && failure.operationId === operationId && said.test(failure.said),
        );
        expect(one, `${judge} ${operationId}: ${told(verdict.findings).join('\n')}`).toMatchObject({ status });
        expect(one?.steps.at(-1)?.request).toMatch(new RegExp(`^curl .*'${url}/api/`));
        const [, line = '', column = '', pointer = ''] =
          /openapi\.yaml:(\d+):(\d+) #(.*)$/.exec(one?.place ?? '') ?? [];
        expect(at(shopContract.document, pointer), one?.place).toBeDefined();
        expect(shopContract.text.split('\n')[Number(line) - 1]?.slice(Number(column) - 1), one?.place).toMatch(/\S/);
      }
      expect(judgesOf(verdict)).toEqual(expect.arrayContaining(found.map(([judge]) => judge)));
      // What has no defect is not blamed.
      const blamed = new Set(found.map(([, , operationId]) => operationId).concat('createOrder', 'listProducts'));
      expect(told(verdict.findings.filter(({ operationId }) => !blamed.has(operationId)))).toEqual([]);
    },
  );

  it.each(['listProducts', 'listCartItems', 'listOrders', 'createOrder', 'resetData'])(
    'never asks for %s where that is excluded',
    async (excluded) => {
      const { url, asked } = await watched();
      const verdict = await checked(url, { exclude: [excluded], only: ['getPaymentSummary'] });
      const { method, path } = shopContract.routes.find(({ operationId }) => operationId === excluded) ?? {};
      const wrongly = asked.filter(
        (one) => (one.method === 'HEAD' ? 'GET' : one.method) === method && one.target.split('?')[0] === path,
      );
      expect(wrongly.map(({ method, target }) => `${method} ${target}`)).toEqual([]);
      expect(asked.length).toBeGreaterThan(5);
      expect(told(verdict.findings)).toEqual([]);
    },
  );

  it('sends nothing that may change anything where it may not write', async () => {
    const { url, asked } = await watched();
    const verdict = await checked(url, { mayWrite: false, isFresh: false });
    const methods = [...new Set(asked.map(({ method }) => method))];
    expect(methods).toEqual(expect.arrayContaining(['GET', 'HEAD', 'OPTIONS', 'TRACE']));
    expect(methods.filter((method) => !SAFE.includes(method))).toEqual([]);
    expect(told(verdict.findings)).toEqual([]);
    expect(verdict.notes.join('\n')).toMatch(
      /not asked, since nothing may be changed: addCartItem, updateCartItem, removeCartItem, createOrder, resetData/,
    );
  });

  it('refuses to judge operations that there are not, or none', async () => {
    await expect(checked('http://127.0.0.1:1', { only: ['listProduct'] })).rejects.toThrow(
      /has no operation listProduct: it has listProducts, /,
    );
    await expect(checked('http://127.0.0.1:1', { exclude: ['a', 'b'] })).rejects.toThrow(/has no operation a, b/);
    await expect(checked('http://127.0.0.1:1', { only: ['resetData'], exclude: ['resetData'] })).rejects.toThrow(
      /no operation is left/,
    );
  });

  it('says at once that no server is there', async () => {
    await expect(checked('http://127.0.0.1:1/x/')).rejects.toThrow(
      /^no server answers at http:\/\/127\.0\.0\.1:1\/x \(.*ECONNREFUSED.*\): start it, or wait for it with --wait SECONDS$/,
    );
  });
});
