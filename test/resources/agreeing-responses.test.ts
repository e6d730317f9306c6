import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
const token = createObject({ 'token!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'username!': TEXT, 'email!': TEXT, following: { type: 'boolean' } }),
  Post: createObject({ 'id!': INTEGER, 'title!': TEXT, author_id: INTEGER, author_name: TEXT, price_cents: INTEGER }),
  Review: createObject({ 'id!': INTEGER, 'rating!': INTEGER }),
};

const follow = { post: { response: refer('User'), errors: [409] } };
const meta = createObject({ 'averageRating!': { type: 'number' }, 'total!': INTEGER });
const posts = createResourcePaths(
  '/posts/{postId}',
  refer('Post'),
  createObject({ 'title!': TEXT, price_cents: INTEGER }),
);

const PATHS: Paths = {
  '/register': {
    post: {
      isPublic: true,
      status: 201,
      request: createObject({ 'email!': TEXT, 'username!': TEXT, 'password!': TEXT }),
      response: token,
    },
  },
  '/login': { post: { isPublic: true, request: credentials, response: token } },
  '/logout': { post: { status: 204 } },
  '/me': {
    get: { response: refer('User') },
    patch: {
      request: createObject({ username: TEXT, email: TEXT }),
      response: createObject({ 'success!': { type: 'boolean' } }),
    },
  },
  '/users': { get: { response: createList(refer('User')) } },
  '/users/{id}': { parameters: { id: INTEGER }, get: { response: refer('User') } },
  '/users/{id}/follow': { parameters: { id: INTEGER }, ...follow },
  '/users/{id}/followers': { parameters: { id: INTEGER }, get: { response: createList(refer('User')) } },
  ...posts,
  '/posts': {
    ...posts['/posts'],
    get: {
      query: { sort: { ...TEXT, enum: ['price_asc', 'price_desc'] }, title: TEXT },
      descriptions: { title: 'Filters by the title (case-insensitive)' },
      response: createList(refer('Post')),
    },
  },
  '/posts/{postId}/reviews': {
    get: { response: createObject({ 'data!': createList(refer('Review')), 'meta!': meta }) },
    post: { status: 201, request: createObject({ 'rating!': INTEGER }), response: refer('Review') },
  },
};

async function start() {
  const { ask } = await startApi({ paths: PATHS, schemas, needsToken: true });
  const user = { email: 'ann@example.com', username: 'ann', password: 'x' };
  const { body } = await ask('POST', '/register', user);
  const ann = (method: string, path: string, sent?: unknown) =>
    ask(method, path, sent, { Authorization: `Bearer ${body.token}` });
  return { ask, ann };
}

describe('The responses of a backend', () => {
  it('refuse a user who follows itself', async () => {
    const { ann } = await start();
    const { id } = (await ann('GET', '/me')).body;
    expect((await ann('POST', `/users/${id}/follow`)).status).toBe(409);
    expect((await ann('GET', `/users/${id}/followers`)).body).toEqual([]);
  });

  it('show the user name beside the id of the author', async () => {
    const { ann } = await start();
    const { body } = await ann('POST', '/posts', { title: 'a' });
    expect(body).toMatchObject({ author_id: expect.any(Number), author_name: 'ann' });
  });

  it('sort by a price in cents', async () => {
    const { ann } = await start();
    for (const price of [3, 1, 2]) await ann('POST', '/posts', { title: 'a', price_cents: price });
    const prices = async (sort: string) =>
      (await ann('GET', `/posts?sort=${sort}`)).body.map((one: { price_cents: number }) => one.price_cents);
    expect(await prices('price_asc')).toEqual([1, 2, 3]);
    expect(await prices('price_desc')).toEqual([3, 2, 1]);
  });

  it('have the average of a number of all entries beside a list', async () => {
    const { ann } = await start();
    await ann('POST', '/posts', { title: 'a' });
    expect((await ann('GET', '/posts/1/reviews')).body.meta).toEqual({ averageRating: 0, total: 0 });
    for (const rating of [2, 5]) await ann('POST', '/posts/1/reviews', { rating });
    expect((await ann('GET', '/posts/1/reviews')).body.meta).toEqual({ averageRating: 3.5, total: 2 });
  });

  it('show the change of the user by an operation whose response does not show the user', async () => {
    const { ann } = await start();
    expect((await ann('PATCH', '/me', { username: 'annie' })).body).toEqual({ success: true });
    expect((await ann('GET', '/me')).body).toMatchObject({ username: 'annie', email: 'ann@example.com' });
  });

  it('ignore uppercase letters in a filter whose description says so', async () => {
    const { ann } = await start();
    await ann('POST', '/posts', { title: 'Herbert' });
    expect((await ann('GET', '/posts?title=herbert')).body).toHaveLength(1);
    expect((await ann('GET', '/posts?title=herb')).body).toEqual([]);
  });

  it('have a valid token for a repeated login with an idempotency key', async () => {
    const { ask } = await start();
    const logIn = async () => {
      const sent = { email: 'ann@example.com', password: 'x' };
      const { body } = await ask('POST', '/login', sent, { 'Idempotency-Key': 'one' });
      return { Authorization: `Bearer ${body.token}` };
    };
    await ask('POST', '/logout', undefined, await logIn());
    expect((await ask('GET', '/me', undefined, await logIn())).status).toBe(200);
  });
});

const TIME = { type: 'string', format: 'date-time' };
const NULL_TIME = { type: ['string', 'null'], format: 'date-time' };
const ID_PATH = '/classes/{classId}';
const NewClass = createObject({ 'title!': TEXT, 'startsAt!': TIME, 'trainerId!': INTEGER });

/** A gym whose classes show their trainers, and whose bookings show their classes. */
const GYM = {
  needsToken: true,
  schemas: {
    Member: createObject({ 'id!': INTEGER, 'email!': TEXT, 'fullName!': TEXT }),
    Trainer: createObject({ 'id!': INTEGER, 'name!': TEXT, 'ratingAverage!': { type: ['number', 'null'] } }),
    Class: createObject({ 'id!': INTEGER, 'title!': TEXT, 'startsAt!': TIME, 'trainer!': refer('Trainer') }),
    Booking: createObject({ 'id!': INTEGER, 'class!': refer('Class'), checkedInAt: NULL_TIME }),
    Review: createObject({
      'id!': INTEGER,
      'rating!': INTEGER,
      'member!': createObject({ 'id!': INTEGER, 'fullName!': TEXT }),
    }),
    Profile: createObject({ userId: TEXT, bio: TEXT }),
  },
  paths: {
    '/signup': {
      post: {
        isPublic: true,
        status: 201,
        request: createObject({ 'email!': TEXT, 'fullName!': TEXT, 'password!': TEXT }),
        response: createObject({ 'token!': TEXT, 'member!': refer('Member') }),
      },
    },
    '/login': { post: { isPublic: true, request: credentials, response: token } },
    '/me': { get: { response: refer('Member') } },
    ...createResourcePaths('/trainers/{trainerId}', refer('Trainer'), createObject({ 'name!': TEXT })),
    '/trainers/{trainerId}/restore': { post: { summary: 'Restore a deleted trainer', response: refer('Trainer') } },
    '/trainers/{trainerId}/reviews': {
      get: { response: createList(refer('Review')) },
      post: { status: 201, request: createObject({ 'rating!': INTEGER }), response: refer('Review') },
    },
    ...createResourcePaths(ID_PATH, refer('Class'), NewClass),
    '/classes/upcoming': { get: { response: createList(refer('Class')) } },
    [`${ID_PATH}/bookings`]: {
      get: { response: createList(refer('Booking')) },
      post: { status: 201, response: refer('Booking') },
    },
    '/bookings/{bookingId}': { get: { response: refer('Booking') } },
    '/bookings/{bookingId}/check-in': { post: { response: refer('Booking'), errors: [409] } },
    '/profile': {
      post: { status: 201, request: refer('Profile') },
      put: { request: refer('Profile') },
    },
    '/profile/{userId}': { get: { response: refer('Profile') } },
  },
} satisfies Parameters<typeof startApi>[0];

async function startGym() {
  const { ask } = await startApi(GYM);
  const sent = { email: 'ann@x.test', fullName: 'Ann', password: 'pass' };
  const { body } = await ask('POST', '/signup', sent);
  const ann = (method: string, path: string, request?: unknown) =>
    ask(method, path, request, { Authorization: `Bearer ${body.token}` });
  await ann('POST', '/trainers', { name: 'Bo' });
  for (const startsAt of ['2999-01-01T00:00:00Z', '2000-01-01T00:00:00Z'])
    await ann('POST', '/classes', { title: 'Yoga', startsAt, trainerId: 1 });
  return { ann, id: body.member.id };
}

describe('Responses about a gym', () => {
  it('show the new booking of a class, and not another one with the class', async () => {
    const { ann } = await startGym();
    const { body } = await ann('POST', '/classes/1/bookings');
    expect(body).toMatchObject({ id: 1, class: { id: 1, trainer: { id: 1, name: 'Bo' } } });
    expect((await ann('GET', '/bookings/1')).body).toEqual(body);
  });

  it('refuse an action whose time is already set', async () => {
    const { ann } = await startGym();
    await ann('POST', '/classes/1/bookings');
    const { checkedInAt } = (await ann('POST', '/bookings/1/check-in')).body;
    expect((await ann('POST', '/bookings/1/check-in')).status).toBe(409);
    expect((await ann('GET', '/bookings/1')).body.checkedInAt).toBe(checkedInAt);
  });

  it('show the member of the token in a review, and its rating in the average', async () => {
    const { ann, id } = await startGym();
    const { body } = await ann('POST', '/trainers/1/reviews', { rating: 4 });
    expect(body.member).toEqual({ id, fullName: 'Ann' });
    expect((await ann('GET', '/trainers/1')).body.ratingAverage).toBe(4);
  });

  it('have only classes that have not begun in the upcoming ones', async () => {
    const { ann } = await startGym();
    expect((await ann('GET', '/classes/upcoming')).body).toMatchObject([{ id: 1 }]);
  });

  it('show a deleted trainer of a class as it was', async () => {
    const { ann } = await startGym();
    await ann('DELETE', '/trainers/1');
    expect((await ann('GET', '/trainers/1')).status).toBe(404);
    expect((await ann('GET', '/classes/1')).body.trainer).toMatchObject({ id: 1, name: 'Bo' });
  });

  it('have the profile of the user of the token, which a request without its id changes', async () => {
    const { ann, id } = await startGym();
    expect((await ann('PUT', '/profile', { bio: 'a' })).status).toBe(404);
    await ann('POST', '/profile', { bio: 'a' });
    await ann('PUT', '/profile', { bio: 'b' });
    expect((await ann('GET', `/profile/${id}`)).body).toMatchObject({ bio: 'b' });
  });
});
