import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, type OperationParts, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean', default: false };

const Visit = createObject({
  'id!': TEXT,
  'name!': TEXT,
  status: { type: 'string', enum: ['booked', 'checked_in', 'no_show'], default: 'booked' },
  state: { type: 'string', enum: ['draft', 'published'], default: 'draft' },
  isDefault: FLAG,
  read: FLAG,
  unpaid: FLAG,
  hidden: FLAG,
  archived: FLAG,
  enabled: FLAG,
  avatar: TEXT,
  seats: { type: 'integer', default: 9 },
});

const visit: OperationParts = { response: refer('Visit') };

/** The explanations of actions by the last segments of their paths. Each action is a POST without a body. */
const ACTIONS = {
  'no-show': 'marks a visit as no-show: status → "no_show"',
  'check-in': 'checks in a visit: status → "checked_in"',
  default: 'marks a visit as default: isDefault → true',
  'set-default': 'marks a visit as default: isDefault → true',
  'mark-as-read': 'marks a visit as read: read → true',
  unread: 'marks a visit as unread: read → false',
  paid: 'marks a visit as paid: unpaid → false',
  hide: 'hides a visit: hidden → true',
  show: 'shows a visit: hidden → false',
  restore: 'restores a visit: archived → false',
  disable: 'disables a visit: enabled → false',
  unpublish: 'unpublishes a visit: state → "draft"',
};

const PATHS = {
  ...createResourcePaths('/visits/{visitId}', refer('Visit'), createObject({ 'name!': TEXT })),
  ...Object.fromEntries(Object.keys(ACTIONS).map((word) => [`/visits/{visitId}/${word}`, { post: visit }])),
  '/visits/{visitId}/constructor': { post: visit },
  '/visits/{visitId}/avatar': { post: { ...visit, request: createObject({ 'avatar!': TEXT }) } },
  '/visits/{visitId}/update-name': { post: { ...visit, request: createObject({ 'name!': TEXT }) } },

  '/visits/{visitId}/name': {
    post: { response: TEXT, responseType: 'text/html', request: createObject({ name: TEXT }) },
  },
  '/visits/{visitId}/decrease': { put: { ...visit, request: createObject({ 'seats!': { type: 'integer' } }) } },
  '/visits/{visitId}/add-seats': { post: { ...visit, request: createObject({ 'seats!': { type: 'integer' } }) } },
  '/visits/{visitId}/archive': { put: { ...visit, request: createObject({ archived: FLAG }) } },
  '/visits/{visitId}/enable': {
    put: { request: createObject({ 'enabled!': FLAG }), response: createObject({ 'jobs!': { type: 'integer' } }) },
  },
};

describe('The word for an action in a path', () => {
  it('is a verb in the explanation, unless it names a state or a property', async () => {
    const explained = await explainApi({ paths: PATHS, schemas: { Visit } });
    expect(explained).toMatchObject(
      Object.fromEntries(
        Object.entries(ACTIONS).map(([word, line]) => [`POST /visits/{visitId}/${word}`, `real: ${line}`]),
      ),
    );
    expect(explained).toMatchObject({
      'POST /visits/{visitId}/constructor': 'mocked: an action: the document does not say what the action changes',
      // The client sends the value, and the response does not say whether it is set.
      'PUT /visits/{visitId}/enable': 'mocked: an action: the document does not say what the action changes',
      'POST /visits/{visitId}/name': 'mocked: an action: the document does not say what the action changes',
      'POST /visits/{visitId}/avatar': 'real: changes the avatar of a visit: sets the properties in the body',
      'PUT /visits/{visitId}/decrease': 'real: decreases a visit: seats - the number in the body',
      'POST /visits/{visitId}/update-name': 'real: updates the name of a visit: sets the properties in the body',
    });
  });

  it('changes what it names', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas: { Visit } });
    const { body } = await ask('POST', '/visits', { name: 'A' });
    const act = async (word: string) => (await ask('POST', `/visits/${body.id}/${word}`)).body;
    expect([(await act('check-in')).status, (await act('no-show')).status]).toEqual(['checked_in', 'no_show']);
    expect([(await act('hide')).hidden, (await act('show')).hidden]).toEqual([true, false]);
    expect((await act('unpublish')).state).toBe('draft');
  });

  it('says less than a value in the body', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas: { Visit } });
    const { body } = await ask('POST', '/visits', { name: 'A' });
    const archive = async (sent: object) => (await ask('PUT', `/visits/${body.id}/archive`, sent)).body.archived;
    expect([await archive({}), await archive({ archived: false }), await archive({ archived: true })]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('adds or subtracts the number in the body', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas: { Visit } });
    const { body } = await ask('POST', '/visits', { name: 'A' });
    expect((await ask('PUT', `/visits/${body.id}/decrease`, { seats: 4 })).body.seats).toBe(5);
    expect((await ask('POST', `/visits/${body.id}/add-seats`, { seats: 2 })).body.seats).toBe(7);
    expect((await ask('GET', `/visits/${body.id}`)).body.seats).toBe(7);
  });

  it('changes no property if it names an object in a list of the entry', async () => {
    const content = createObject({ 'content!': TEXT });
    const Post = createObject({ 'id!': TEXT, 'content!': TEXT, comments: { type: 'array', items: content } });
    const paths = {
      ...createResourcePaths('/posts/{postId}', refer('Post'), content),
      '/posts/{postId}/comment': { post: { request: content, response: refer('Post') } },
    };
    const { ask } = await startApi({ paths, schemas: { Post } });
    const { id } = (await ask('POST', '/posts', { content: 'First' })).body;
    const commented = await ask('POST', `/posts/${id}/comment`, { content: 'Nice' });
    expect(commented.headers.get('x-mocked')).toBe('operation');
    expect((await ask('GET', `/posts/${id}`)).body).toMatchObject({ content: 'First' });
  });
});
