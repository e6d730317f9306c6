import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DomainError, type Handler } from '../../../src/index.ts';
import { folderWith } from '../../support/harness/folder-with.ts';
import { contractText, startWithContractFile, waitForLog, withReviews } from '../../support/harness/live-contract.ts';
import { expectProblem } from '../../support/harness/problems.ts';
import { startStorefront, type TestShop } from '../../support/harness/start-storefront.ts';

const WARNING = 40;
const ERROR = 50;

/** Returns a module whose `listReviews` returns one text. */
const reviews = (text: string) => `export const listReviews = () => ({ body: [${JSON.stringify(text)}] });`;

/** Returns the messages of the errors in the log. */
const getErrors = ({ log }: TestShop) => log.filter(({ level }) => level === ERROR).map(({ msg }) => msg);

/** Starts a shop with a contract that has `listReviews`, and with a module of handlers that can be saved. */
async function startWithHandlers({ name = 'handlers.mjs', text = reviews('first'), contract = withReviews } = {}) {
  const handlers = join(await folderWith({ [name]: text }), name);
  const live = await startWithContractFile({ handlers, verify: 'off' }, contract);
  const review = async () => (await live.shop.ask('GET', '/api/reviews')).body[0];
  return { ...live, handlers, saveHandlers: (next: string) => writeFile(handlers, next), review };
}

describe('a custom handler', () => {
  it('receives the request headers by their names in lower case', async () => {
    const seen: unknown[] = [];
    const listOrders: Handler<'listOrders'> = ({ headers }) => {
      seen.push(headers.authorization, headers['x-trace'], headers['x-missing']);
      return { body: [] };
    };
    const shop = await startStorefront({ handlers: { listOrders } });
    await shop.ask('GET', '/api/orders', undefined, { Authorization: 'Bearer abc', 'X-Trace': '7' });
    expect(seen).toEqual(['Bearer abc', '7', undefined]);
  });

  it('returns the problem of the code of its DomainError', async () => {
    const listOrders = () => {
      throw new DomainError('empty-cart', 'there is nothing');
    };
    const shop = await startStorefront({ handlers: { listOrders }, verify: 'off' });
    const reply = await shop.ask('GET', '/api/orders');
    expectProblem(reply, 409, 'empty-cart');
    expect(reply.body.detail).toBe('there is nothing');
  });

  it.each(['unknown-code', 'toString', undefined])(
    'causes a logged error and a 500 response for a DomainError with the unknown code %s',
    async (code) => {
      const listOrders = () => {
        throw Reflect.construct(DomainError, [code, 'no reviews today']);
      };
      const shop = await startStorefront({ handlers: { listOrders }, errorsExpected: true });
      const reply = await shop.ask('GET', '/api/orders');
      expectProblem(reply, 500, 'internal-error');
      expect(reply.body.detail).toContain(`unknown code ${JSON.stringify(code)} (no reviews today)`);
      expect(reply.body.detail).toContain('Use one of the codes unknown-product, ');
      expect(getErrors(shop)).toEqual([reply.body.detail]);
    },
  );

  it('causes a logged error if it returns something that is not a response', async () => {
    const shop = await startStorefront({ handlers: { listOrders: () => 7 as never }, errorsExpected: true });
    const reply = await shop.ask('GET', '/api/orders');
    expectProblem(reply, 500, 'internal-error');
    expect(getErrors(shop)).toEqual([reply.body.detail]);
  });
});

describe('a handlers module that is saved while the server runs', () => {
  it.each([
    ['handlers.mjs', reviews],
    ['handlers.cjs', (text: string) => `exports.listReviews = () => ({ body: [${JSON.stringify(text)}] });`],
  ])('is reloaded: %s', async (name, module) => {
    const { shop, saveHandlers, review } = await startWithHandlers({ name, text: module('first') });
    expect(await review()).toBe('first');
    await saveHandlers(module('second'));
    expect(await waitForLog(shop, 'was reloaded')).toMatch(/handlers\.[cm]js was reloaded: handlers of listReviews$/);
    expect(await review()).toBe('second');
  });

  it('mocks an operation again after its handler is removed', async () => {
    const { shop, saveHandlers } = await startWithHandlers();
    expect(shop.mocked).toEqual([]);
    await saveHandlers('export const listOrders = () => ({ body: [] });');
    await waitForLog(shop, 'was reloaded');
    expect((await shop.ask('GET', '/api/reviews')).headers.get('x-mocked')).toBe('operation');
    expect((await shop.ask('GET', '/api/orders')).body).toEqual([]);
  });

  it.each([
    ['does not parse', 'export const listReviews = (', /can't be loaded as a module with handlers/],
    ['throws', '\nthrow new Error("no database");', /no database \(line 2\)/],
    ['imports a missing module', 'import "./nothing.mjs";', /nothing\.mjs/],
    [
      'exports something that is not a function',
      'export const listReviews = [];',
      /listReviews is not a handler: use a function/,
    ],
    [
      'exports a handler of an unknown operation',
      'export const placeOrder = () => ({});',
      /handlers\.mjs exports placeOrder, but the contract has no operation placeOrder: export only functions with these names: list/,
    ],
  ])('keeps the previous handlers if it %s', async (_, text, reason) => {
    const { shop, saveHandlers, review } = await startWithHandlers();
    await saveHandlers(text);
    expect(await waitForLog(shop, 'The previous handlers stay in use', WARNING)).toMatch(reason);
    expect(await review()).toBe('first');
    await saveHandlers(reviews('repaired'));
    await waitForLog(shop, 'was reloaded');
    expect(await review()).toBe('repaired');
  });

  it('can add the handler of a new operation before the contract defines it', async () => {
    const { shop, save, saveHandlers, review } = await startWithHandlers({
      contract: contractText,
      text: 'export const listOrders = () => ({ body: [] });',
    });
    await saveHandlers(reviews('early'));
    await waitForLog(shop, 'has no operation listReviews', WARNING);
    await save(withReviews);
    await waitForLog(shop, 'new operations: listReviews');
    expect(await review()).toBe('early');
  });

  it('keeps the previous handlers if it has a handler of an operation that a reloaded contract does not define', async () => {
    const { shop, save, saveHandlers, review } = await startWithHandlers();
    await saveHandlers('export const placeOrder = () => ({});');
    await waitForLog(shop, 'has no operation placeOrder', WARNING);
    await save(withReviews.replace('description: The reviews', 'description: All reviews'));
    await waitForLog(shop, 'was reloaded');
    const warning = 'handlers.mjs exports placeOrder, but the contract has no operation placeOrder: export only';
    await expect.poll(() => shop.log.filter(({ msg }) => msg?.includes(warning)).length, { timeout: 60_000 }).toBe(2);
    expect(shop.log.map(({ msg }) => msg)).not.toContainEqual(expect.stringContaining('The previous contract'));
    expect(await review()).toBe('first');
  });

  it('can remove the handler of an operation after the contract removes the operation', async () => {
    const { shop, save, saveHandlers } = await startWithHandlers();
    await save(contractText);
    await waitForLog(shop, 'has no operation listReviews', WARNING);
    await saveHandlers('export const listOrders = () => ({ body: [] });');
    await waitForLog(shop, 'removed operations: listReviews');
    expect((await shop.ask('GET', '/api/reviews')).status).toBe(404);
  });
});
