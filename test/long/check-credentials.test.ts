import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';
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

/** Returns paths with operations that need the token of a login. */
function createLoginPaths() {
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
  return {
    '/register': createPost('register', ['email', 'password'], ['id', 'email'], 201),
    '/login': createPost('logIn', ['email', 'password'], ['accessToken', 'refreshToken']),
    '/auth/refresh': createPost('refresh', ['refreshToken'], ['accessToken']),
    '/me': { get: { operationId: 'getMe', security, responses: { ...responses, 401: { description: 'd' } } } },
  };
}

/** The path of a change of the password, which needs the token of a login. */
function createPasswordPath() {
  const { '/login': login } = createLoginPaths();
  const schema = {
    type: 'object',
    required: ['oldPassword', 'newPassword'],
    properties: { oldPassword: { type: 'string' }, newPassword: { type: 'string' } },
  };
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const responses = { ...login.post.responses, 200: { description: 'd' } };
  return { post: { operationId: 'setPassword', security: [{ bearer: [] }], requestBody, responses } };
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

  it('sends a storefront server a token like those of logins, and acts as a registered user', async () => {
    const path = await writeDocument({ paths: createLoginPaths(), securitySchemes });
    const { url } = await startStorefront({ contract: path });
    const contract = await loadContract({ path, strict: false });
    const headers = { 'x-sandbox': 'check' };
    const { findings, unchecked } = await runCheck(url, { contract, headers });
    expect(formatFindings(findings)).toEqual([]);
    expect(unchecked).toEqual([]);
  });

  it('logs in as no listed user of a server that is no storefront server', async () => {
    const { '/login': login, '/me': me } = createLoginPaths();
    const [ok] = Object.values(me.get.responses);
    const schema = { type: 'array', items: { type: 'object', properties: { email: { type: 'string' } } } };
    const responses = { 200: { ...ok, content: { 'application/json': { schema } } } };
    const paths = { '/login': login, '/users': { get: { operationId: 'listUsers', responses } } };
    const emails = new Set<unknown>();
    const respond = ({ path, json }: ReceivedRequest): SentResponse => {
      if (path === '/users') return { status: 200, body: [{ email: 'ann@example.com' }] };
      const { email, password } = Object(json);
      if (typeof email !== 'string' || typeof password !== 'string') return { status: 400 };
      emails.add(email);
      return { status: 401 };
    };
    await checkApi({ paths, securitySchemes }, respond, { runs: 2 });
    expect(emails.size).toBeGreaterThan(0);
    expect([...emails]).not.toContain('ann@example.com');
  });

  it.each(['token', 'cookie'])(
    'changes the password of a user that it has registered, with the %s of the login',
    async (kind) => {
      const { '/register': register, '/login': login } = createLoginPaths();
      const responses = { ...login.post.responses, 200: { description: 'd' } };
      const paths = {
        '/register': register,
        '/login': { post: { ...login.post, responses } },
        '/me/password': createPasswordPath(),
      };
      const passwords = new Map<string, string>();
      const respond = ({ path, json, headers }: ReceivedRequest): SentResponse => {
        const { email, password, oldPassword, newPassword } = Object(json);
        if (path === '/me/password') {
          const sent =
            kind === 'token' ? headers.authorization?.replace('Bearer ', '') : headers.cookie?.replace('sid=', '');
          const user = Buffer.from(sent ?? '', 'hex').toString();
          if (!passwords.has(user)) return { status: 401 };
          if (typeof oldPassword !== 'string' || typeof newPassword !== 'string') return { status: 400 };
          return { status: passwords.get(user) === oldPassword ? 200 : 400 };
        }
        if (typeof email !== 'string' || typeof password !== 'string') return { status: 400 };
        const isRegistration = path === '/register';
        if (isRegistration && passwords.has(email)) return { status: 409 };
        if (isRegistration) {
          passwords.set(email, password);
          return { status: 201, body: { id: '1', email } };
        }
        if (passwords.get(email) !== password) return { status: 401 };
        const token = Buffer.from(email).toString('hex');
        if (kind === 'token') return { status: 200, body: { accessToken: token } };
        return { status: 200, headers: { 'set-cookie': `sid=${token}; Path=/` } };
      };
      const { unchecked } = await checkApi({ paths, securitySchemes }, respond, { runs: 2 });
      expect(unchecked).toEqual([]);
    },
  );
});
