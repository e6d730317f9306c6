import { describe, expect, it } from 'vitest';
import { createApiDocument, createObject } from '../support/fixtures/api-document.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

const TEXT = { type: 'string' };
const LOGIN = createObject({ 'email!': { type: 'string', format: 'email' }, 'password!': { ...TEXT, minLength: 8 } });
const TOKEN = createObject({ 'token!': TEXT });

const PATHS = {
  '/register': {
    post: { isPublic: true, status: 201, request: LOGIN, response: createObject({ 'id!': TEXT }), errors: [400, 409] },
  },
  '/login': { post: { isPublic: true, request: LOGIN, response: TOKEN, errors: [400, 401] } },
};

const PROBLEM = { body: {}, headers: { 'content-type': 'application/problem+json' } };

/** Checks a server with registrations. `taken`: how many of the first e-mail addresses are those of other users. */
async function check(taken: number) {
  const passwords = new Map<string, string>();
  const seen = new Set<string>();
  const respond = ({ path, json }: ReceivedRequest): SentResponse => {
    const { email, password, ...others } = (json ?? {}) as Readonly<Record<string, unknown>>;
    const isText = typeof email === 'string' && typeof password === 'string';
    const isValid = isText && /^[^@\s]+@[^@\s]+$/.test(email) && [...password].length >= 8 && !Array.isArray(json);
    if (!isValid || Object.keys(others).length > 0) return { ...PROBLEM, status: 400 };
    if (path === '/login')
      return passwords.get(email) === password
        ? { status: 200, body: { token: 'secret' } }
        : { ...PROBLEM, status: 401 };
    seen.add(email);
    if (seen.size <= taken || passwords.has(email)) return { ...PROBLEM, status: 409 };
    passwords.set(email, password);
    return { status: 201, body: { id: String(passwords.size) } };
  };
  const { findings, unchecked } = await checkApi(JSON.parse(createApiDocument(PATHS)), respond, { runs: 3 });
  return { rules: [...new Set(findings.map(({ rule }) => rule))], unchecked };
}

describe('The check of a login', () => {
  it.each([0, 22])('sends the login of a user that it has registered, if %i addresses are taken', async (taken) => {
    expect(await check(taken)).toEqual({ rules: [], unchecked: [] });
  });

  it('is missing if no user can be registered', async () => {
    expect((await check(Number.POSITIVE_INFINITY)).unchecked).not.toEqual([]);
  });
});
