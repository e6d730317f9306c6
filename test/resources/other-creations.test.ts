import { describe, expect, it } from 'vitest';
import {
  createList,
  createObject,
  type OperationParts,
  type PathParts,
  type Paths,
  refer,
} from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const DRAFT = createObject({ 'name!': TEXT, city: TEXT });
const schemas = {
  User: createObject({ 'id!': { type: 'integer' }, name: TEXT, city: TEXT }),
  Shop: createObject({ 'id!': { type: 'integer' }, 'name!': TEXT }),
  Proposal: createObject({ 'id!': { type: 'integer' }, 'status!': { enum: ['pending', 'done'] }, name: TEXT }),
};
const USER = refer('User');

describe('A POST at another path than that of a list', () => {
  it('adds an entry to the only list that shows it', async () => {
    const paths: Paths = {
      '/user': { get: { response: createList(USER) } },
      '/user/{id}': { get: { response: USER }, post: { request: DRAFT, response: USER }, delete: { status: 204 } },
      '/import': { post: { request: DRAFT, response: USER, status: 201 } },
      '/check': { post: { request: DRAFT, response: USER, status: 201 } },
      '/match': { post: { request: DRAFT, response: USER } },
    };
    const { ask } = await startApi({ paths, schemas });
    const { body } = await ask('POST', '/import', { name: 'Ann', city: 'Rome' });
    expect((await ask('GET', '/user')).body).toEqual([body]);
    expect((await ask('POST', `/user/${body.id}`, { name: 'Eve', city: 'Rome' })).body).toEqual({
      ...body,
      name: 'Eve',
    });
    const explained = await explainApi({ paths, schemas });
    expect(explained['DELETE /user/{id}']).toBe('real: deletes a user');
    expect(explained['POST /check']).toMatch(/^mocked/);
    expect(explained['POST /match']).toMatch(/^mocked/);
  });

  it('creates what its response shows, and not an entry of the list at its path', async () => {
    const propose = { post: { request: DRAFT, response: createObject({ data: refer('Proposal') }), status: 201 } };
    const paths: Paths = {
      '/shops': { get: { response: createList(refer('Shop')) }, ...propose },
      '/shops/{shopId}': { get: { response: refer('Shop') } },
      '/shops/{shopId}/edits': propose,
      '/proposals': { get: { response: createList(refer('Proposal')) } },
      '/proposals/{proposalId}': { get: { response: createObject({ data: refer('Proposal') }) } },
    };
    const { ask } = await startApi({ paths, schemas });
    const { body: shops } = await ask('GET', '/shops');
    const { body: added } = await ask('POST', '/shops', { name: 'a' });
    const { body: changed } = await ask('POST', `/shops/${shops[0].id}/edits`, { name: 'b' });
    expect((await ask('GET', '/proposals')).body).toEqual([added.data, changed.data]);
    expect((await ask('GET', `/proposals/${added.data.id}`)).body).toEqual(added);
    expect((await ask('GET', '/shops')).body).toEqual(shops);
    expect((await ask('POST', '/shops/99/edits', { name: 'b' })).status).toBe(404);
  });
});

describe('A POST with the status 200 directly below the path of a list', () => {
  const send = { request: DRAFT, response: refer('Proposal') };

  /** Returns what a POST does. `post`: the operation. `others`: other operations of the list. */
  async function explainPost(path: string, post: OperationParts, others: PathParts = {}) {
    const paths: Paths = {
      '/proposals': { get: { response: createList(refer('Proposal')) }, ...others },
      '/proposals/{proposalId}': { get: { response: refer('Proposal') }, delete: { status: 204 } },
      [path]: { post: { ...send, ...post } },
    };
    return (await explainApi({ paths, schemas }))[`POST ${path}`];
  }

  it.each([{ operationId: 'add_proposal' }, { summary: 'Send a proposal' }, { summary: 'Request a change' }])(
    'adds an entry to the list for %j',
    async (post) => {
      expect(await explainPost('/proposals/city', post)).toMatch(/^real: creates a proposal/);
    },
  );

  it.each<[string, string, OperationParts, PathParts]>([
    ['its words have no verb of creation', '/proposals/city', { operationId: 'mergeProposals' }, {}],
    ['a word only begins like a verb', '/proposals/city', { summary: 'Address of a proposal' }, {}],
    ['its path is elsewhere', '/cities/proposal', { summary: 'Send a proposal' }, {}],
    ['it is about a preview', '/proposals/preview', { summary: 'Create a preview' }, {}],
    [
      'another operation creates entries',
      '/proposals/city',
      { summary: 'Send one' },
      { post: { ...send, status: 201 } },
    ],
  ])('is mocked if %s', async (_what, path, post, others) => {
    expect(await explainPost(path, post, others)).toMatch(/^mocked/);
  });
});
