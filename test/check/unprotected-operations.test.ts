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
    'behaviour getA 200 requires credentials: The server accepts requests with invalid credentials, although the contract requires HTTP authentication (bearer): getA, getB',
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

describe('checkServer of an API with actions that require credentials', () => {
  const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const properties = { id: { type: 'string' }, status: { type: 'string', enum: ['open', 'started', 'done'] } };
  const content = { 'application/json': { schema: { type: 'object', required: ['id', 'status'], properties } } };
  const createOperation = (operationId: string, success: number, errors: readonly number[]) => {
    const responses = errors.map((status) => [status, { description: 'd' }]);
    return { operationId, responses: { [success]: { description: 'd', content }, ...Object.fromEntries(responses) } };
  };
  const createAction = (operationId: string) => ({
    parameters: [ID],
    post: createOperation(operationId, 200, [401, 404, 409]),
  });
  const document = {
    paths: {
      '/jobs': { post: createOperation('addJob', 201, [401]) },
      '/jobs/{id}': { parameters: [ID], get: createOperation('getJob', 200, [401, 404]) },
      '/jobs/{id}/start': createAction('startJob'),
      '/jobs/{id}/finish': createAction('finishJob'),
    },
    securitySchemes: DOCUMENT.securitySchemes,
    security: [{ bearer: [] }],
  };

  /** Returns the findings for a server that does not check the credentials of the action `open`. */
  async function findUnprotected(open?: string) {
    const jobs = new Map<string, { id: string; status: string }>();
    const respond = ({ method, path, headers }: ReceivedRequest) => {
      const [, , id = '', action = ''] = path.split('/');
      if (headers.authorization !== 'Bearer real' && action !== open) return { status: 401 };
      if (id === '') {
        const job = { id: `j${jobs.size + 1}`, status: 'open' };
        jobs.set(job.id, job);
        return { status: 201, body: job };
      }
      const job = jobs.get(id);
      if (!job) return { status: 404 };
      if (method === 'GET') return { status: 200, body: job };
      if (job.status !== (action === 'start' ? 'open' : 'started')) return { status: 409 };
      job.status = action === 'start' ? 'started' : 'done';
      return { status: 200, body: job };
    };
    const options = { headers: { authorization: 'Bearer real' }, runs: 2 };
    return formatFindings((await checkApi(document, respond, options)).findings);
  }

  it('finds an action without credentials that is accepted only after another action', async () => {
    expect(await findUnprotected('finish')).toEqual([
      'behaviour finishJob 200 requires credentials: The server accepts requests without credentials, although the contract requires HTTP authentication (bearer): finishJob',
    ]);
  });

  it('accepts actions that all require credentials', async () => {
    expect(await findUnprotected()).toEqual([]);
  });
});
