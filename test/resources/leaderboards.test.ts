import { expect, it } from 'vitest';
import { createList, createObject, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const schemas = {
  User: createObject({ 'id!': TEXT, 'name!': TEXT, 'email!': TEXT }),
  Place: createObject({ 'id!': TEXT, 'name!': TEXT, 'points!': INTEGER, 'rank!': INTEGER }),
  Event: createObject({ 'id!': TEXT, 'action!': TEXT, 'actorId!': TEXT }),
};

it('A leaderboard and an audit log that no operation changes have existing users', async () => {
  const paths = {
    '/users': { get: { response: createList(refer('User')) } },
    '/leaderboard': { get: { response: createList(refer('Place')) } },
    '/audit': { get: { response: createList(refer('Event')) } },
  };
  const { ask } = await startApi({ paths, schemas });
  const users: readonly { id: string; name: string }[] = (await ask('GET', '/users')).body;
  const { body: places } = await ask('GET', '/leaderboard');
  expect(places.map(({ id, name, rank }: never) => ({ id, name, rank }))).toEqual(
    users.map(({ id, name }, index) => ({ id, name, rank: index + 1 })),
  );
  const points: readonly number[] = places.map((one: { points: number }) => one.points);
  expect(points).toEqual(points.toSorted((one, other) => other - one));
  for (const { actorId } of (await ask('GET', '/audit')).body) expect(users.map(({ id }) => id)).toContain(actorId);
});
