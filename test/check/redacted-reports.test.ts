import { expect, it } from 'vitest';
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
  const verdict = await runCheck(url, { contract, headers: { 'x-auth': 'hunter2', 'x-plain': 'shown' } });
  const report = toText(createReport(verdict, contract, String));
  const [request] = seen.filter(({ headers }) => headers['x-session-id'] === 'hunter2');
  expect(request).toMatchObject({ headers: { 'x-auth': 'hunter2' }, target: '/session?X-Session-Id=hunter2' });
  expect(report).toContain('header X-Session-Id');
  expect(report).toContain("-H 'x-plain: shown'");
  expect(report).not.toContain('hunter2');
});
