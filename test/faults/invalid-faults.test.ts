import { describe, expect, it } from 'vitest';
import { expectProblem, getPointers } from '../support/harness/problems.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const { newSandbox } = useSharedShop();

/** Invalid faults, each with the pointer to the invalid value and the message. */
const INVALID_FAULTS: readonly (readonly [fault: object, pointer: string, message: RegExp])[] = [
  [{}, '', /add `status`, `example`, `delay`, `hold`, `connection`, `bodyDurationMs` or `stream`/],
  [{ where: { path: '/api/orders' } }, '', /add `status`, `example`, `delay`/],
  [{ operation: 'createOrder', times: 1 }, '', /add `status`/],
  [{ oparation: 'createOrder', status: 500 }, '/oparation', /did you mean \\"operation\\"\?/],
  [{ operation: [], status: 500 }, '/operation', /./],
  [{ operation: '', status: 500 }, '/operation', /./],
  [{ status: 600 }, '/status', /./],
  [{ status: '503' }, '/status', /./],
  [
    { operation: 'removeCartItem', status: 204, violation: true, body: { a: 1 } },
    '',
    /a response with status 204 or 304 has no body/,
  ],
  [{ delay: -1 }, '/delay', /./],
  [{ delay: 60_001 }, '/delay', /./],
  [{ connection: 'hang' }, '/connection', /./],
  [{ connection: 'reset', status: 500 }, '', /a connection that is reset has no response/],
  [{ connection: 'reset', bodyDurationMs: 5 }, '', /remove `connection` or `bodyDurationMs`/],
  [{ connection: 'cut', bodyDurationMs: 5 }, '', /remove `connection` or `bodyDurationMs`/],
  [{ bodyDurationMs: 0 }, '/bodyDurationMs', /./],
  [{ status: 500, skip: -1 }, '/skip', /./],
  [{ status: 500, times: 0 }, '/times', /./],
  [{ status: 500, probability: 1.1 }, '/probability', /./],
  [{ status: 500, seed: -1 }, '/seed', /./],
  [{ status: 500, phase: 'during' }, '/phase', /./],
  [{ status: 500, until: 'tomorrow' }, '/until', /./],
  [{ status: 500, durationMs: 0 }, '/durationMs', /./],
  [{ status: 500, where: { path: 'api' } }, '/where/path', /./],
  [{ status: 500, where: { url: '/api' } }, '/where/url', /./],
  [{ status: 500, where: { body: { a: { $more: 1 } } } }, '/where/body/a/$more', /not an operator: use \$eq/],
  [{ status: 500, where: { body: { a: [{ $gt: '1' }] } } }, '/where/body/a/0/$gt', /use a number/],
  [{ status: 500, where: { query: { q: { $lt: true } } } }, '/where/query/q/$lt', /use a number/],
  [{ status: 500, where: { query: { 'a/b': { $in: 'x' } } } }, '/where/query/a~1b/$in', /use a list/],
  [{ status: 500, where: { headers: { 'X-A': { $regex: '(' } } } }, '/where/headers/X-A/$regex', /regular/],
  [{ status: 500, where: { headers: { 'X-A': { $glob: 1 } } } }, '/where/headers/X-A/$glob', /use a string/],
  [{ status: 500, where: { body: { $exists: 1 } } }, '/where/body/$exists', /use true or false/],
  [{ status: 500, where: { body: { $not: { $glob: 1 } } } }, '/where/body/$not/$glob', /use a string/],
];

/** Faults that the contract of the application does not allow, each with the status of the response, the pointer to the invalid value and the message. */
const OFF_CONTRACT: readonly (readonly [status: number, fault: object, pointer: string, message: RegExp])[] = [
  [
    404,
    { operation: 'createOder', status: 500 },
    '/operation',
    /did you mean \\"createOrder\\"\? The operations are listProducts/,
  ],
  [404, { operation: ['createOrder', 'order'], status: 500 }, '/operation', /order.*createOrder/],
  [409, { operation: 'createOrder', status: 302 }, '/status', /302.*createOrder: use 201, 409, 4XX, 5XX/],
  [409, { operation: ['createOrder', 'listOrders'], status: 201 }, '/status', /201.*listOrders/],
  [409, { status: 302 }, '/status', /302/],
  [409, { operation: 'createOrder', example: 'emtpyCart' }, '/example', /emtpyCart.*use .*emptyCart/],
  [409, { operation: 'createOrder', status: 201, example: 'emptyCart' }, '/example', /emptyCart.*use created/],
  [409, { example: 'nowhere' }, '/example', /nowhere/],
];

