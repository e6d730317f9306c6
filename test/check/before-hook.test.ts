import { describe, expect, it } from 'vitest';
import { type BeforeHook, callBefore } from '../../src/check/before-hook.ts';
import { startApi } from '../support/harness/check-api.ts';

const COMMAND = { wait: 0, allowWrites: true, headers: { 'x-team': 'a' }, runs: 1 };

/** Calls a hook for a check of the server at `url`. */
function call(before: unknown, { url, wait = 0 }: { readonly url?: string; readonly wait?: number } = {}) {
  const options = { environment: { PASSWORD: 'secret' }, signal: new AbortController().signal };
  return callBefore(before as BeforeHook, { ...COMMAND, url, wait }, options);
}

describe('callBefore', () => {
  it('adds values of parameters and settings of operations, with requests that the hook sends', async () => {
    const url = await startApi(({ method, path, json, headers }) =>
      path === '/orgs'
        ? { status: 201, body: { id: 7, sent: [method, json, headers['x-a']] } }
        : { status: 409, body: 'taken' },
    );
    const command = await call(
      async ({ send }: Parameters<BeforeHook>[0]) => {
        const { body } = await send({ path: '/orgs', headers: { 'X-A': 'b' }, body: { name: 'CI' } });
        return { parameters: { orgId: body.id, sent: body.sent }, operations: { purge: { skip: 'no' } } };
      },
      { url },
    );
    expect(command.parameters).toEqual({ orgId: 7, sent: ['POST', { name: 'CI' }, 'b'] });
    expect(command.operations).toEqual({ purge: { skip: 'no' } });
    const failing = call(({ send }: Parameters<BeforeHook>[0]) => send({ path: '/other' }), { url });
    await expect(failing).rejects.toThrow(
      'check.before of the configuration failed: GET /other responds with 409 taken',
    );
  });

  it('adds the headers that the hook returns, for example after a login', async () => {
    const url = await startApi(({ path, json }) => ({ status: 200, body: { token: path + JSON.stringify(json) } }));
    const command = await call(
      async ({ url: server = '', environment }: Parameters<BeforeHook>[0]) => {
        const headers = { 'content-type': 'application/json' };
        const body = JSON.stringify({ password: environment.PASSWORD });
        const response = await fetch(`${server}/login`, { method: 'POST', headers, body });
        const { token } = (await response.json()) as { readonly token: string };
        return { headers: { Authorization: `Bearer ${token}`, 'X-Team': 'b' } };
      },
      { url, wait: 5 },
    );
    // A header of the command line takes precedence.
    expect(command.headers).toEqual({ authorization: 'Bearer /login{"password":"secret"}', 'x-team': 'a' });
  });

  it('accepts no result, no headers, and an object of the class Headers', async () => {
    expect((await call(async () => {})).headers).toEqual({ 'x-team': 'a' });
    expect((await call(async () => ({}))).headers).toEqual({ 'x-team': 'a' });
    const headers = new Headers({ 'X-Key': '1' });
    expect((await call(async () => ({ headers }))).headers).toEqual({ 'x-key': '1', 'x-team': 'a' });
  });

  it.each([
    ['a text', 'token'],
    ['null', null],
    ['another property', { header: { a: 'b' } }],
    ['a text as headers', { headers: 'a: b' }],
    ['an undefined value', { headers: { a: undefined } }],
    ['an invalid name', { headers: { 'a b': 'c' } }],
    ['a line break', { headers: { a: 'b\nc' } }],
  ])('refuses %s', async (_, result) => {
    await expect(call(async () => result)).rejects.toThrow('check.before of the configuration must return nothing, or');
  });

  it('says why the hook failed', async () => {
    const failure = new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    await expect(call(() => Promise.reject(failure))).rejects.toThrow(
      'check.before of the configuration failed: fetch failed: connect ECONNREFUSED',
    );
    await expect(call(() => Promise.reject('no login'))).rejects.toThrow('configuration failed: no login');
    await expect(
      call(() => {
        throw new Error('no token');
      }),
    ).rejects.toThrow('configuration failed: no token');
  });
});
