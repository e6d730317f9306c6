import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const schemas = {
  Post: createObject({ 'id!': TEXT, 'title!': TEXT }),
  Comment: createObject({ 'id!': TEXT, 'text!': TEXT }),
};
const request = createObject({ 'text!': TEXT });
const comments = {
  get: { response: createObject({ data: createList(refer('Comment')) }) },
  post: { request, response: refer('Comment'), status: 201 },
};

function createPaths(item: Paths[string], nested?: Paths[string]): Paths {
  return {
    '/posts': {
      get: { response: createList(refer('Post')) },
      post: { request: createObject({ title: TEXT }), response: refer('Post'), status: 201 },
    },
    '/posts/{postId}': { delete: { status: 204 } },
    '/posts/{postId}/comments': comments,
    ...(nested && { '/posts/{postId}/comments/{commentId}': nested }),
    '/comments/{commentId}': item,
  };
}

describe('The path of an entry without a list of its own', () => {
  it.each([
    ['DELETE', { delete: { status: 204 } }, 'deletes a comment', undefined],
    ['PATCH', { patch: { request, status: 204 } }, 'updates a comment', 'new'],
    ['PUT', { put: { request, status: 204 } }, 'replaces a comment', 'new'],
  ] as const)('has the entries that a path below another entry lists: %s', async (method, item, explanation, text) => {
    const paths = createPaths(item);
    expect(await explainApi({ paths, schemas })).toMatchObject({
      [`${method} /comments/{commentId}`]: expect.stringContaining(`real: ${explanation}`),
    });
    const { ask } = await startApi({ paths, schemas });
    const { body: post } = await ask('POST', '/posts', { title: 'A' });
    const { body: comment } = await ask('POST', `/posts/${post.id}/comments`, { text: 'old' });
    const body = text && { text };
    expect((await ask(method, `/comments/${comment.id}`, body)).status).toBe(204);
    const { data } = (await ask('GET', `/posts/${post.id}/comments`)).body;
    expect(data.map((one: { text: string }) => one.text)).toEqual(text ? [text] : []);
    expect((await ask(method, '/comments/unknown', body)).status).toBe(404);
  });

  it('has the entries of the path below another entry, also if both delete them', async () => {
    const { ask } = await startApi({
      paths: createPaths({ delete: { status: 204 } }, { delete: { status: 204 } }),
      schemas,
    });
    const { body: post } = await ask('POST', '/posts', { title: 'A' });
    const create = async () => (await ask('POST', `/posts/${post.id}/comments`, { text: 'old' })).body.id;
    const [first, second, third] = [await create(), await create(), await create()];
    await ask('DELETE', `/comments/${first}`);
    await ask('DELETE', `/posts/${post.id}/comments/${second}`);
    expect((await ask('GET', `/posts/${post.id}/comments`)).body).toEqual({ data: [{ id: third, text: 'old' }] });
  });

  it('is mocked if the paths below other entries have different entries', async () => {
    const Reply = createObject({ 'id!': TEXT, 'answer!': TEXT });
    const paths = {
      ...createPaths({ delete: { status: 204 } }),
      '/users/{userId}/comments': { get: { response: createList(Reply) } },
    };
    expect(await explainApi({ paths, schemas })).toMatchObject({
      'DELETE /comments/{commentId}': 'mocked: an action: the document does not say what the action changes',
    });
  });
});

describe('A path of an entry with two ids', () => {
  const collaborator = { actorType: { type: 'string', enum: ['User', 'Team'] }, role: TEXT };
  const paths = {
    '/spaces/{spaceId}/collaborators': {
      get: { response: createObject({ collaborators: createList(refer('Collaborator')) }) },
      post: {
        request: createObject({ 'actorType!': collaborator.actorType, 'actorIdentifier!': TEXT, 'role!': TEXT }),
        response: refer('Collaborator'),
        status: 201,
        errors: [422],
      },
    },
    '/spaces/{spaceId}/collaborators/{actorType}/{actorIdentifier}': { delete: { status: 204 } },
  };
  const own = { Collaborator: createObject({ 'id!': { type: 'integer' }, ...collaborator }) };

  it('does not make its first parameter the id of the entries of a list', async () => {
    const { ask } = await startApi({ paths, schemas: own });
    const create = (actorIdentifier: string) =>
      ask('POST', '/spaces/1/collaborators', { actorType: 'Team', actorIdentifier, role: 'admin' });
    expect([(await create('a')).status, (await create('b')).status]).toEqual([201, 201]);
    const { collaborators } = (await ask('GET', '/spaces/1/collaborators')).body;
    expect(new Set(collaborators.map(({ id }: { id: number }) => id)).size).toBe(2);
  });
});
