import { expect, it } from 'vitest';
import { isListed, isMarkedDeleted } from '../../src/check/life-cycle-rules.ts';
import { NO_VALUES } from '../../src/check/requests.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

const ENTRIES = Array.from({ length: 10 }, (_, id) => ({ id }));

/** Returns whether a list with a query parameter and the ids 0 to 9 contains a resource. */
async function isInList(name: string, id: number): Promise<boolean | undefined> {
  const parameters = [{ name, in: 'query', schema: { type: 'integer' } }];
  const path = await writeDocument({
    paths: { '/pets': { get: { operationId: 'listPets', parameters, responses: { 200: { description: 'd' } } } } },
  });
  const [list] = (await loadContract({ path, strict: false })).routes;
  if (!list) throw new Error('The document has no operation');
  const response = { status: 200, headers: {}, text: '', body: ENTRIES, jsonError: undefined };
  return isListed({ list, values: NO_VALUES, parameter: 'id' }, id, response);
}

it.each(['page', 'pageNo', 'page_offset', 'cursor'])(
  'a resource that is missing on a page can be on another one, with the parameter %s',
  async (name) => expect([await isInList(name, 9), await isInList(name, 10)]).toEqual([true, undefined]),
);

it('a resource that is missing in a list without pages is not listed', async () => {
  expect(await isInList('color', 10)).toBe(false);
});

it.each([
  [{ summary: 'Delete a pet (soft delete)' }, { is_active: true }, {}, true],
  [{ summary: 'Delete a pet (soft delete)' }, { is_active: false }, { is_active: false }, true],
  [{ summary: 'Delete a pet (soft delete)' }, { is_active: false }, {}, false],
  [{ summary: 'Delete a pet' }, { is_active: true }, {}, false],
  [{ description: 'Archived pets can be deleted, too.' }, { is_active: true }, {}, false],
])(
  'a resource whose flag `active` the check has set to false is deleted, if the summary says so: %j, %j, %j',
  async (texts, created, sent, isMarked) => {
    const responses = { 200: { description: 'd' } };
    const operations = {
      get: { operationId: 'getPet', responses },
      delete: { operationId: 'deletePet', ...texts, responses },
    };
    const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }];
    const path = await writeDocument({ paths: { '/pets/{id}': { parameters, ...operations } } });
    const contract = await loadContract({ path, strict: false });
    const [read, remove] = contract.routes;
    if (!read || !remove) throw new Error('The document has no operation');
    const pet = { id: 1, is_active: false };
    const responsesOf = { sent, created: { id: 1, ...created }, before: pet, after: pet };
    expect(isMarkedDeleted(contract, { read, remove }, responsesOf)).toBe(isMarked);
  },
);

it('the check deletes the part that the response to its creation has in a list', async () => {
  const text = { type: 'string' };
  const parameters = ['id', 'tagId'].map((name) => ({ name, in: 'path', required: true, schema: text }));
  const content = {
    'application/json': { schema: { type: 'object', required: ['name'], properties: { name: text } } },
  };
  const responses = Object.fromEntries([200, 400, 404].map((status) => [status, { description: 'd' }]));
  const paths = {
    '/tasks': { get: { operationId: 'listTasks', responses } },
    '/tasks/{id}/tags': {
      post: {
        operationId: 'addTag',
        parameters: parameters.slice(0, 1),
        requestBody: { required: true, content },
        responses,
      },
    },
    '/tasks/{id}/tags/{tagId}': { delete: { operationId: 'removeTag', parameters, responses } },
  };
  const tags: { id: string; name: unknown }[] = [];
  const respond = ({ method, path, json }: ReceivedRequest): SentResponse => {
    const [, , id, , tagId] = path.split('/');
    if (method === 'GET') return { status: 200, body: [{ id: 'a' }] };
    if (id !== 'a') return { status: 404 };
    const { name } = Object(json);
    if (method === 'POST' && typeof name !== 'string') return { status: 400 };
    if (method === 'POST') tags.push({ id: `tag${tags.length}`, name });
    if (method === 'DELETE' && !tags.some((tag) => tag.id === tagId)) return { status: 404 };
    return { status: 200, body: { id, tags } };
  };
  const { unchecked, unreached } = await checkApi({ paths }, respond, { runs: 2 });
  expect([...unchecked, ...unreached]).toEqual([]);
});
