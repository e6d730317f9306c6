import { describe, expect, it } from 'vitest';
import { createAccess } from '../../src/check/access.ts';
import { CsrfToken } from '../../src/check/csrf-token.ts';
import { createOperation } from '../support/fixtures/other-document.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };
const requestBody = { required: true, content: { 'application/json': { schema } } };
const responses = {
  200: { description: 'd', content: { 'application/json': { schema } } },
  400: { description: 'd' },
};
const tokenUrl = 'https://login.test/token';
const DOCUMENT = {
  paths: {
    '/notes': {
      get: createOperation('getNotes', schema),
      post: createOperation('createNote', schema, { requestBody, responses }),
    },
  },
  securitySchemes: { oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} } } } },
};
const HTML = { 'content-type': 'text/html' };

/** Checks a server. Returns the notes of the report. */
async function check(respond: (request: ReceivedRequest) => SentResponse, security: readonly object[] = []) {
  return (await checkApi({ ...DOCUMENT, security }, respond, { runs: 1 })).notes;
}

describe('checkServer hints at', () => {
  it.each<[string, SentResponse, string]>([
    [
      'a redirect to a login page',
      { status: 302, headers: { location: '/login?next=%2Fnotes' } },
      'GET /notes redirects to a login page (/login). Send a session with -H',
    ],
    [
      'a login page',
      { status: 200, headers: HTML, body: '<html><input name=p type="password">' },
      'GET /notes responds with a login page. Send a session',
    ],
    [
      'an error page of a proxy',
      { status: 502, headers: { ...HTML, server: 'nginx' }, body: '<html>Bad Gateway' },
      'A proxy (nginx) responds to GET /notes with 502, and not the server',
    ],
    [
      'a missing client certificate',
      { status: 400, headers: HTML, body: '<html>No required SSL certificate was sent' },
      'add it with --cert FILE and --key FILE',
    ],
  ])('%s', async (_, response, hint) => {
    expect(await check(() => response)).toContainEqual(expect.stringContaining(hint));
  });

  it('OAuth client credentials', async () => {
    expect(await check(() => ({ status: 401 }), [{ oauth: [] }])).toContain(
      `The contract has OAuth client credentials, with tokens from ${tokenUrl}: return one from check.credentials.oauth of the configuration file`,
    );
  });

  it('nothing if the responses are those of the contract', async () => {
    const notes = await check(() => ({ status: 200, body: { a: '' } }));
    expect(notes.filter((note) => /login|proxy|CSRF|OAuth|--cert/.test(note))).toEqual([]);
  });
});

describe('A server that requires the token of a cookie in a header', () => {
  const respond = ({ method, path, headers, json }: ReceivedRequest): SentResponse => {
    if (method === 'GET' || method === 'HEAD')
      return { status: 200, body: { a: path }, headers: { 'set-cookie': 'csrftoken=abc%3D1; Path=/' } };
    const isValid = headers.cookie === 'csrftoken=abc%3D1' && headers['x-csrftoken'] === 'abc=1';
    if (!isValid) return { status: 403, body: { detail: 'CSRF Failed: CSRF token missing.' } };
    const isNote = typeof json === 'object' && json !== null && ['string', 'undefined'].includes(typeof Object(json).a);
    return isNote && !Array.isArray(json) ? { status: 200, body: {} } : { status: 400 };
  };

  it('is checked with --csrf, and the report names this option without it', async () => {
    expect(await check(respond)).toContain(
      'POST /notes is refused without a CSRF token (status 403). Send the token of a cookie back with --csrf COOKIE:HEADER, such as --csrf csrftoken:X-CSRFToken',
    );
    const access = createAccess({ csrf: { cookie: 'csrftoken', header: 'X-CSRFToken' } }, {});
    const { findings, unchecked } = await checkApi(DOCUMENT, respond, { runs: 1, access });
    expect([findings, unchecked]).toEqual([[], []]);
  });

  it('CsrfToken keeps the cookies beside the token, and follows their changes', () => {
    const token = new CsrfToken({ cookie: 'XSRF-TOKEN', header: 'X-XSRF-TOKEN' });
    const receive = (cookies: string) =>
      token.observe({
        status: 200,
        headers: { 'set-cookie': cookies },
        text: '',
        body: undefined,
        jsonError: undefined,
      });
    const request = { method: 'POST', target: '/' };
    receive('other=1');
    expect(token.apply(request, {})).toEqual(request);
    receive('XSRF-TOKEN=a; Expires=Sun, 29 Nov 2026 10:00:00 GMT; Path=/, session=s; HttpOnly');
    receive('session=t, tracking=1');
    expect(token.apply(request, { cookie: 'lang=en' }).headers).toEqual({
      cookie: 'lang=en; XSRF-TOKEN=a; session=t',
      'x-xsrf-token': 'a',
    });
    expect(token.apply({ ...request, method: 'GET' }, {}).headers).toEqual({ cookie: 'XSRF-TOKEN=a; session=t' });
    expect(token.apply({ ...request, isAnonymous: true }, {}).headers).toBeUndefined();
  });
});
