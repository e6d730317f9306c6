import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

const schemas = {
  Task: createObject({ 'id!': INTEGER, 'title!': TEXT, attachmentCount: INTEGER }),
  Attachment: createObject({
    'id!': INTEGER,
    'fileName!': TEXT,
    'size!': INTEGER,
    mimeType: TEXT,
    uploadedAt: { type: 'string', format: 'date-time' },
    note: TEXT,
    url: TEXT,
  }),
};

const FORM = createObject({ file: { type: 'string', format: 'binary' }, note: TEXT });

const PATHS = {
  ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
  '/tasks/{taskId}/attachments': {
    post: { request: FORM, requestType: 'multipart/form-data', response: refer('Attachment'), status: 201 },
  },
  '/tasks/{taskId}/attachments/{attachmentId}': { get: { response: refer('Attachment') } },
  '/tasks/{taskId}/attachments/{attachmentId}/content': {
    get: { response: { type: 'string', format: 'binary' }, responseType: 'application/octet-stream' },
  },
};

describe('an upload', () => {
  it('of more than 100 kB is returned as it was sent, and has no content in the journal', async () => {
    const { ask, url } = await startApi({ paths: PATHS, schemas });
    await ask('POST', '/tasks', { title: 'a' });
    const bytes = new Uint8Array(300_000).map((_, index) => index % 251);
    const form = new FormData();
    form.append('file', new Blob([bytes]), 'big.bin');
    expect((await fetch(`${url}/tasks/1/attachments`, { method: 'POST', body: form })).status).toBe(201);
    const content = await fetch(`${url}/tasks/1/attachments/1/content`);
    expect(Buffer.from(await content.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    const journal = await (await fetch(`${url}/_control/sandboxes/default/requests`)).text();
    expect(journal).toContain('size=300000;base64,');
    expect(journal).not.toContain('AAECAwQF');
  });

  it('can have the properties of the entry as JSON in a text field', async () => {
    const sent = createObject({ 'file!': { type: 'string', format: 'binary' }, 'data!': TEXT });
    const paths = {
      ...createResourcePaths('/employees/{employeeId}', refer('Employee')),
      '/employees': { post: { request: sent, requestType: 'multipart/form-data', response: {}, status: 201 } },
    };
    const Employee = createObject({ 'id!': INTEGER, 'name!': TEXT, 'photo!': { type: ['string', 'null'] } });
    const { url } = await startApi({ paths, schemas: { Employee } });
    const post = async (data: string) => {
      const form = new FormData();
      form.append('file', new Blob(['hello']), 'ann.png');
      form.append('data', data);
      return await (await fetch(`${url}/employees`, { method: 'POST', body: form })).json();
    };
    expect(await post('{"name":"Ann","unknown":1}')).toMatchObject({ id: 1, name: 'Ann' });
    expect(await post('{"name":')).toMatchObject({ id: 2, name: expect.any(String) });
    expect(await (await fetch(`${url}/employees/1`)).json()).toMatchObject({ id: 1, name: 'Ann' });
  });

  it('creates an entry with the name, the size and the type of the file', async () => {
    const { ask, url } = await startApi({ paths: PATHS, schemas });
    await ask('POST', '/tasks', { title: 'a' });
    const form = new FormData();
    form.append('note', 'n');
    form.append('file', new Blob(['hello'], { type: 'text/csv' }), 'my list.csv');
    const response = await fetch(`${url}/tasks/1/attachments`, { method: 'POST', body: form });
    expect([response.status, await response.json()]).toEqual([
      201,
      {
        id: 1,
        fileName: 'my list.csv',
        size: 5,
        mimeType: 'text/csv',
        uploadedAt: expect.any(String),
        note: 'n',
        url: `${url}/tasks/1/attachments/1/content`,
      },
    ]);
    const content = await fetch(`${url}/tasks/1/attachments/1/content`);
    expect(content.headers.get('x-mocked')).toBeNull();
    expect([content.status, content.headers.get('content-type'), await content.text()]).toEqual([
      200,
      'application/octet-stream',
      'hello',
    ]);
    expect((await fetch(`${url}/tasks/1/attachments/7/content`)).status).toBe(404);
    expect((await ask('GET', '/tasks/1/attachments/1')).body).not.toHaveProperty('file');
    expect((await ask('GET', '/tasks/1')).body).toMatchObject({ attachmentCount: 1 });
    const text = new FormData();
    text.append('note', 'data:text/csv;name=%E0;size=1;base64,YQ==');
    expect((await fetch(`${url}/tasks/1/attachments`, { method: 'POST', body: text })).status).toBe(201);
    expect((await fetch(`${url}/tasks/9/attachments`, { method: 'POST', body: form })).status).toBe(404);
  });

  it('in another sandbox has the URL of this sandbox', async () => {
    const { ask, url } = await startApi({ paths: PATHS, schemas });
    await ask('POST', '/_sandbox/one/tasks', { title: 'a' });
    const form = new FormData();
    form.append('file', new Blob(['hello'], { type: 'text/csv' }), 'a.csv');
    const response = await fetch(`${url}/_sandbox/one/tasks/1/attachments`, { method: 'POST', body: form });
    const { url: own } = (await response.json()) as { url: string };
    expect(own).toBe(`${url}/_sandbox/one/tasks/1/attachments/1/content`);
    expect(await (await fetch(own)).text()).toBe('hello');
  });

  it('is explained', async () => {
    expect(await explainApi({ paths: PATHS, schemas })).toMatchObject({
      'GET /tasks/{taskId}/attachments/{attachmentId}/content':
        'real: returns the uploaded file, and a generated one for an entry without it',
    });
  });
});

describe('an upload without an operation that returns the file', () => {
  const paths = { '/photos': { post: { ...PATHS['/tasks/{taskId}/attachments'].post, response: refer('Photo') } } };
  const upload = async (uri: Schema) => {
    const Photo = createObject({ 'id!': INTEGER, 'name!': TEXT, 'url!': uri });
    const { url } = await startApi({ paths, schemas: { Photo } });
    const form = new FormData();
    form.append('file', new Blob(['a'.repeat(1_000_000)], { type: 'image/png' }), 'my cat.png');
    const response = await fetch(`${url}/photos`, { method: 'POST', body: form });
    return { mocked: response.headers.get('x-mocked'), body: (await response.json()) as { url: string } };
  };

  it('has the url of the file', async () => {
    const { mocked, body } = await upload({ type: 'string', format: 'uri' });
    const file = await fetch(body.url);
    expect([file.headers.get('content-type'), (await file.text()).length]).toEqual(['image/png', 1_000_000]);
    expect(mocked).toBeNull();
  });

  it('has a generated url if the schema does not allow it', async () => {
    const { mocked, body } = await upload({ type: 'string', pattern: '^https://' });
    expect([mocked, body.url]).toEqual(['/url', expect.stringMatching(/^https:/)]);
  });

  it('is explained', async () => {
    const Photo = createObject({ 'id!': INTEGER, 'url!': TEXT });
    expect(await explainApi({ paths, schemas: { Photo } })).toEqual({
      'POST /photos': 'real: creates a photo (sets to the URL of the file: url)',
    });
  });
});

describe('a file at the path of its entry', () => {
  it('is returned, and deleted with the entry', async () => {
    const paths = {
      '/files': {
        post: { request: FORM, requestType: 'multipart/form-data', response: refer('File'), status: 201 },
      },
      '/files/{id}': {
        get: { response: { type: 'string', format: 'binary' }, responseType: 'application/octet-stream' },
        delete: { status: 204 },
      },
    };
    const File = createObject({ 'id!': INTEGER, 'name!': TEXT });
    const { ask, url } = await startApi({ paths, schemas: { File } });
    const form = new FormData();
    form.append('file', new Blob(['hello']), 'a.txt');
    const created = await fetch(`${url}/files`, { method: 'POST', body: form });
    expect(await created.json()).toEqual({ id: 1, name: 'a.txt' });
    expect(await (await fetch(`${url}/files/1`)).text()).toBe('hello');
    expect((await ask('DELETE', '/files/1')).status).toBe(204);
    expect((await ask('GET', '/files/1')).status).toBe(404);
  });
});

describe('a file below a path of its own', () => {
  const binary = { response: { type: 'string', format: 'binary' }, responseType: 'application/octet-stream' };
  const paths = {
    ...createResourcePaths('/tasks/{taskId}', refer('Task'), createObject({ 'title!': TEXT })),
    '/tasks/{taskId}/attachments': PATHS['/tasks/{taskId}/attachments'],
    '/attachments/{attachmentId}/content': { get: binary },
  };

  it('is that of the entry with this id, whose url names the path', async () => {
    const { ask, url } = await startApi({ paths, schemas });
    for (const [index, text] of ['one', 'two'].entries()) {
      await ask('POST', '/tasks', { title: text });
      const form = new FormData();
      form.append('file', new Blob([text]), `${text}.txt`);
      const response = await fetch(`${url}/tasks/${index + 1}/attachments`, { method: 'POST', body: form });
      const created = (await response.json()) as { url: string };
      expect(created.url).toBe(`${url}/attachments/${index + 1}/content`);
      expect(await (await fetch(created.url)).text()).toBe(text);
    }
    expect((await fetch(`${url}/attachments/7/content`)).status).toBe(404);
  });

  it('is explained', async () => {
    expect((await explainApi({ paths, schemas }))['GET /attachments/{attachmentId}/content']).toBe(
      'real: returns the uploaded file, and a generated one for an entry without it',
    );
  });
});

describe('the picture of an entry', () => {
  const PICTURE = { type: 'string', format: 'binary' };
  const paths = {
    ...createResourcePaths('/cats/{catId}', refer('Cat'), createObject({ 'name!': TEXT })),
    '/cats/{catId}/image': {
      put: { request: createObject({ 'image!': PICTURE }), requestType: 'multipart/form-data', status: 204 },
      get: { response: PICTURE, responseType: 'image/png' },
      delete: { status: 204 },
    },
  };
  const Cat = createObject({ 'id!': INTEGER, 'name!': TEXT, imageUrl: TEXT });

  it('is returned to pages of all origins at its URL, until it is deleted', async () => {
    const { ask, url } = await startApi({ paths, schemas: { Cat } });
    await ask('POST', '/cats', { name: 'Tom' });
    const form = new FormData();
    form.append('image', new Blob(['hello'], { type: 'image/jpeg' }), 'tom.jpg');
    const headers = { 'X-Forwarded-Proto': 'https, http' };
    expect((await fetch(`${url}/cats/1/image`, { method: 'PUT', body: form, headers })).status).toBe(204);
    const path = `${url}/cats/1/image`;
    expect((await ask('GET', '/cats/1')).body).toMatchObject({ imageUrl: path.replace('http:', 'https:') });
    const picture = await fetch(path);
    expect(picture.headers.get('X-Mocked')).toBeNull();
    expect([picture.headers.get('Cross-Origin-Resource-Policy'), await picture.text()]).toEqual([
      'cross-origin',
      'hello',
    ]);
    expect((await ask('DELETE', '/cats/1/image')).status).toBe(204);
    expect((await ask('GET', '/cats/1')).body).toEqual({ id: 1, name: 'Tom' });
    expect((await fetch(path)).status).toBe(404);
    expect((await fetch(path, { method: 'PUT', body: form })).status).toBe(204);
    expect((await fetch(path)).status).toBe(200);
  });

  it('has its own media type if several are documented', async () => {
    const parameters = [{ name: 'catId', in: 'path', required: true, schema: INTEGER }];
    const json = (schema: object) => ({ content: { 'application/json': { schema } } });
    const form = { 'multipart/form-data': { schema: createObject({ 'name!': TEXT, image: PICTURE }) } };
    const responses = { 201: { description: 'd', ...json(Cat) } };
    const content = { 'image/png': { schema: PICTURE }, 'image/jpeg': { schema: PICTURE } };
    const contract = await writeDocument({
      paths: {
        '/cats': { post: { requestBody: { content: form }, responses } },
        '/cats/{catId}': { parameters, get: { responses: { 200: { description: 'd', ...json(Cat) } } } },
        '/cats/{catId}/image': { parameters, get: { responses: { 200: { description: 'd', content } } } },
      },
    });
    const { url } = await startStorefront({ contract });
    const body = new FormData();
    body.append('name', 'Tom');
    body.append('image', new Blob(['hello'], { type: 'image/jpeg' }), 'tom.jpg');
    expect((await fetch(`${url}/cats`, { method: 'POST', body })).status).toBe(201);
    expect((await fetch(`${url}/cats/1/image`)).headers.get('Content-Type')).toBe('image/jpeg');
  });

  it('is explained', async () => {
    expect(await explainApi({ paths, schemas: { Cat } })).toMatchObject({
      'GET /cats/{catId}/image': 'real: returns the uploaded file, and a generated one for an entry without it',
    });
  });
});
