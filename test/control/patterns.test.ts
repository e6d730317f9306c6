import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/harness/problems.ts';
import { sharedShop } from '../support/harness/shared-shop.ts';

const { room } = sharedShop();

const searching = (where: object) => ({ operation: 'listProducts', where: { query: { search: where } } });

/** Expressions and texts on which an engine that backtracks never ends. */
const HOSTILE: readonly (readonly [pattern: string, text: string])[] = [
  ['^.{0,999}.{0,999}.{0,999}.{0,999}!$', 'a'.repeat(1_000)],
  [`${'(a|a)'.repeat(26)}b`, 'a'.repeat(40)],
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  ['x*y', 'x'.repeat(60_000)],
];

describe('a regular expression that an engine with backtracking never ends with', () => {
  it.each(HOSTILE)('decides whether a fault applies: %s', async (pattern, text) => {
    const here = room();
    const added = await here.steer('POST', '/faults', { ...searching({ $regex: pattern }), status: 503 });
    expect(added.status).toBe(200);
    expect((await here.ask('GET', `/api/products?search=${text}`)).status).toBe(200);
    expect((await here.steer('GET', '/faults')).body).toMatchObject([{ matched: 0, applied: 0, expired: false }]);
  });

  it.each(HOSTILE)('decides how many requests of the journal are meant: %s', async (pattern, text) => {
    const here = room();
    await here.ask('GET', `/api/products?search=${text}`);
    const { body } = await here.steer('POST', '/requests/count', searching({ $regex: pattern }));
    expect(body).toEqual({ count: 0 });
    const verdict = await here.steer('POST', '/requests/verify', { ...searching({ $regex: pattern }), times: 0 });
    expect(verdict.body.verified).toBe(true);
  });
});

describe('a regular expression that is refused', () => {
  it.each([
    ['(?=a)b', /lookaround or a backreference, which are not supported/],
    ['(a)\\1', /lookaround or a backreference, which are not supported/],
    ['((a{0,100}){0,100}){0,100}', /invalid repeat count/],
    ['.{0,999}'.repeat(12), /more than 10000 instructions/],
  ])('is told with its place and the reason: %s', async (pattern, reason) => {
    const here = room();
    const where = searching({ $regex: pattern });
    for (const [path, body] of [
      ['/faults', { ...where, status: 503 }],
      ['/requests/count', where],
      ['/requests/verify', where],
    ] as const) {
      await here.ask('GET', '/api/products');
      const reply = await here.steer('POST', path, body);
      expectProblem(reply, 400, 'invalid-matcher', path);
      expect(reply.body.detail).toMatch(reason);
      expect(reply.body.violations[0].pointer).toMatch(/^\/where/);
    }
  });

  it('is one of those that are too large together', async () => {
    const here = room();
    const large = { ...searching({ $regex: '^.{0,900}.{0,900}.{0,900}.{0,900}!$' }), status: 503 };
    expect((await here.steer('PUT', '/faults', [large, large])).status).toBe(200);
    expectProblem(await here.steer('POST', '/faults', large), 409, 'limit-reached');
  });
});

describe('a regular expression that is large', () => {
  const large = '.{0,999}a.{0,999}b.{0,999}a.{0,999}!';
  const long = `!${'ab'.repeat(25_000)}`;

  it('ends its fault with a request that it would take too long for', async () => {
    const here = room();
    await here.steer('POST', '/faults', { ...searching({ $regex: large }), status: 503 });
    expect((await here.ask('GET', `/api/products?search=${long}`)).status).toBe(200);
    expect((await here.steer('GET', '/faults')).body).toMatchObject([{ matched: 0, applied: 0, expired: true }]);
  });

  it('is refused for a journal that it would take too long for', async () => {
    const here = room();
    await here.ask('GET', `/api/products?search=${long}`);
    const reply = await here.steer('POST', '/requests/verify', searching({ $regex: large }));
    expectProblem(reply, 400, 'invalid-matcher');
    expect(reply.body.detail).toMatch(/too large for 1 requests/);
  });
});
