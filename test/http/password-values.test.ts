import { describe, expect, it } from 'vitest';
import { createReport } from '../../src/check/report/report.ts';
import { toText } from '../../src/check/report/text.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { redactNamedProperties } from '../../src/util/redact-secrets.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const REFERENCE = { $ref: '#/components/schemas/Phrase' };
const LOGIN = {
  type: 'object',
  xml: { name: 'login' },
  minProperties: 1,
  properties: {
    user: { type: 'string' },
    phrase: REFERENCE,
    mark: { type: 'string', format: 'password', xml: { name: 'm', attribute: true } },
    old: { type: 'array', items: { allOf: [REFERENCE] } },
    inner: { type: 'object', maxProperties: 1, properties: { phrase: REFERENCE, a: {}, b: {} } },
    filler: { type: 'string' },
  },
};
const FORMS = ['application/json', 'application/x-www-form-urlencoded', 'application/xml'];
const PASSWORD = { schema: { type: 'string', format: 'password', maxLength: 60 } };

/** Returns the parts of a document with an operation whose body, header and query have passwords with names that do not look secret. */
function createDocument(more: object = {}) {
  const content = Object.fromEntries(FORMS.map((type) => [type, { schema: LOGIN, ...more }]));
  const parameters = [
    { name: 'wall', in: 'query', ...PASSWORD },
    { name: 'X-Wall', in: 'header', ...PASSWORD },
  ];
  const post = createOperation('logIn', LOGIN, { parameters, requestBody: { content } });
  return {
    paths: { '/logins': { post } },
    schemas: { Phrase: { type: 'string', format: 'password', minLength: 3 } },
  };
}

const long = 'x'.repeat(5_000);

describe('The value of a property or parameter with the format password is neither in the log nor in the journal', () => {
  it.each<readonly [about: string, target: string, type: string, body: string, headers: Record<string, string>]>([
    ['JSON', '/logins', 'application/json', '{"phrase":"hunter2","old":["hunter2"],"inner":{"phrase":"hunter2"}}', {}],
    ['refused JSON', '/logins', 'application/json', '{"phrase":["hunter2"],"inner":{"phrase":"hunter2","a":1}}', {}],
    ['truncated JSON', '/logins', 'application/json', `{"phrase":"hunter2","filler":"${long}"}`, {}],
    ['a form', '/logins', 'application/x-www-form-urlencoded', 'phrase=hunter2&user=a', {}],
    ['a truncated form', '/logins', 'application/x-www-form-urlencoded', `phrase=hunter2&filler=${long}`, {}],
    ['XML', '/logins', 'application/xml', '<login><phrase>hunter2</phrase><user>a</user></login>', {}],
    ['a parameter', '/logins?wall=hunter2', 'application/json', '{"user":"a"}', {}],
    ['a refused parameter', `/logins?wall=hunter2${long.slice(0, 60)}`, 'application/json', '{"user":"a"}', {}],
    ['XML with an attribute', '/logins', 'application/xml', '<login m="hunter2"><user>a</user></login>', {}],
    ['JSON in a text', '/logins', 'application/json', JSON.stringify({ user: '{"phrase":"hunter2"}', mark: 'x' }), {}],
    [
      'a key of a parameter',
      '/logins?filter%5Bphrase%5D=hunter2&a=%7B%22phrase%22:%22hunter2%22%7D',
      'application/json',
      '{"user":"a"}',
      {},
    ],
    ['text that is nearly JSON', '/logins', 'application/json', "{phrase:'hunter2'}", {}],
    ['text that is no JSON', '/logins', 'application/json', 'phrase=hunter2', {}],
    ['a header', '/logins', 'application/json', '{"user":"a"}', { 'X-Wall': 'hunter2' }],
  ])('%s', async (_, target, type, body, headers) => {
    const handlers = { logIn: (input: { readonly body: unknown }) => ({ body: input.body ?? {} }) };
    const contract = await writeDocument(createDocument());
    const { ask, url, log } = await startStorefront({ contract, handlers } as never);
    const response = await fetch(url + target, { method: 'POST', headers: { 'Content-Type': type, ...headers }, body });
    await response.text();
    const where = { body: { phrase: 'other', inner: { phrase: { $regex: '^z' } } } };
    const verified = await ask('POST', '/_control/sandboxes/default/requests/verify', { where, count: 1 });
    const recorded = (await ask('GET', '/_control/sandboxes/default/requests')).text;
    expect(recorded).toContain('[redacted]');
    for (const text of [JSON.stringify(log), recorded, verified.text]) expect(text).not.toContain('hunter2');
  });
});

it('A path parameter with the format password or a secret name is neither in the log nor in the journal', async () => {
  const parameters = ['wall', 'token', 'tokenId'].map((name) => ({
    ...{ name, in: 'path', required: true },
    schema: { type: 'string', ...(name === 'wall' ? { format: 'password' } : {}) },
  }));
  const paths = {
    '/walls/{wall}': { get: createOperation('getWall', LOGIN, { parameters: parameters.slice(0, 1) }) },
    '/tokens/{tokenId}/{token}': { get: createOperation('getToken', LOGIN, { parameters: parameters.slice(1) }) },
  };
  const contract = await writeDocument({ ...createDocument(), paths });
  const { ask, log } = await startStorefront({ contract, mock: true });
  await ask('GET', '/walls/hunter2');
  await ask('GET', '/tokens/shown/hunter2?a=b');
  await ask('GET', '/walls/hunter2/');
  await ask('POST', '/walls/hunter2');
  const { text } = await ask('GET', '/_control/sandboxes/default/requests');
  for (const url of ['/walls/[redacted]', '/tokens/shown/[redacted]?a=b']) expect(text).toContain(`"url":"${url}"`);
  expect(JSON.stringify(log) + text).not.toContain('hunter2');
});

it('a JSON Patch of a property with the format password is redacted', () => {
  const patch = [{ op: 'replace', path: '/inner/phrase', value: 'hunter2' }];
  for (const body of [patch, JSON.stringify(patch)])
    expect(JSON.stringify(redactNamedProperties(body, ['phrase']))).not.toContain('hunter2');
});

it('a report of storefront check contains no documented value of a property with the format password', async () => {
  const contract = await loadContract({
    path: await writeDocument(createDocument({ example: { phrase: 'hunter2' } })),
    strict: false,
  });
  const { url, seen } = await startRecorder((_, response) => {
    response.writeHead(500, { 'content-type': 'application/json' }).end('{"phrase":"hunter3"}');
  });
  const verdict = await runCheck(url, { contract });
  expect(seen.some(({ body }) => String(body).includes('hunter2'))).toBe(true);
  const report = toText(createReport(verdict, contract, String));
  expect(report).toContain('[redacted]');
  expect(report).not.toMatch(/hunter[23]/);
});
