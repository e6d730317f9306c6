import { describe, expect, it } from 'vitest';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { sendRawRequest } from '../support/harness/raw-client.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const INDEX = '<!doctype html><title>The front end</title>';

/** The headers that Chromium sends when it loads a page. */
const ACCEPT = 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
const NAVIGATION = [ACCEPT, 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document'];

const operation = (id: string, types: readonly string[] = ['application/json'], status = 200) => ({
  ...createOperation(id),
  responses: { [status]: { description: 'd', content: Object.fromEntries(types.map((type) => [type, {}])) } },
});

const PATHS = {
  '/': { get: operation('getRoot') },
  '/tasks': { get: operation('listTasks'), post: operation('createTask') },
  '/tasks/{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
    get: { ...operation('getTask'), security: [{ token: [] }] },
  },
  '/jobs': { post: operation('createJob') },
  '/invoice': { get: operation('getInvoice', ['application/pdf']) },
  '/page': { get: operation('getPage', ['application/json', 'text/html']) },
  '/login': { get: operation('login', [], 302) },
  '/data.json': { get: operation('getFile') },
};

/** Starts a mock with a built front end. Returns a function that sends a GET request, and returns the response. */
async function start(servers: object[] = [], paths: object = PATHS, mock = true, file = 'index.html') {
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' } };
  const { port } = await startStorefront({
    contract: await writeDocument({ paths, servers, securitySchemes }),
    mock,
    static: await folderWith({ [file]: INDEX }),
  });
  return (path: string, headers: readonly string[] = NAVIGATION) => sendRawRequest(port, `GET ${path}`, headers);
}

const SERVERS = [{ url: 'https://example.com/v1' }];

describe.each([
  ['with a base path', SERVERS],
  ['without a base path', []],
])('A front end with the paths of operations, %s,', (_, servers) => {
  it.each(['/', '/tasks', '/tasks/42', '/jobs'])('is sent to a browser that loads the page %s', async (path) => {
    const get = await start(servers);
    expect(await get(path)).toMatchObject({ status: 200, text: INDEX });
    expect(await get(path, [ACCEPT])).toMatchObject({ status: 200, text: INDEX });
  });

  it.each([
    ['fetch', ['Accept: */*', 'Sec-Fetch-Mode: cors']],
    ['curl', ['Accept: */*']],
    ['no Accept header', []],
    ['axios', ['Accept: application/json, text/plain, */*']],
    ['fetch for HTML', [ACCEPT, 'Sec-Fetch-Mode: cors']],
  ])('does not hide the operations from %s', async (_name, headers) => {
    const get = await start(servers);
    for (const [path, status] of [
      ['/tasks', 200],
      ['/tasks/42', 401],
      ['/jobs', 405],
    ] as const) {
      const response = await get(path, headers);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.text).not.toBe(INDEX);
    }
  });

  it.each(['/invoice', '/page', '/login', '/data.json'])('does not hide %s, which browsers open', async (path) => {
    const get = await start(servers);
    expect((await get(path)).text).not.toBe(INDEX);
  });
});

it('A front end is sent to a browser also after the response of an operation at its path was cached', async () => {
  const Task = { type: 'object', properties: { id: { type: 'string' }, title: { type: 'string' } } };
  const toBody = (schema: object) => ({ description: 'd', content: { 'application/json': { schema } } });
  const tasks = {
    get: { ...createOperation('listTasks'), responses: { 200: toBody({ type: 'array', items: Task }) } },
    post: { ...createOperation('createTask'), requestBody: toBody(Task), responses: { 201: toBody(Task) } },
  };
  const paths = { '/tasks': tasks, '/jobs': PATHS['/jobs'] };
  const get = await start([], paths, false);
  const fetchTasks = async () => (await get('/tasks', ['Accept: */*'])).text;
  expect([await fetchTasks(), await fetchTasks()]).not.toContain(INDEX);
  expect((await get('/tasks')).text).toBe(INDEX);
  expect(await fetchTasks()).not.toBe(INDEX);
});

it('A browser that loads a path below the base path gets the response of the operation', async () => {
  const get = await start(SERVERS);
  expect((await get('/v1/tasks')).text).not.toBe(INDEX);
  expect(await get('/v1/tasks/42')).toMatchObject({ status: 401 });
});

it('A browser that loads the path of an operation gets its response if the front end has no index.html', async () => {
  const get = await start([], PATHS, true, 'app.html');
  expect(await get('/tasks')).toMatchObject({ status: 200 });
  expect((await get('/app.html')).text).toBe(INDEX);
});

it('A browser that accepts HTML less than XML gets a front end page at the path of an operation', async () => {
  const get = await start();
  expect(await get('/tasks', ['Accept: text/html;q=0.9, application/xml'])).toMatchObject({ status: 200, text: INDEX });
});
