import { describe, expect, it } from 'vitest';
import { getCheckedRoutes, type Selection, sortByRisk } from '../../src/check/selection.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings } from '../support/harness/check.ts';
import { checkApi, type ReceivedRequest } from '../support/harness/check-api.ts';

const content = { 'application/json': { schema: { type: 'object' } } };
const OK = { description: 'd', content };

describe('getCheckedRoutes', () => {
  it.each<[Pick<Selection, 'only' | 'exclude'>, readonly string[]]>([
    [{ only: ['read', 'write'] }, ['read, write']],
    [{ only: ['read', 'other'] }, ['read', 'other']],
    [{ only: ['other', 'read', 'write'] }, ['read, write', 'other']],
    [{ exclude: ['read', 'write'] }, ['read', 'other']],
  ])('joins the parts of an operationId with a comma: %j', async (selection, expected) => {
    const ids = ['read, write', 'read', 'other'];
    const paths = ids.map((operationId, index) => [`/${index}`, { get: { operationId, responses: { 200: OK } } }]);
    const contract = await loadContract({
      path: await writeDocument({ paths: Object.fromEntries(paths) }),
      strict: false,
    });
    const routes = getCheckedRoutes({ contract, mayWrite: true, ...selection });
    expect(routes.map(({ operationId }) => operationId)).toEqual(expected);
  });
});

describe('the selectors of operations', () => {
  const operation = (operationId: string, more: object = {}) => ({ operationId, responses: { 200: OK }, ...more });
  const paths = {
    '/tasks': {
      get: operation('listTasks', { tags: ['tasks'] }),
      post: operation('addTask', { tags: ['tasks', 'writes'] }),
    },
    '/tasks/{id}': { get: operation('readTask'), delete: operation('removeTask', { deprecated: true }) },
    '/tasks/{id}/notes': { get: operation('GET') },
    '/users': { get: operation('listUsers', { deprecated: true }) },
  };

  it.each<[Pick<Selection, 'only' | 'exclude'>, readonly string[]]>([
    [{ only: ['tag:tasks'] }, ['listTasks', 'addTask']],
    [{ only: ['tag:writes', 'deprecated'] }, ['addTask', 'removeTask', 'listUsers']],
    [{ only: ['DELETE'] }, ['removeTask']],
    [{ only: ['GET'] }, ['GET']],
    [{ only: ['/tasks/*'] }, ['readTask', 'removeTask']],
    [{ only: ['/tasks/**'] }, ['listTasks', 'addTask', 'readTask', 'removeTask', 'GET']],
    [{ only: ['GET /tasks/**'], exclude: ['GET'] }, ['listTasks', 'readTask']],
    [{ only: ['/tasks/{id}'] }, ['readTask', 'removeTask']],
    [{ exclude: ['deprecated', '/tasks/**'] }, []],
    [{ only: ['/users', 'listUsers'] }, ['listUsers']],
  ])('select as documented: %j', async (selection, expected) => {
    const contract = await loadContract({ path: await writeDocument({ paths }), strict: false });
    const select = () => getCheckedRoutes({ contract, mayWrite: true, ...selection });
    if (expected.length === 0) expect(select).toThrow('No operation is left');
    else expect(select().map(({ operationId }) => operationId)).toEqual(expected);
  });

  it('exclude properties that no operation has', async () => {
    const contract = await loadContract({
      path: await writeDocument({ paths: { '/a': paths['/tasks'] } }),
      strict: false,
    });
    const exclude = ['deprecated', 'tag:internal'];
    expect(getCheckedRoutes({ contract, mayWrite: true, exclude })).toHaveLength(2);
  });

  it.each(['PATCH', '/nothing/**', 'listTask', 'get /tasks'])('refuse %s, which selects nothing', async (one) => {
    const contract = await loadContract({ path: await writeDocument({ paths }), strict: false });
    for (const selection of [{ only: [one] }, { exclude: [one] }])
      expect(() => getCheckedRoutes({ contract, mayWrite: true, ...selection })).toThrow(`has no operation ${one}.`);
  });
});

describe('A response with status 507', () => {
  const requestBody = { required: true, content };
  const createPost = (responses: object) => ({
    paths: { '/a': { post: { operationId: 'addA', requestBody, responses: { 201: OK, 400: OK, ...responses } } } },
  });
  /** Responds to the first request with 201, and to all others with 507, as a server with a quota. */
  const createQuota = () => {
    let isFull = false;
    return ({ json }: ReceivedRequest) => {
      if (typeof json !== 'object' || json === null) return { status: 400, body: {} };
      const status = isFull ? 507 : 201;
      isFull = true;
      return { status, body: {} };
    };
  };

  it.each([
    [createPost({}), true],
    [createPost({ 507: OK }), false],
  ])('is a server error only if it is not documented', async (document, isReported) => {
    const { findings } = await checkApi(document, createQuota());
    expect(formatFindings(findings).some((text) => text.includes('no server error'))).toBe(isReported);
  });
});

it('sortByRisk begins with operations that change data, and ends with deprecated ones', async () => {
  const parameters = ['a', 'b'].map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  const requestBody = { content: { 'application/json': { schema: {} } } };
  const paths = {
    '/a': { get: createOperation('read'), post: createOperation('create', {}, { requestBody }) },
    '/b': { get: createOperation('search', {}, { parameters }), delete: createOperation('remove') },
    '/c': { put: createOperation('old', {}, { requestBody, deprecated: true }) },
  };
  const contract = await loadContract({ path: await writeDocument({ paths }), strict: false });
  expect(sortByRisk(contract, contract.routes).map(({ operationId }) => operationId)).toEqual([
    ...['create', 'remove', 'search', 'read', 'old'],
  ]);
});
