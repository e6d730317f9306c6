import { expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

it('A property with the name of a keyword, such as type, can be a reference', async () => {
  const kind = { type: 'string', enum: ['film', 'concert'] };
  const event = createObject({ 'id!': { type: 'integer' }, 'type!': refer('Kind') });
  const { ask } = await startApi({
    paths: createResourcePaths('/events/{id}', refer('Event'), refer('NewEvent')),
    schemas: { Kind: kind, Event: event, NewEvent: createObject({ 'type!': refer('Kind') }) },
  });
  expect((await ask('POST', '/events', { type: 'film' })).body).toEqual({ id: 1, type: 'film' });
  expect((await ask('POST', '/events', { type: 'play' })).body.detail).toContain('type is "play"');
});
