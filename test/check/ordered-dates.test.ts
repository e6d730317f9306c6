import { expect, it } from 'vitest';
import { createApiDocument, createObject, type Paths } from '../support/fixtures/api-document.ts';
import { checkApi } from '../support/harness/check-api.ts';

const DATE = { type: 'string', format: 'date' };
const TRIP = createObject({ 'id!': { type: 'string', readOnly: true }, 'start!': DATE, 'turn!': DATE, 'end!': DATE });

const PATHS: Paths = {
  '/trips': { post: { status: 201, request: TRIP, response: TRIP, errors: [400, 422] } },
  '/trips/{id}': { get: { response: TRIP, errors: [404] } },
};

/** Checks a server that refuses a trip with 422 if its dates are not in order. Returns the number of read trips. */
async function countReads(seed: number): Promise<number> {
  const trips = new Map<string, object>();
  const { results } = await checkApi(
    JSON.parse(createApiDocument(PATHS)),
    ({ method, path, json }) => {
      if (method === 'GET') return trips.has(path) ? { status: 200, body: trips.get(path) } : { status: 404, body: {} };
      const dates = ['start', 'turn', 'end'].map((name) => Object(json)[name]);
      if (!dates.every((date) => /^\d{4}-\d\d-\d\d$/.test(date))) return { status: 400, body: {} };
      if (dates.join() !== dates.toSorted().join()) return { status: 422, body: {} };
      const [start, turn, end] = dates;
      const trip = { id: `t${trips.size + 1}`, start, turn, end };
      trips.set(`/trips/${trip.id}`, trip);
      return { status: 201, body: trip };
    },
    { seed, runs: 3, only: ['getTripsById'] },
  );
  return results.getCount('input', 'getTripsById', '200')?.seen ?? 0;
}

it.each([1, 2, 3, 4, 5, 6])('a resource whose dates must be in order is created, with the seed %i', async (seed) => {
  expect(await countReads(seed)).toBeGreaterThan(0);
});
