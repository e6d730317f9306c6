import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const ID = { type: 'integer' };

const schemas = {
  Booking: createObject({ 'id!': ID, 'guest!': TEXT }),
  Payment: createObject({ 'id!': ID, 'bookingId!': ID, 'method!': TEXT }),
};

const pay = { status: 201, request: createObject({ 'method!': TEXT }), response: refer('Payment') };
const PATHS = {
  ...createResourcePaths('/bookings/{bookingId}', refer('Booking'), createObject({ 'guest!': TEXT })),
  '/bookings/{bookingId}/payments': { post: pay },
};

it('A POST of entries that another path lists creates them', async () => {
  const paths = { ...PATHS, '/payments': { get: { response: createList(refer('Payment')) } } };
  const { ask } = await startApi({ paths, schemas });
  for (const guest of ['Ann', 'Bob']) await ask('POST', '/bookings', { guest });
  expect((await ask('POST', '/bookings/2/payments', { method: 'card' })).body).toEqual({
    id: 1,
    bookingId: 2,
    method: 'card',
  });
  expect((await ask('GET', '/payments')).body).toEqual([{ id: 1, bookingId: 2, method: 'card' }]);
  expect((await ask('POST', '/bookings/9/payments', { method: 'card' })).status).toBe(404);
});

it('A POST with 201 and entries of its own creates them, also if no path lists them', async () => {
  expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
    'POST /bookings/{bookingId}/payments': 'real: creates a payment of /bookings/{bookingId}',
  });
  const { ask } = await startApi({ paths: PATHS, schemas });
  await ask('POST', '/bookings', { guest: 'Ann' });
  for (const id of [1, 2])
    expect((await ask('POST', '/bookings/1/payments', { method: 'card' })).body).toMatchObject({ id, bookingId: 1 });
});

it('A POST that responds with 200, or with the entry above, creates nothing', async () => {
  const paths = {
    ...PATHS,
    '/bookings/{bookingId}/payments': { post: { ...pay, status: 200 } },
    '/bookings/{bookingId}/guests': {
      post: { status: 201, request: createObject({ 'guest!': TEXT }), response: refer('Booking') },
    },
  };
  expect(await explainApi({ paths, schemas })).toMatchObject({
    'POST /bookings/{bookingId}/payments': expect.stringMatching(/^mocked/),
    'POST /bookings/{bookingId}/guests': expect.stringMatching(/^mocked/),
  });
});
