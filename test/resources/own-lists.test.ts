import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import {
  createList,
  createObject,
  createResourcePaths,
  type OperationParts,
  type Paths,
  refer,
  type Schema,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT }),
  Order: createObject({ 'id!': INTEGER, 'title!': TEXT, userId: INTEGER }),
  Line: createObject({ 'id!': INTEGER, 'text!': TEXT }),
};
const NewOrder = createObject({ 'title!': TEXT });

const ACCOUNTS = {
  '/register': {
    post: { isPublic: true, request: credentials, response: createObject({ 'token!': TEXT }), status: 201 },
  },
  '/login': { post: { isPublic: true, request: credentials, response: createObject({ 'token!': TEXT }) } },
  '/me': { get: { response: refer('User') } },
};

const orders = createResourcePaths('/orders/{orderId}', refer('Order'), NewOrder);

/** Returns the paths of orders whose list has a summary. */
function describeOrders(words: Pick<OperationParts, 'summary' | 'description' | 'operationId'>): Paths {
  return { ...ACCOUNTS, ...orders, '/orders': { ...orders['/orders'], get: { ...orders['/orders']?.get, ...words } } };
}

/** Starts a server, and registers Ann and Bob. */
async function start(paths: Paths, own: Readonly<Record<string, Schema>> = schemas, options: Options = {}) {
  const { ask } = await startApi({ paths, schemas: own, needsToken: true }, options);
  const register = async (email: string) => {
    const { body } = await ask('POST', '/register', { email, password: 'x' });
    return (method: string, path: string, sent?: unknown) =>
      ask(method, path, sent, { Authorization: `Bearer ${body.token}` });
  };
  return { ask, ann: await register('ann@example.com'), bob: await register('bob@example.com') };
}

describe('a list whose words say that it has the entries of the user', () => {
  it('has, with its entries and the lists below them, only those of the user of the token', async () => {
    const lines = createResourcePaths(
      '/orders/{orderId}/lines/{lineId}',
      refer('Line'),
      createObject({ 'text!': TEXT }),
    );
    const { ann, bob } = await start({ ...describeOrders({ summary: 'List my orders' }), ...lines });
    const { body: own } = await ann('POST', '/orders', { title: 'a' });
    const { body: other } = await bob('POST', '/orders', { title: 'b' });
    expect((await ann('GET', '/orders')).body).toEqual([own]);
    expect((await bob('GET', '/orders')).body).toEqual([other]);
    expect((await ann('GET', `/orders/${own.id}`)).body).toEqual(own);
    expect((await ann('POST', `/orders/${own.id}/lines`, { text: 'x' })).status).toBe(201);
    for (const [method, path, sent] of [
      ['GET', `/orders/${own.id}`],
      ['PUT', `/orders/${own.id}`, { title: 'c' }],
      ['DELETE', `/orders/${own.id}`],
      ['GET', `/orders/${own.id}/lines`],
      ['POST', `/orders/${own.id}/lines`, { text: 'y' }],
    ] as const)
      expect((await bob(method, path, sent)).status, `${method} ${path}`).toBe(404);
    expect((await ann('DELETE', `/orders/${own.id}`)).status).toBe(204);
    expect((await ann('GET', '/orders')).body).toEqual([]);
  });

  it('has all entries for credentials that name no user', async () => {
    const paths = describeOrders({ summary: 'List my orders' });
    const { ask, ann, bob } = await start(paths, schemas, { auth: ['other'] });
    await ann('POST', '/orders', { title: 'a' });
    await bob('POST', '/orders', { title: 'b' });
    const { body } = await ask('GET', '/orders', undefined, { Authorization: 'Bearer other' });
    expect(body).toMatchObject([{ title: 'a' }, { title: 'b' }]);
  });

  it('can have entries that a request creates for another user', async () => {
    const NewForUser = createObject({ 'title!': TEXT, userId: INTEGER });
    const { ann, bob } = await start({
      ...describeOrders({ summary: 'List my orders' }),
      ...createResourcePaths('/orders/{orderId}', refer('Order'), NewForUser),
      '/orders': {
        get: { response: createList(refer('Order')), summary: 'List my orders' },
        post: { status: 201, request: NewForUser, response: refer('Order') },
      },
    });
    const { id } = (await bob('GET', '/me')).body;
    await ann('POST', '/orders', { title: 'for Bob', userId: id });
    expect((await ann('GET', '/orders')).body).toEqual([]);
    expect((await bob('GET', '/orders')).body).toMatchObject([{ title: 'for Bob', userId: id }]);
  });

  it('shares its entries with the people whom other operations name', async () => {
    const { ann, bob } = await start({
      ...describeOrders({ summary: 'List my orders' }),
      '/orders/{orderId}/status': {
        patch: { summary: 'Change the status (staff only)', request: NewOrder, response: refer('Order') },
      },
    });
    const { body: own } = await ann('POST', '/orders', { title: 'a' });
    expect((await bob('GET', '/orders')).body).toEqual([]);
    expect((await bob('GET', `/orders/${own.id}`)).body).toEqual(own);
  });

  it('sets the only property with the id of the person who has an entry', async () => {
    const Order = createObject({ 'id!': INTEGER, 'title!': TEXT, customerId: INTEGER });
    const { ann, bob } = await start(describeOrders({ summary: "Get the user's orders" }), { ...schemas, Order });
    const { id } = (await ann('GET', '/me')).body;
    expect((await ann('POST', '/orders', { title: 'a' })).body).toMatchObject({ customerId: id });
    expect((await bob('GET', '/orders')).body).toEqual([]);
  });

  it('can be a list such as /bookings/my, although /bookings has no list', async () => {
    const Booking = createObject({ '_id!': TEXT, 'date!': TEXT, createdAt: { type: 'string', format: 'date-time' } });
    const sent = createObject({ 'date!': TEXT });
    const { ann, bob } = await start({
      ...ACCOUNTS,
      '/bookings': { post: { status: 201, request: sent, response: sent } },
      '/bookings/{id}': { patch: { request: sent, response: sent }, delete: { status: 204 } },
      '/bookings/my': { get: { response: createObject({ data: createList(Booking) }) } },
    });
    await ann('POST', '/bookings', { date: '2030-01-02' });
    const { data } = (await ann('GET', '/bookings/my')).body;
    expect(data).toMatchObject([{ date: '2030-01-02' }]);
    expect((await bob('GET', '/bookings/my')).body).toEqual({ data: [] });
    expect((await ann('DELETE', `/bookings/${data[0]._id}`)).status).toBe(204);
    expect((await ann('GET', '/bookings/my')).body).toEqual({ data: [] });
  });

  it.each([
    [{ summary: 'List my orders' }, true],
    [{ summary: 'Orders', description: 'Returns all orders owned by the current user.' }, true],
    [{ summary: 'Get orders of the authenticated user' }, true],
    [{ summary: 'Get the logged-in user’s past orders' }, true],
    [{ summary: 'Get your orders' }, true],
    [{ operationId: 'getMyOrders' }, true],
    [{ summary: 'List orders' }, false],
    [{ summary: 'Get user orders' }, false],
    [{ summary: 'Lists all orders. Requires the permissions of the current user.' }, false],
    [{ summary: 'List orders that are visible to the current user' }, false],
    [{ summary: 'List my orders, or all orders for an administrator' }, false],
    [{ summary: 'List the orders of each user’s team' }, false],
  ])('is recognized by its words: %j is %s', async (words, isOwn) => {
    const lines = await explainApi({ paths: describeOrders(words), schemas, needsToken: true });
    expect(lines['GET /orders']?.includes('of the user who sends the request')).toBe(isOwn);
  });
});

