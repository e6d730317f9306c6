import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { isInexactInteger, parseExactJson } from '../../src/util/limits.ts';
import { createObject, createResourcePaths } from '../support/fixtures/api-document.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startApi, writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const INT64 = { type: 'integer', format: 'int64' };
const Post = createObject({ id: INT64, t: { type: 'string' }, any: {} });
const resourcePaths = createResourcePaths('/posts/{id}', Post);
const paths = { ...resourcePaths, '/posts/{id}': { ...resourcePaths['/posts/{id}'], parameters: { id: INT64 } } };

/** 2^53 + 1, the smallest integer that JavaScript can't represent. */
const INEXACT = '9007199254740993';
const REASON = `is ${INEXACT}, which JavaScript can't represent exactly (the nearest number is 9007199254740992)`;

describe('isInexactInteger', () => {
  it.each<[string, boolean]>([
    ['9007199254740992', false],
    ['9007199254740993', true],
    ['-9007199254740993', true],
    ['9007199254740994', false],
    ['9007199254740993.0', true],
    ['0.9007199254740993e16', true],
    ['90071992547409930e-1', true],
    ['9.007199254740993E+15', true],
    ['9223372036854775807', true],
    ['9223372036854775808', true],
    ['18446744073709551615', true],
    ['123456789012345680000', false],
    ['123456789012345678901', true],
    ['100000000000000000000000', false],
    ['1e300', false],
    ['1E400', false],
    ['0.1', false],
    ['12.000000000000000001', false],
    ['0.12345678901234567890', false],
    ['-0', false],
    ['0.00000000000000000000', false],
  ])('of %s is %s', (text, isInexact) => {
    expect(isInexactInteger(text)).toBe(isInexact);
  });
});

describe('parseExactJson', () => {
  it('names the place of an integer that JavaScript cannot represent, and not a text with its digits', () => {
    expect(() => parseExactJson(`{"a":"${INEXACT}","b\\"":[1,{"c":${INEXACT}}]}`)).toThrow(`/b"/1/c ${REASON}`);
    expect(parseExactJson(`{"a":"${INEXACT}","b":[1,2]}`)).toEqual({ a: INEXACT, b: [1, 2] });
  });
});

describe('An integer that JavaScript cannot represent', () => {
  it('is refused in a body at any depth, and changes nothing', async () => {
    const { ask } = await startApi({ paths });
    for (const [body, pointer] of [
      [`{"id":${INEXACT},"t":"a"}`, '/id'],
      [`{"any":[1,{"n":-${INEXACT}}]}`, '/any/1/n'],
      [`{"unknown":${INEXACT}.0}`, '/unknown'],
    ] as const) {
      const reply = await ask('POST', '/posts', body);
      expect(reply, body).toMatchObject({
        status: 400,
        body: { violations: [{ in: 'body', pointer, rule: 'exact' }] },
      });
      expect(reply.body.detail).toContain("which JavaScript can't represent exactly");
    }
    expect((await ask('GET', '/posts')).body).toEqual([]);
  });

  it('is refused in parameters of each kind, and in forms', async () => {
    const parameters = [
      { name: 'n', in: 'query', schema: { type: 'integer' } },
      { name: 'f', in: 'query', style: 'deepObject', schema: { type: 'object', properties: { n: INT64 } } },
      { name: 'j', in: 'query', content: { 'application/json': { schema: {} } } },
      { name: 'X-N', in: 'header', schema: { type: 'number' } },
    ];
    const schema = createObject({ n: INT64, list: { type: 'array', items: { type: 'object' } } });
    const operation = {
      parameters,
      requestBody: { content: { 'application/x-www-form-urlencoded': { schema } } },
      responses: { 204: { description: 'Done' } },
    };
    const contract = await writeDocument({ paths: { '/a': { post: operation } } });
    const { ask } = await startStorefront({ contract, mock: true });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const [query, headers, body, pointer] of [
      [`?n=${INEXACT}`, {}, '', '/n'],
      [`?f[n]=${INEXACT}`, {}, '', '/f/n'],
      [`?j={"a":[${INEXACT}]}`, {}, '', '/j/a/0'],
      ['', { 'X-N': INEXACT }, '', '/x-n'],
      ['', form, `n=${INEXACT}`, '/n'],
      ['', form, `list=[{"a":${INEXACT}}]`, '/list/0/a'],
    ] as const) {
      const reply = await ask('POST', `/a${query}`, body === '' ? undefined : body, headers);
      expect.soft(reply, pointer).toMatchObject({ status: 400, body: { violations: [{ pointer }] } });
      expect.soft(reply.body.detail).toContain('use an integer from -9007199254740991 to 9007199254740991');
    }
    expect((await ask('POST', '/a?n=9007199254740992&j=0.1', 'n=12', form)).status).toBe(204);
  });

  it('is refused in a path, and does not name another entry', async () => {
    const { ask } = await startApi({ paths });
    expect((await ask('POST', '/posts', '{"id":9007199254740992,"t":"b"}')).status).toBe(201);
    expect((await ask('GET', `/posts/${INEXACT}`)).status).toBe(400);
    expect((await ask('GET', '/posts/9007199254740992')).body).toMatchObject({ id: 9007199254740992, t: 'b' });
  });

  it('is another text than the id of an entry, if the parameter of the path is a string', async () => {
    const { ask } = await startApi({ paths: resourcePaths });
    for (const id of ['9007199254740992', '1']) await ask('POST', '/posts', `{"id":${id}}`);
    for (const id of [INEXACT, '0x1', '01', '1e0', '%201', '+1'])
      expect((await ask('DELETE', `/posts/${id}`)).status, id).toBe(404);
    expect((await ask('DELETE', '/posts/1')).status).toBe(204);
  });

  it('is refused in a state of the control API, and in a data file', async () => {
    const { ask, folder } = await startApi({ paths }, { durability: 'memory' });
    const state = `{"posts":[{"id":1,"t":"a"},{"id":${INEXACT},"t":"a"}]}`;
    const reply = await ask('PUT', '/_control/sandboxes/default/state', state);
    expect(reply).toMatchObject({ status: 400, body: { violations: [{ pointer: '/posts/1/id', rule: 'exact' }] } });
    const contract = await writeApi({ paths });
    await writeFile(join(folder, 'other.json'), state);
    await expect(createStorefront({ contract, data: join(folder, 'other.json') })).rejects.toThrow(
      `/posts/1/id ${REASON}: use an integer from`,
    );
  });

  it('is refused in an edit of a data file', async () => {
    const folder = await folderWith({ 'db.json': '{"posts":[]}' });
    const server = await startApi({ paths }, { data: join(folder, 'db.json') });
    await writeFile(join(folder, 'db.json'), `{"posts":[{"id":${INEXACT},"t":"a"}]}`);
    await expect.poll(() => JSON.stringify(server.log), { timeout: 10_000 }).toContain('represent exactly');
    expect((await server.ask('GET', '/posts')).body).toEqual([]);
  });
});
