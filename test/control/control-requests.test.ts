import { describe, expect, it } from 'vitest';
import { startWithControl } from '../support/harness/control.ts';
import { expectProblem, getPointers } from '../support/harness/problems.ts';
import { controlContract, listSandboxIds, SANDBOXES_PATH } from '../support/harness/sandboxes.ts';

describe('a path of the control API with an invalid percent escape', () => {
  it.each(['/%zz', '/w1/snapshots/%E0%A4%A'])('is rejected with 400: %s', async (rest) => {
    const { shop } = await startWithControl();
    expectProblem(await shop.ask('GET', SANDBOXES_PATH + rest), 400, 'invalid-request', rest);
  });
});

describe('an unknown path of the control API', () => {
  it('returns 404 with a list of all paths', async () => {
    const { shop } = await startWithControl();
    const paths = [...controlContract.routes.map(({ path }) => path), '/_control/openapi.yaml'];
    for (const path of [
      '/_control/',
      '/_control/sandbox',
      `${SANDBOXES_PATH}/w1/stat`,
      `${SANDBOXES_PATH}/w1/snapshots/a/b`,
    ]) {
      for (const method of ['GET', 'PUT']) {
        const reply = await shop.ask(method, path);
        expectProblem(reply, 404, 'unknown-path', path);
        for (const known of paths) expect(reply.body.detail, path).toContain(known);
      }
    }
  });

  it('returns a list of all paths if it is /_control itself', async () => {
    const { shop } = await startWithControl();
    expect((await shop.ask('GET', '/_control')).body.detail).toContain(SANDBOXES_PATH);
  });
});

describe('a path of the control API', () => {
  it('rejects each method that it does not support with 405 and lists its methods in Allow', async () => {
    const { shop } = await startWithControl();
    const cases: readonly [string, string, string][] = [
      ['POST', '', 'GET'],
      ['PATCH', '/w1', 'GET, PUT, DELETE'],
      ['GET', '/w1/reset', 'POST'],
      ['DELETE', '/w1/state', 'GET, PUT, PATCH'],
      ['PUT', '/w1/state/products', 'GET, POST'],
      ['GET', '/w1/operations/listProducts', 'PUT'],
      ['DELETE', '/w1/requests/1', 'GET'],
      ['POST', '/w1/clock', 'GET, PUT, DELETE'],
      ['PUT', '/w1/clock/advance', 'POST'],
      ['POST', '/w1/ids', 'GET, PUT, DELETE'],
      ['PUT', '/w1/snapshots', 'GET'],
      ['POST', '/w1/snapshots/a', 'GET, PUT, DELETE'],
      ['PUT', '/w1/snapshots/a/restore', 'POST'],
    ];
    for (const [method, below, allow] of cases) {
      const reply = await shop.ask(method, SANDBOXES_PATH + below);
      expectProblem(reply, 405, 'method-not-allowed', below);
      const allowed = reply.headers.get('allow')?.split(', ').sort();
      expect(allowed, below).toEqual(allow.split(', ').sort());
      expect((await shop.ask('OPTIONS', SANDBOXES_PATH + below)).headers.get('allow'), below).toBe(
        reply.headers.get('allow'),
      );
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });
});

describe('an invalid sandbox id or snapshot name', () => {
  it('is rejected with 400 and a JSON Pointer to the parameter', async () => {
    const { shop, sendControl } = await startWithControl();
    for (const below of ['/W1', '/-a', '/w_1/state', '/w1%2Fx/clock', `/${'w'.repeat(64)}`]) {
      const reply = await sendControl('GET', below);
      expectProblem(reply, 400, 'invalid-request', below);
      expect(reply.body.violations, below).toMatchObject([{ in: 'path', pointer: '/id' }]);
    }
    for (const name of ['A', '.a', 'a b', '%2e%2e%2fdb', 'a'.repeat(64)]) {
      const reply = await sendControl('PUT', `/w1/snapshots/${encodeURI(name)}`);
      expectProblem(reply, 400, 'invalid-request', name);
      expect(reply.body.violations, name).toMatchObject([{ in: 'path', pointer: '/name' }]);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });
});

describe('a request that violates the contract of the control API', () => {
  const bodies: readonly [string, string, unknown, string, string][] = [
    ['PUT', '/w1', { form: 'full-cart' }, '/form', 'did you mean "from"?'],
    ['PUT', '/w1', { from: '' }, '/from', ''],
    ['PUT', '/w1', { from: 7 }, '/from', ''],
    ['PUT', '/w1', [], '', ''],
    ['PUT', '/w1/state', undefined, '', ''],
    ['PUT', '/w1/state', {}, '', ''],
    ['PUT', '/w1/state', { cartItem: [] }, '/cartItem', 'did you mean "cartItems"?'],
    ['PUT', '/w1/state', { orders: {} }, '/orders', ''],
    ['PUT', '/w1/state', { orders: [1] }, '/orders/0', ''],
    ['PUT', '/w1/clock', undefined, '', ''],
    ['PUT', '/w1/clock', { frosen: true }, '/frosen', 'did you mean "frozen"?'],
    ['PUT', '/w1/clock', { now: 'tomorrow' }, '/now', ''],
    ['PUT', '/w1/clock', { now: '2025-06-01T12:00:00' }, '/now', ''],
    ['PUT', '/w1/clock', { now: -1 }, '/now', ''],
    ['PUT', '/w1/clock', { now: 1.5 }, '/now', ''],
    ['PUT', '/w1/clock', { now: null }, '/now', ''],
    ['PUT', '/w1/clock', { frozen: 'yes' }, '/frozen', ''],
    ['POST', '/w1/clock/advance', {}, '/ms', ''],
    ['POST', '/w1/clock/advance', { ms: '1' }, '/ms', ''],
    ['POST', '/w1/clock/advance', { ms: 0.5 }, '/ms', ''],
    ['POST', '/w1/clock/advance', { ms: 1, days: 1 }, '/days', ''],
    ['PUT', '/w1/ids', { seed: -1 }, '/seed', ''],
    ['PUT', '/w1/ids', { seed: 4_294_967_296 }, '/seed', ''],
    ['PUT', '/w1/ids', { sead: 1, seed: 1 }, '/sead', 'did you mean "seed"?'],
  ];

  it('is rejected with 400 and a remedy for each violation in the body, and creates no sandbox', async () => {
    const { shop, sendControl } = await startWithControl();
    for (const [method, below, body, pointer, message] of bodies) {
      const label = `${method} ${below} ${JSON.stringify(body)}`;
      const reply = await sendControl(method, below, body);
      expectProblem(reply, 400, 'invalid-request', label);
      expect(getPointers(reply), label).toContain(pointer);
      expect(reply.body.detail, label).toContain(message);
      expect(reply.body.violations[0].remedy, label).toMatch(/\S/);
    }
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('is rejected with 400 for an unknown query parameter', async () => {
    const { sendControl } = await startWithControl();
    const reply = await sendControl('GET', '?limit=1');
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.body.violations).toMatchObject([{ in: 'query', pointer: '/limit' }]);
  });

  it('is rejected with 400 if its body is not valid JSON', async () => {
    const { sendControl } = await startWithControl();
    expectProblem(await sendControl('PUT', '/w1/state', '{"cartItems":'), 400, 'malformed-json');
  });
});
