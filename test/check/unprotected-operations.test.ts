import { describe, expect, it } from 'vitest';
import { formatFindings } from '../support/harness/check.ts';
import { checkApi, type ReceivedRequest } from '../support/harness/check-api.ts';

const OK = { description: 'd', content: { 'application/json': { schema: { type: 'object' } } } };

const DOCUMENT = {
  paths: {
    '/a': { get: { operationId: 'getA', responses: { 200: OK } } },
    '/b': { get: { operationId: 'getB', responses: { 200: OK } } },
  },
  securitySchemes: {
    key: { type: 'apiKey', in: 'query', name: 'api_key' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
};
const OPTIONS = { query: { api_key: 'real' } };

describe('checkServer of an API that requires an API key in the query', () => {
  const document = { ...DOCUMENT, security: [{ key: [] }] };

  it('sends the key of the user', async () => {
    const respond = ({ query }: ReceivedRequest) =>
      query.get('api_key') === 'real' ? { status: 200, body: {} } : { status: 401 };
    const { findings, unchecked } = await checkApi(document, respond, OPTIONS);
    expect([formatFindings(findings), unchecked]).toEqual([[], []]);
  });

  it('reports once that no operation requires the key', async () => {
    const { findings } = await checkApi(document, () => ({ status: 200, body: {} }));
    expect(formatFindings(findings)).toEqual([
      'behaviour getA 200 requires credentials: The server accepts requests without credentials, although the contract requires the query api_key: getA, getB',
    ]);
  });
});

it('checkServer reports a server that accepts any token, if the user specifies one', async () => {
  const document = { ...DOCUMENT, security: [{ bearer: [] }] };
  const respond = ({ headers }: ReceivedRequest) =>
    headers.authorization?.startsWith('Bearer ') ? { status: 200, body: {} } : { status: 401 };
  const { findings } = await checkApi(document, respond, { headers: { authorization: 'Bearer real' } });
  expect(formatFindings(findings)).toEqual([
    'behaviour getA 200 requires credentials: The server accepts requests with generated credentials, although the contract requires bearer authentication: getA, getB',
  ]);
  expect((await checkApi(document, respond)).findings).toEqual([]);
});

it('checkServer invents the credential that the user does not specify, if an operation requires two', async () => {
  const document = { ...DOCUMENT, security: [{ key: [], bearer: [] }] };
  const respond = ({ query, headers }: ReceivedRequest) =>
    query.get('api_key') === 'real' && headers.authorization?.startsWith('Bearer ')
      ? { status: 200, body: {} }
      : { status: 401 };
  const { findings, unchecked } = await checkApi(document, respond, OPTIONS);
  expect([formatFindings(findings), unchecked]).toEqual([[], []]);
});
