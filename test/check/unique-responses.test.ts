import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

const toContent = (schema: object) => ({ content: { 'application/json': { schema } } });

const createThing = {
  operationId: 'createThing',
  requestBody: {
    required: true,
    ...toContent({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } }),
  },
  responses: {
    201: {
      description: 'd',
      ...toContent({ type: 'object', required: ['note'], properties: { note: { type: 'string' } } }),
    },
    '4XX': { description: 'd', ...toContent({ type: 'object' }) },
  },
};

it('storefront check reports a violation in the response to a request that cannot be repeated because of a unique value', async () => {
  const names = new Set<string>();
  const { url } = await startRecorder(({ method, body }, response) => {
    const isNew = method === 'POST' && !names.has(String(body));
    names.add(String(body));
    response
      .writeHead(isNew ? 201 : 409, { 'content-type': 'application/json' })
      .end(isNew ? '{"note":null}' : '{"title":"exists"}');
  });
  const { findings } = await runCheck(url, {
    contract: await loadContract({
      path: await writeDocument({ paths: { '/things': { post: createThing } } }),
      strict: false,
    }),
    model: undefined,
    isFresh: false,
    runs: 5,
  });
  const rules = findings.map(({ rule, operationId, message }) => `${rule} ${operationId} ${message}`);
  expect(rules).toContainEqual('response-schema createThing body/note must be string');
  expect(rules.filter((rule) => rule.startsWith('reproducible'))).toEqual([]);
});