describe('an invalid fault', () => {
  it.each([...INVALID_FAULTS.map((row) => [400, ...row] as const), ...OFF_CONTRACT])(
    'is rejected with status %i, a JSON Pointer and a remedy: %j',
    async (status, fault, pointer, message) => {
      const sandbox = newSandbox();
      await sandbox.sendControl('PUT', '');
      const one = await sandbox.sendControl('POST', '/faults', fault);
      expect([one.status, getPointers(one)]).toEqual([status, [pointer]]);
      expect(JSON.stringify(one.body)).toMatch(message);
      const ofSome = await sandbox.sendControl('PUT', '/faults', [{ status: 500 }, fault]);
      expect([ofSome.status, getPointers(ofSome)]).toEqual([status, [`/1${pointer}`]]);
      expect((await sandbox.sendControl('GET', '/faults')).body).toEqual([]);
    },
  );

  it.each<readonly [fault: object, rule: string, remedy: RegExp]>([
    [
      { operation: 'createOder', status: 500 },
      'enum',
      /^did you mean "createOrder"\? The operations are listProducts, /,
    ],
    [{ operation: 'order', status: 500 }, 'enum', /^use listProducts, .*createOrder/],
    [{ operation: 'createOrder', status: 302 }, 'enum', /^use 201, 409, 4XX, 5XX$/],
    [{ operation: 'createOrder', example: 'a: b' }, 'enum', /^use created, emptyCart/],
    [{ operation: 'createOrder', status: 201, body: {} }, 'required', /^add it, or set `violation`$/],
    [{ status: 500, headers: { Connection: 'close' } }, 'propertyNames', /^remove it$/],
    [{ status: 500, where: { body: { $gte: 1 } } }, 'propertyNames', /^did you mean "\$gt"\? The operators are \$eq, /],
    [{ status: 500, where: { body: { $gt: 'x' } } }, 'type', /^use a number$/],
    [{ status: 500, where: { body: { $regex: '(' } } }, 'format', /^use RE2 syntax$/],
  ])('is rejected with the broken rule and what to do: %j', async (fault, rule, remedy) => {
    const { violations } = (await newSandbox().sendControl('POST', '/faults', fault)).body;
    expect(violations[0]).toMatchObject({ in: 'body', rule, remedy: expect.stringMatching(remedy) });
  });

  it('is reported by a sentence that begins with the place in the fault', async () => {
    const { sendControl } = newSandbox();
    const { detail } = (await sendControl('POST', '/faults', { operation: 'createOrder', status: 201, body: {} })).body;
    expect(detail).toMatch(
      /^body\.id is missing, which violates the contract of createOrder: add it, or set `violation`;/,
    );
    const off = await sendControl('POST', '/faults', { operation: 'createOrder', status: 302 });
    expect(off.body.detail).toBe('status 302 is not documented for createOrder: use 201, 409, 4XX, 5XX');
  });

  it('is rejected with a code that depends on what is invalid', async () => {
    const { sendControl } = newSandbox();
    expectProblem(await sendControl('POST', '/faults', { operation: 'x', status: 500 }), 404, 'unknown-operation');
    expectProblem(await sendControl('POST', '/faults', { status: 302 }), 409, 'contract-conflict');
    expectProblem(
      await sendControl('POST', '/faults', { connection: 'cut', bodyDurationMs: 1 }),
      400,
      'invalid-request',
    );
    expectProblem(
      await sendControl('POST', '/faults', { where: { body: { $x: 1 } }, status: 500 }),
      400,
      'invalid-matcher',
    );
  });

  it('is rejected if its matcher is nested too deeply', async () => {
    const sendControl = createControlClient(await startStorefront({ errorsExpected: true }));
    const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
    const reply = await sendControl('POST', '/w1/faults', `{"code":500,"where":{"body":${deep}}}`);
    expect(reply.status).toBe(400);
  });

  it('is rejected without creating the sandbox if it is longer than all faults of a sandbox can be', async () => {
    const { id, sendControl } = newSandbox();
    const fault = { status: 500, where: { body: 'x'.repeat(20_001) } };
    expectProblem(await sendControl('POST', '/faults', fault), 409, 'limit-reached');
    expectProblem(await sendControl('PUT', '/faults', [fault]), 409, 'limit-reached');
    expect((await sendControl('GET', '')).status, id).toBe(404);
  });

  it('does not create the sandbox', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { operation: 'x', status: 500 });
    await sandbox.sendControl('PUT', '/faults', [{ status: 500 }, {}]);
    await sandbox.sendControl('PUT', '/faults', Array(3).fill({ where: { body: 'x'.repeat(9_000) }, status: 500 }));
    expectProblem(await sandbox.sendControl('GET', '/faults'), 404, 'unknown-sandbox');
  });
});