it('Explain says why a list for the user has the entries of all users', async () => {
  const paths = describeOrders({ description: 'Returns employees for the authenticated user' });
  const explain = async (own: Readonly<Record<string, Schema>>, needsToken = true) => {
    const text = JSON.stringify(paths).replaceAll('/orders', '/employees');
    return (await explainApi({ paths: JSON.parse(text), schemas: own, needsToken }))['GET /employees'];
  };
  expect(await explain(schemas)).toBe('real: lists employees of the user who sends the request');
  const Order = createObject({ 'id!': INTEGER, 'title!': TEXT });
  expect(await explain({ ...schemas, Order })).toBe(
    'real: lists employees (those of all users, because no property names the user)',
  );
  expect(await explain(schemas, false)).toBe(
    'real: lists employees (those of all users, because requests need no credentials)',
  );
});

it('A list of the entries that the user has joined is mocked, because others can have created them', async () => {
  const Order = createObject({ 'id!': INTEGER, 'title!': TEXT, userId: INTEGER });
  const list = createList(refer('Order'));
  const paths: Paths = {
    ...describeOrders({}),
    '/orders/me': { get: { description: 'Get all orders the authenticated user has joined', response: list } },
    '/me/orders/joined': { get: { summary: 'List the orders that you are a member of', response: list } },
    '/me/orders/owned': { get: { summary: 'Get all orders owned by the authenticated user', response: list } },
  };
  expect(await explainApi({ paths, schemas: { ...schemas, Order }, needsToken: true })).toMatchObject({
    'GET /orders/me': 'mocked: the document does not say how users join orders',
    'GET /me/orders/joined': 'mocked: the document does not say how users join orders',
    'GET /me/orders/owned': 'real: lists orders of the user who sends the request',
  });
  const Member = createObject({ 'user_id!': INTEGER, 'role!': TEXT });
  const members: Paths = {
    '/orders/{orderId}/members': {
      get: { response: createList(refer('Member')) },
      post: { request: Member, response: refer('Member'), status: 201 },
    },
    '/orders/{orderId}/members/{userId}': { delete: { status: 204 } },
  };
  const lines = await explainApi({
    paths: { ...paths, ...members },
    schemas: { ...schemas, Order, Member },
    needsToken: true,
  });
  expect(lines['GET /me/orders/joined']).toBe(
    'mocked: the document does not say whether a user has joined the orders that the user has created',
  );
});
