import { expect, it } from 'vitest';
import { toJunit } from '../../src/check/report/junit.ts';
import { toMarkdown } from '../../src/check/report/markdown.ts';
import { redactRequest } from '../../src/check/report/redact.ts';
import { createReport } from '../../src/check/report/report.ts';
import { toText } from '../../src/check/report/text.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

/** The contract of an operation that gets a session id in a header and in the query, and returns a numeric one in a header. */
async function sessionContract() {
  const parameters = ['header', 'query'].map((place) => ({
    name: 'X-Session-Id',
    in: place,
    required: true,
    schema: { type: 'string' },
    example: 'hunter2',
  }));
  const responses = {
    200: { description: 'A session', headers: { 'X-Session-Id': { schema: { type: 'integer' } } } },
    '4XX': { description: 'A refusal' },
  };
  const paths = {
    '/session': { get: createOperation(undefined, {}, { operationId: 'getSession', parameters, responses }) },
  };
  return loadContract({ path: await writeDocument({ paths }), strict: false });
}

it('a report of storefront check contains no credentials that the security of the contract names', async () => {
  const securitySchemes = {
    header: { type: 'apiKey', in: 'header', name: 'X-Shelf' },
    query: { type: 'apiKey', in: 'query', name: 'shelf' },
  };
  const parameters = [{ name: 'shelf', in: 'query', required: true, schema: { type: 'string' }, example: 'hunter2' }];
  const get = createOperation('getBooks', {}, { parameters, security: [{ header: [], query: [] }] });
  const contract = await loadContract({
    path: await writeDocument({ paths: { '/books': { get } }, securitySchemes }),
    strict: false,
  });
  const { url, seen } = await startRecorder((_, response) => void response.writeHead(500).end());
  const verdict = await runCheck(url, { contract, headers: { 'x-shelf': 'hunter2' } });
  const report = toText(createReport(verdict, contract, String));
  expect(seen).toContainEqual(expect.objectContaining({ target: '/books?shelf=hunter2' }));
  expect(report).toContain('/books?shelf=[redacted]');
  expect(report).not.toContain('hunter2');
});

it('a report of storefront check contains no session ids and credentials of requests and responses', async () => {
  const contract = await sessionContract();
  const { url, seen } = await startRecorder((_, response) => {
    response.writeHead(200, { 'x-session-id': 'hunter2', 'content-type': 'application/json' });
    response.end('{"session":"hunter2"}');
  });
  const verdict = await runCheck(url, { contract, headers: { 'x-auth': 'hunter2', 'x-plain': 'hunter3' } });
  const report = toText(createReport(verdict, contract, String));
  const [request] = seen.filter(({ headers }) => headers['x-session-id'] === 'hunter2');
  expect(request).toMatchObject({ headers: { 'x-auth': 'hunter2' }, target: '/session?X-Session-Id=hunter2' });
  expect(report).toContain('header X-Session-Id');
  expect(report).toContain("-H 'x-plain: [redacted]'");
  expect(report).not.toMatch(/hunter[23]/);
});

it.each([
  ['Ocp-Apim-Subscription-Key', 'hunter2-key', 'hunter2-key'],
  ['X-Tenant', 'hunter2 & co', 'hunter2 & co'],
  ['Authorization', 'Bearer hunter2', 'hunter2'],
  ['Authorization', `Basic ${btoa('ann:hunter2')}`, 'hunter2'],
  ['Cookie', 'a=b; id=hunter2', 'hunter2'],
])('a report of storefront check contains no value of the given header %s: %s', async (name, value, secret) => {
  const get = createOperation('getBooks', { type: 'array', items: { type: 'string' } });
  const contract = await loadContract({ path: await writeDocument({ paths: { '/books': { get } } }), strict: false });
  const { url } = await startRecorder((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ you: secret }));
  });
  const verdict = await runCheck(url, { contract, headers: { [name.toLowerCase()]: value } });
  const report = createReport(verdict, contract, String);
  expect(report.failures).not.toEqual([]);
  expect(toText(report)).toContain(`-H '${name.toLowerCase()}: [redacted]'`);
  for (const text of [toText(report), toJunit(report), toMarkdown(report)]) expect(text).not.toContain(secret);
});

it('a report of storefront check shows a generated value of a secret name, which can be the cause', async () => {
  const schema = { type: 'object', required: ['password'], properties: { password: { type: 'string' } } };
  const body = { required: true, content: { 'application/json': { schema } } };
  const post = createOperation('addUser', {}, { requestBody: body });
  const contract = await loadContract({ path: await writeDocument({ paths: { '/users': { post } } }), strict: false });
  const { url } = await startRecorder(({ body: sent }, response) => {
    response
      .writeHead(/"password":""/.test(String(sent)) ? 500 : 200, { 'content-type': 'application/json' })
      .end('{}');
  });
  const report = toText(createReport(await runCheck(url, { contract }), contract, String));
  expect(report).toContain(`--data-raw '{"password":""}'`);
});

it.each(['//[', '//a:b:c/', '/%', '/a?token=x'])('a request with the target %s can be in a report', async (target) => {
  const contract = await loadContract({ path: await writeDocument({ paths: {} }), strict: false });
  const request = { method: 'GET', target };
  expect(redactRequest({ contract, headers: {} }, request, []).target).toBe(target);
});

it('redactRequest redacts a documented secret in JSON of any depth', async () => {
  const contract = await sessionContract();
  const body = `${'{"a":'.repeat(20_000)}{"password":"hunter2"}${'}'.repeat(20_000)}`;
  const redacted = redactRequest({ contract, headers: {} }, { method: 'POST', target: '/session', body }, []);
  expect(String(redacted.body)).not.toContain('hunter2');
});
