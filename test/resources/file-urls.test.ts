import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const FILE = { type: 'string', format: 'binary' };
const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"/>';

function createUpload(fields: Schema, response: Schema | undefined, status = 200) {
  return { request: fields, requestType: 'multipart/form-data', status, ...(response ? { response } : {}) };
}

const LOGIN = createObject({ 'email!': { type: 'string', format: 'email' }, 'password!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'name!': TEXT, avatarUrl: { type: 'string', format: 'uri', readOnly: true } }),
  Account: createObject({ 'id!': INTEGER, 'email!': TEXT, avatar_url: { type: ['string', 'null'], readOnly: true } }),
  Recipe: createObject({
    'id!': INTEGER,
    title: TEXT,
    type: TEXT,
    image: TEXT,
    photos: { type: 'array', items: TEXT },
  }),
};

const RECIPE = createObject({ 'title!': TEXT, type: TEXT, image: FILE, photos: { type: 'array', items: FILE } });

const paths = {
  '/upload': { post: createUpload(createObject({ 'file!': FILE }), createObject({ 'url!': TEXT }), 201) },
  ...createResourcePaths('/users/{userId}', refer('User'), createObject({ 'name!': TEXT })),
  '/users/{userId}/avatar': {
    put: createUpload(createObject({ avatar: FILE }), refer('User')),
    delete: { status: 204 },
  },
  '/users/{userId}/upload-avatar': {
    post: createUpload(createObject({ file: FILE }), createObject({ 'message!': TEXT, 'url!': TEXT })),
  },
  '/recipes': {
    get: { response: createList(refer('Recipe')) },
    post: createUpload(RECIPE, refer('Recipe'), 201),
  },
  '/recipes/{id}': {
    get: { response: refer('Recipe') },
    patch: createUpload(RECIPE, refer('Recipe')),
  },
  '/recipes/{id}/photos': { post: createUpload(createObject({ photo: FILE }), refer('Recipe')) },
};

const ownPaths = {
  '/register': { post: { request: LOGIN, response: createObject({ 'token!': TEXT }), status: 201 } },
  '/login': { post: { request: LOGIN, response: createObject({ 'token!': TEXT }) } },
  '/me': { get: { response: refer('Account') } },
  '/me/avatar': { post: createUpload(createObject({ file: FILE }), createObject({ 'avatar_url!': TEXT })) },
};

function createForm(files: Readonly<Record<string, readonly string[]>>, texts: Readonly<Record<string, string>> = {}) {
  const form = new FormData();
  for (const [name, text] of Object.entries(texts)) form.append(name, text);
  for (const [field, names] of Object.entries(files))
    for (const name of names)
      form.append(field, new Blob([`${PICTURE}<!--${name}-->`], { type: 'image/svg+xml' }), name);
  return form;
}

async function send(url: string, method: string, path: string, form: FormData, headers: Record<string, string> = {}) {
  const response = await fetch(url + path, { method, body: form, headers });
  // biome-ignore lint/suspicious/noExplicitAny: the body of any response
  return { status: response.status, mocked: response.headers.get('x-mocked'), body: (await response.json()) as any };
}

async function read(url: string, method = 'GET') {
  const response = await fetch(url, { method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the URL of a file that no operation returns', () => {
  it('is at the server itself, which runs no script of the file', async () => {
    const { url } = await startApi({ paths, schemas });
    const { status, mocked, body } = await send(url, 'POST', '/upload', createForm({ file: ['my cat.svg'] }));
    expect([status, mocked]).toEqual([201, null]);
    expect(body.url).toMatch(new RegExp(`^${url}/_files/[0-9a-f]{32}/my%20cat\\.svg$`));
    const file = await read(body.url);
    expect([file.status, file.text]).toEqual([200, `${PICTURE}<!--my cat.svg-->`]);
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'image/svg+xml',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect((await read(body.url, 'HEAD')).status).toBe(200);
    expect((await read(body.url, 'DELETE')).status).toBe(405);
    expect((await read(`${url}/_files/${'0'.repeat(32)}/cat.svg`)).status).toBe(404);
    expect((await read(`${url}/_files/`)).status).toBe(404);
  });

  it('is set in the properties that the fields of the form name', async () => {
    const { ask, url } = await startApi({ paths, schemas });
    const form = createForm({ image: ['a.svg'], photos: ['b.svg', 'c.svg'] }, { title: 'Soup' });
    const { body } = await send(url, 'POST', '/recipes', form);
    expect(body).toMatchObject({ id: 1, title: 'Soup', image: expect.stringContaining('/a.svg') });
    expect(body.photos).toEqual([expect.stringContaining('/b.svg'), expect.stringContaining('/c.svg')]);
    expect(body.type).toBeUndefined();
    expect((await read(body.photos[1])).text).toBe(`${PICTURE}<!--c.svg-->`);
    const changed = await send(url, 'PATCH', '/recipes/1', createForm({ image: ['d.svg'] }, { title: 'Stew' }));
    expect(changed.body).toMatchObject({
      title: 'Stew',
      image: expect.stringContaining('/d.svg'),
      photos: body.photos,
    });
    const added = await send(url, 'POST', '/recipes/1/photos', createForm({ photo: ['e.svg'] }));
    expect(added.body.photos).toEqual([...body.photos, expect.stringContaining('/e.svg')]);
    expect((await ask('GET', '/recipes/1')).body).toEqual(added.body);
  });

  it('is set by an action that names its property, and removed by DELETE', async () => {
    const { ask, url } = await startApi({ paths, schemas });
    await ask('POST', '/users', { name: 'Ann' });
    const { body } = await send(url, 'PUT', '/users/1/avatar', createForm({ avatar: ['ann.svg'] }));
    expect(body).toEqual({ id: 1, name: 'Ann', avatarUrl: expect.stringContaining('/ann.svg') });
    expect((await ask('GET', '/users/1')).body).toEqual(body);
    const uploaded = await send(url, 'POST', '/users/1/upload-avatar', createForm({ file: ['new.svg'] }));
    expect([uploaded.mocked, uploaded.body.url]).toEqual(['/message', expect.stringContaining('/new.svg')]);
    expect((await ask('GET', '/users/1')).body).toMatchObject({ avatarUrl: uploaded.body.url });
    expect((await ask('DELETE', '/users/1/avatar')).status).toBe(204);
    expect((await ask('GET', '/users/1')).body).toEqual({ id: 1, name: 'Ann' });
  });

  it('is that of the user who sends the request, below the path of this user', async () => {
    const { ask, url } = await startApi({ paths: ownPaths, schemas });
    const { body } = await ask('POST', '/register', { email: 'ann@example.com', password: 'secret' });
    const Authorization = `Bearer ${(body as { token: string }).token}`;
    const uploaded = await send(url, 'POST', '/me/avatar', createForm({ file: ['ann.svg'] }), { Authorization });
    expect(uploaded.body).toEqual({ avatar_url: expect.stringContaining('/ann.svg') });
    expect((await ask('GET', '/me', undefined, { Authorization })).body).toMatchObject(uploaded.body);
  });

  it('names the sandbox, also if a header has selected it', async () => {
    const { url } = await startApi({ paths, schemas });
    const form = createForm({ file: ['a.svg'] });
    const { body } = await send(url, 'POST', '/upload', form, { 'X-Sandbox': 'one' });
    expect(body.url).toContain(`${url}/_sandbox/one/_files/`);
    expect((await read(body.url)).status).toBe(200);
    expect((await read(body.url.replace('/_sandbox/one', ''))).status).toBe(404);
    expect((await read(body.url.replace('/one/', '/two/'))).status).toBe(404);
  });

  it('begins with the path with which all paths begin', async () => {
    const { url } = await startApi({ paths: { '/api/upload': paths['/upload'] } });
    const { body } = await send(url, 'POST', '/api/upload', createForm({ file: ['a.svg'] }));
    expect(body.url).toContain(`${url}/api/_files/`);
    expect((await read(body.url)).status).toBe(200);
  });

  it('is not that of an entry, also if a path of the contract matches it', async () => {
    const entry = { get: { response: refer('Recipe') } };
    const { url } = await startApi({ paths: { '/upload': paths['/upload'], '/{shop}/{kind}/{id}': entry }, schemas });
    const { body } = await send(url, 'POST', '/upload', createForm({ file: ['a.svg'] }));
    expect((await read(body.url)).text).toContain('a.svg');
  });

  it('ends with the next reset', async () => {
    const { url } = await startApi({ paths, schemas });
    const { body } = await send(url, 'POST', '/upload', createForm({ file: ['a.svg'] }));
    expect((await fetch(`${url}/_control/sandboxes/default/reset`, { method: 'POST' })).status).toBe(204);
    expect((await read(body.url)).status).toBe(404);
  });

  it('is explained', async () => {
    expect(await explainApi({ paths, schemas })).toMatchObject({
      'POST /upload': 'real: creates an upload (sets to the URL of the file: url)',
      'PUT /users/{userId}/avatar': 'real: changes the avatar of a user: avatarUrl → the URL of the file',
      'DELETE /users/{userId}/avatar': 'real: removes the avatar of a user: removes avatarUrl',
      'POST /users/{userId}/upload-avatar':
        'real: changes the avatar of a user: avatarUrl → the URL of the file (generates: message)',
      'POST /recipes': 'real: creates a recipe (sets to the URL of the file: image, photos)',
      'POST /recipes/{id}/photos': 'real: changes the photos of a recipe: photos → the URL of the file',
    });
    expect(await explainApi({ paths: ownPaths, schemas })).toMatchObject({
      'POST /me/avatar': 'real: changes the avatar of an account: avatar_url → the URL of the file',
    });
  });
});

const otherSchemas = {
  Page: createObject({ 'id!': INTEGER, photo: TEXT, url: TEXT, link: TEXT, topic: TEXT }),
  Company: createObject({ 'id!': INTEGER, name: TEXT, logo: TEXT, url: TEXT }),
  Member: createObject({ 'id!': INTEGER, name: TEXT, avatarUrl: TEXT, url: TEXT }),
  Album: createObject({ 'id!': INTEGER, photos: { type: 'array', items: TEXT }, tags: { type: 'array', items: TEXT } }),
  Document: createObject({ 'id!': INTEGER, fileName: TEXT, size: INTEGER, url: TEXT }),
  Post: createObject({ 'id!': INTEGER, title: TEXT, topic: TEXT, catalogo: TEXT, meta: TEXT, fileUrl: TEXT }),
};

const META = { type: 'string', contentMediaType: 'application/json' };

const ALBUM = createObject({
  'photos[]!': { type: 'array', items: FILE },
  'tags[]': { type: 'array', items: TEXT },
});

const JOB = createObject({ 'jobId!': TEXT, url: TEXT });

const otherPaths = {
  '/pages': { post: createUpload(createObject({ photo: FILE }), refer('Page'), 201) },
  '/pages/{id}': {
    get: { response: refer('Page') },
    put: createUpload(createObject({ photo: FILE, topic: TEXT }), refer('Page')),
  },
  '/companies': { post: createUpload(createObject({ 'name!': TEXT, document: FILE }), refer('Company'), 201) },
  '/companies/{id}': { get: { response: refer('Company') } },
  '/companies/{id}/files': { post: createUpload(createObject({ file: FILE }), refer('Company'), 202) },
  '/members': { post: { request: createObject({ 'name!': TEXT }), response: refer('Member'), status: 201 } },
  '/members/{id}': { get: { response: refer('Member') } },
  '/members/{id}/avatar': { put: createUpload(createObject({ file: FILE }), refer('Member')) },
  '/posts': { post: createUpload(createObject({ 'title!': TEXT, file: FILE, meta: META }), refer('Post'), 201) },
  '/posts/{id}': { get: { response: refer('Post') } },
  '/albums': { post: createUpload(ALBUM, refer('Album'), 201) },
  '/albums/{id}': { get: { response: refer('Album') } },
  '/files': {
    post: createUpload(createObject({ 'file!': { description: 'A file' } }), createObject({ url: TEXT }), 201),
  },
  '/documents': { post: createUpload(createObject({ file: FILE }), refer('Document'), 201) },
  '/documents/{id}': { get: { response: refer('Document') } },
  '/documents/{id}/file': { post: createUpload(createObject({ file: FILE }), refer('Document')) },
  '/uploads': { post: createUpload(createObject({ file: FILE }), JOB, 202) },
  '/upload': paths['/upload'],
};

describe('a file in a form', () => {
  const start = () => startApi({ paths: otherPaths, schemas: otherSchemas });

  it('sets no property with the URL of another page, or with another picture', async () => {
    const { url } = await start();
    const page = await send(url, 'POST', '/pages', createForm({ photo: ['a.svg'] }));
    expect(page.body).toEqual({ id: 1, photo: expect.stringContaining('/a.svg') });
    const company = await send(url, 'POST', '/companies', createForm({ document: ['a.svg'] }, { name: 'Acme' }));
    expect(company.body).toEqual({ id: 1, name: 'Acme' });
    const form = createForm({ file: ['a.svg'] }, { title: 'News', meta: '{"a":1}' });
    const post = await send(url, 'POST', '/posts', form);
    expect(post.body).toEqual({
      id: 1,
      title: 'News',
      meta: '{"a":1}',
      fileUrl: expect.stringContaining('/a.svg'),
    });
  });

  it('sets the property that the path of an action names', async () => {
    const { ask, url } = await start();
    await ask('POST', '/members', { name: 'Ann' });
    const { body } = await send(url, 'PUT', '/members/1/avatar', createForm({ file: ['a.svg'] }));
    expect(body).toEqual({ id: 1, name: 'Ann', avatarUrl: expect.stringContaining('/a.svg') });
  });

  it('sets the list that a field such as photos[] names', async () => {
    const { url } = await start();
    const { status, body } = await send(
      url,
      'POST',
      '/albums',
      createForm({ 'photos[]': ['a.svg'] }, { 'tags[]': 'cats' }),
    );
    expect([status, body]).toEqual([201, { id: 1, photos: [expect.stringContaining('/a.svg')], tags: ['cats'] }]);
    expect((await send(url, 'POST', '/albums', createForm({}, { 'tags[]': 'cats' }))).status).toBe(400);
  });

  it('changes what a document says about its file', async () => {
    const { url } = await start();
    await send(url, 'POST', '/documents', createForm({ file: ['a.svg'] }));
    const { body } = await send(url, 'POST', '/documents/1/file', createForm({ file: ['longer.svg'] }));
    const size = `${PICTURE}<!--longer.svg-->`.length;
    expect(body).toEqual({ id: 1, fileName: 'longer.svg', size, url: expect.stringContaining('/longer.svg') });
  });

  it('can be a field with the name file without a type', async () => {
    const { url } = await start();
    const { body } = await send(url, 'POST', '/files', createForm({ file: ['a.svg'] }));
    expect((await read(body.url)).text).toContain('a.svg');
  });

  it('is mocked if the response is that of a job', async () => {
    expect(await explainApi({ paths: otherPaths, schemas: otherSchemas })).toMatchObject({
      'POST /companies/{id}/files': expect.stringContaining('mocked'),
      'POST /uploads': expect.stringContaining('mocked'),
    });
  });

  it('is kept by a PUT without it', async () => {
    const { url } = await start();
    const { body } = await send(url, 'POST', '/pages', createForm({ photo: ['a.svg'] }));
    const replaced = await send(url, 'PUT', '/pages/1', createForm({}, { topic: 'Cats' }));
    expect(replaced.body).toEqual({ ...body, topic: 'Cats' });
  });

  it('is stored only once, and is not in the entry', async () => {
    const { url } = await start();
    await send(url, 'POST', '/pages', createForm({ photo: ['a.svg'] }));
    await send(url, 'POST', '/companies', createForm({ document: ['a.svg'] }, { name: 'Acme' }));
    expect((await read(`${url}/_control/sandboxes/default/state`)).text).not.toContain('data:');
  });

  it('has the media type application/octet-stream if the media type in the form is invalid', async () => {
    const { url } = await start();
    const part = 'Content-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png, text/html';
    const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const response = await fetch(`${url}/upload`, {
      method: 'POST',
      headers,
      body: `--b\r\n${part}\r\n\r\nx\r\n--b--`,
    });
    const { url: fileUrl } = (await response.json()) as { url: string };
    expect((await read(fileUrl)).headers.get('content-type')).toBe('application/octet-stream');
  });
});

it('A file that an action receives for something else, and a file that the server creates, are not that of an entry', async () => {
  const STATUS = { type: 'string', enum: ['draft', 'signed'] };
  const Document = createObject({ 'id!': INTEGER, fileName: TEXT, status: STATUS });
  const get = { response: FILE, responseType: 'application/pdf' };
  const api = {
    paths: {
      ...createResourcePaths('/documents/{documentId}', refer('Document')),
      '/documents': {
        get: { response: createList(refer('Document')) },
        post: createUpload(createObject({ 'file!': FILE }), refer('Document'), 201),
      },
      '/documents/{documentId}/export': { get },
      '/documents/{documentId}/content': { get },
      '/documents/{documentId}/sign': { post: createUpload(createObject({ signature: FILE }), refer('Document')) },
    },
    schemas: { Document },
  };
  const { url, ask } = await startApi(api);
  const send = async (path: string, field: string, text: string) => {
    const form = new FormData();
    form.append(field, new Blob([text], { type: 'application/pdf' }), `${text}.pdf`);
    return (await fetch(url + path, { method: 'POST', body: form })).json();
  };
  await send('/documents', 'file', 'contract');
  expect(await send('/documents/1/sign', 'signature', 'name')).toMatchObject({
    status: 'signed',
    fileName: 'contract.pdf',
  });
  expect((await ask('GET', '/documents/1/content')).text).toBe('contract');
  expect((await ask('GET', '/documents/1/export')).text).not.toBe('contract');
});
