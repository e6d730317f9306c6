import { describe, expect, it } from 'vitest';
import { expectProblem } from '../support/harness/problems.ts';
import { useSharedShop } from '../support/harness/shared-shop.ts';

const { newSandbox } = useSharedShop();

const searchMatcher = (where: object) => ({ operation: 'listProducts', where: { query: { search: where } } });

/** Patterns and texts for which a backtracking engine takes practically forever. */
const HOSTILE: readonly (readonly [pattern: string, text: string])[] = [
  ['^.{0,250}.{0,250}.{0,250}.{0,250}!$', 'a'.repeat(1_000)],
  [`${'(a|a)'.repeat(26)}b`, 'a'.repeat(40)],
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  ['x*y', 'x'.repeat(60_000)],
];

describe('a regular expression that causes catastrophic backtracking elsewhere', () => {
  it.each(HOSTILE)('is evaluated in a fault: %s', async (pattern, text) => {
    const sandbox = newSandbox();
    const added = await sandbox.sendControl('POST', '/faults', { ...searchMatcher({ $regex: pattern }), status: 503 });
    expect(added.status).toBe(200);
    expect((await sandbox.ask('GET', `/api/products?search=${text}`)).status).toBe(200);
    expect((await sandbox.sendControl('GET', '/faults')).body).toMatchObject([
      { matched: 0, applied: 0, expired: false },
    ]);
  });

  it.each(HOSTILE)('is evaluated in a count and a verification of requests: %s', async (pattern, text) => {
    const sandbox = newSandbox();
    // The journal stores the first 8,000 characters of a URL.
    await sandbox.ask('GET', `/api/products?search=${text.slice(0, 7_900)}`);
    const { body } = await sandbox.sendControl('POST', '/requests/count', searchMatcher({ $regex: pattern }));
    expect(body).toEqual({ count: 0 });
    const verdict = await sandbox.sendControl('POST', '/requests/verify', {
      ...searchMatcher({ $regex: pattern }),
      times: 0,
    });
    expect(verdict.body.verified).toBe(true);
  });
});

describe('an unsupported regular expression', () => {
  it.each([
    ['(?=a)b', /lookaround or a backreference, which are not supported/],
    ['(a)\\1', /lookaround or a backreference, which are not supported/],
    ['((a{0,40}){0,40}){0,2}', /invalid repeat count/],
    ['((a{0,100}){0,100}){0,100}', /repetitions, such as/],
    ['.{0,999}'.repeat(12), /repetitions, such as/],
  ])('is rejected with a JSON Pointer and the reason: %s', async (pattern, reason) => {
    const sandbox = newSandbox();
    const where = searchMatcher({ $regex: pattern });
    for (const [path, body] of [
      ['/faults', { ...where, status: 503 }],
      ['/requests/count', where],
      ['/requests/verify', where],
    ] as const) {
      await sandbox.ask('GET', '/api/products');
      const reply = await sandbox.sendControl('POST', path, body);
      expectProblem(reply, 400, 'invalid-matcher', path);
      expect(reply.body.detail).toMatch(reason);
      expect(reply.body.violations[0].pointer).toMatch(/^\/where/);
    }
  });

  it('is rejected if the faults of the sandbox become too large in total', async () => {
    const sandbox = newSandbox();
    const large = { ...searchMatcher({ $regex: '^.{0,900}.{0,900}.{0,900}.{0,900}!$' }), status: 503 };
    expect((await sandbox.sendControl('PUT', '/faults', [large, large])).status).toBe(200);
    expectProblem(await sandbox.sendControl('POST', '/faults', large), 409, 'limit-reached');
  });
});

describe('a large regular expression', () => {
  const large = '.{0,999}a.{0,999}b.{0,999}a.{0,999}!';
  const long = `!${'ab'.repeat(25_000)}`;

  it('expires its fault if the evaluation of a request takes too long', async () => {
    const sandbox = newSandbox();
    await sandbox.sendControl('POST', '/faults', { ...searchMatcher({ $regex: large }), status: 503 });
    expect((await sandbox.ask('GET', `/api/products?search=${long}`)).status).toBe(200);
    expect((await sandbox.sendControl('GET', '/faults')).body).toMatchObject([
      { matched: 0, applied: 0, expired: true },
    ]);
  });

  it('is rejected by a verification if the evaluation of the journal takes too long', async () => {
    const sandbox = newSandbox();
    await sandbox.ask('GET', `/api/products?search=${long.slice(0, 7_900)}`);
    const reply = await sandbox.sendControl('POST', '/requests/verify', searchMatcher({ $regex: large }));
    expectProblem(reply, 400, 'invalid-matcher');
    expect(reply.body.detail).toMatch(/too large for a request of \d+ bytes/);
  });

  it('is rejected by a verification if there are too many requests', async () => {
    const sandbox = newSandbox();
    for (let n = 0; n < 100; n++) await sandbox.ask('GET', `/api/products?search=${long.slice(0, 3_000)}`);
    const reply = await sandbox.sendControl('POST', '/requests/verify', searchMatcher({ $regex: '.{0,500}a!' }));
    expectProblem(reply, 400, 'invalid-matcher');
    expect(reply.body.detail).toMatch(/too large for 100 requests of \d+ bytes/);
  });

  it('is rejected if it has more than 20 Unicode classes', async () => {
    const send = (count: number) =>
      newSandbox().sendControl('POST', '/faults', {
        ...searchMatcher({ $regex: '[\\pL\\pN]'.repeat(count / 2) }),
        status: 503,
      });
    expect((await send(20)).status).toBe(200);
    const reply = await send(22);
    expectProblem(reply, 400, 'invalid-matcher');
    expect(reply.body.detail).toContain('has more than 20 Unicode classes, such as \\pL: use fewer classes');
  });

  it.each([
    '.{0,999}'.repeat(5),
    `(?:${'x'.repeat(480)}){500}`,
    '(?:(?:[ab]{30}){30}){5}',
    '\\d{999}\\pL{999}x{999}y{999}z{10}',
  ])('is rejected if its repetitions are too many: %s', async (source) => {
    const reply = await newSandbox().sendControl('POST', '/faults', {
      ...searchMatcher({ $regex: source }),
      status: 503,
    });
    expectProblem(reply, 400, 'invalid-matcher');
    expect(reply.body.detail).toContain('when its repetitions, such as {0,999}, are written out: use smaller numbers');
  });
});
