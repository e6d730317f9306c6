import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const text = (more: object = {}) => ({ type: 'string', minLength: 20, ...more });

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Users', version: '1' },
  paths: {
    '/users': {
      post: {
        parameters: [
          { name: 'sid', in: 'cookie', schema: { type: 'integer' } },
          { name: 'X-Api-Key', in: 'header', schema: { type: 'integer' } },
          { name: 'token', in: 'query', schema: { type: 'integer' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  password: text(),
                  passcode: text(),
                  'phrase-token': text({ format: 'password' }),
                  profile: text(),
                  pin: { type: 'integer', maximum: 9 },
                },
              },
            },
          },
        },
        responses: { 201: { description: 'The user' } },
      },
    },
  },
};

const BODY = {
  password: 'Passw0rd!hunter2',
  passcode: '98765hunter2',
  'phrase-token': 'phrase-hunter2',
  profile: { password: 'profile-hunter2' },
  pin: 4711,
};

describe('A refused value that is secret', () => {
  it.each(Object.keys(BODY))('is neither in the log nor in the journal: the property %s', async (name) => {
    await expectSecret(await startUsers(), '/users', { [name]: BODY[name as keyof typeof BODY] }, {});
  });

  it.each([
    ['a cookie', '/users', { cookie: 'sid=hunter2' }],
    ['a header', '/users', { 'x-api-key': 'hunter2' }],
    ['a query parameter', '/users?token=hunter2', {}],
  ])('is neither in the log nor in the journal: %s', async (_, target, headers) => {
    await expectSecret(await startUsers(), target, {}, headers);
  });

  it('is neither in the log nor in the journal if several values are refused', async () => {
    await expectSecret(await startUsers(), '/users?token=hunter2', BODY, { cookie: 'sid=hunter2' });
  });
});

async function startUsers(): Promise<TestShop> {
  const folder = await folderWith({ 'users.json': JSON.stringify(DOCUMENT) });
  return startStorefront({ contract: join(folder, 'users.json') });
}

/** Sends an invalid request, and expects that the log and the journal name the secret, but do not have its value. */
async function expectSecret(
  { ask, log }: TestShop,
  target: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  expect((await ask('POST', target, body, headers)).status).toBe(400);
  const recorded = (await ask('GET', '/_control/sandboxes/default/requests')).text;
  expect(JSON.stringify(log)).toContain('[redacted]');
  for (const text of [JSON.stringify(log), recorded]) expect(text).not.toMatch(/hunter2|4711/);
}
