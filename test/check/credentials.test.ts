import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  digest: { type: 'http', scheme: 'digest' },
  header: { type: 'apiKey', in: 'header', name: 'X-Shelf' },
  query: { type: 'apiKey', in: 'query', name: 'shelf' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'shelf' },
};

const requirements: readonly Readonly<Record<string, readonly string[]>>[] = [
  ...Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
  { bearer: [], query: [], cookie: [] },
];

async function writeSecuredDocument(): Promise<string> {
  const parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];
  const responses = { 204: { description: 'd' }, 400: { description: 'd' } };
  const operations = requirements.map((requirement) => {
    const id = Object.keys(requirement).join('-');
    return [`/${id}`, { get: { operationId: id, security: [requirement], parameters, responses } }];
  });
  return writeDocument({ paths: Object.fromEntries(operations), securitySchemes });
}

/** Writes a document whose operations need the token of a login. */
async function writeLoginDocument(): Promise<string> {
  const text = { type: 'string' };
  const createObject = (names: readonly string[]) => ({
    type: 'object',
    required: names,
    properties: Object.fromEntries(names.map((name) => [name, text])),
  });
  const createContent = (schema: object) => ({ content: { 'application/json': { schema } } });
  const createPost = (operationId: string, request: readonly string[], response: readonly string[], status = 200) => ({
    post: {
      operationId,
      security: [],
      requestBody: { required: true, ...createContent(createObject(request)) },
      responses: {
        [status]: { description: 'd', ...createContent(createObject(response)) },
        ...Object.fromEntries([400, 401, 409].map((one) => [one, { description: 'd' }])),
      },
    },
  });
  const responses = { 200: { description: 'd', ...createContent(createObject(['id', 'email'])) } };
  const security = [{ bearer: [] }];
  const paths = {
    '/register': createPost('register', ['email', 'password'], ['id', 'email'], 201),
    '/login': createPost('logIn', ['email', 'password'], ['accessToken', 'refreshToken']),
    '/auth/refresh': createPost('refresh', ['refreshToken'], ['accessToken']),
    '/me': { get: { operationId: 'getMe', security, responses: { ...responses, 401: { description: 'd' } } } },
  };
  return writeDocument({ paths, securitySchemes });
}

describe('checkServer on an API that requires credentials', () => {
  it('sends credentials of the right form', async () => {
    const path = await writeSecuredDocument();
    const { url } = await startStorefront({ contract: path });
    const contract = await loadContract({ path, strict: false });
    const { findings, unchecked } = await runCheck(url, { contract, isFresh: false });
    expect(formatFindings(findings)).toEqual([]);
    expect(unchecked).toEqual([]);
  });

  it('sends the credentials of the user instead', async () => {
    const path = await writeSecuredDocument();
    const { url } = await startStorefront({ contract: path, auth: ['right'] });
    const contract = await loadContract({ path, strict: false });
    const only = ['bearer', 'header'];
    const wrong = await runCheck(url, { contract, isFresh: false, only });
    expect(wrong.unchecked).toEqual(['bearer (only 401, 405 received)', 'header (only 401, 405 received)']);
    const headers = { authorization: 'Bearer right', 'x-shelf': 'right' };
    expect((await runCheck(url, { contract, isFresh: false, only, headers })).unchecked).toEqual([]);
  });

  it('sends a storefront server a token like those of logins, and logs in and renews tokens as a registered user', async () => {
    const path = await writeLoginDocument();
    const { url } = await startStorefront({ contract: path });
    const contract = await loadContract({ path, strict: false });
    const headers = { 'x-sandbox': 'check' };
    const { findings, unchecked } = await runCheck(url, { contract, headers });
    expect(formatFindings(findings)).toEqual([]);
    expect(unchecked).toEqual([]);
  });
});
