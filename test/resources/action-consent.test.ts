import { expect, it } from 'vitest';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const FLAG = { type: 'boolean' };
const List = createObject({
  'id!': { type: 'integer' },
  'name!': { type: 'string' },
  status: { type: 'string', enum: ['draft', 'submitted'] },
  confirmed: FLAG,
});

/** Submits a list with a boolean in the body. `errors`: the documented error statuses of the action. */
async function submit(name: string, value: boolean, errors: readonly number[]) {
  const { ask } = await startApi({
    schemas: { List },
    paths: {
      ...createResourcePaths('/lists/{listId}', refer('List'), createObject({ 'name!': { type: 'string' } })),
      '/lists/{listId}/submit': {
        post: { request: createObject({ [`${name}!`]: FLAG }), response: refer('List'), errors: [404, ...errors] },
      },
    },
  });
  await ask('POST', '/lists', { name: 'a' });
  const { status } = await ask('POST', '/lists/1/submit', { [name]: value });
  return { status, state: (await ask('GET', '/lists/1')).body.status };
}

it.each(['acceptTerms', 'accepte_conditions', 'confirm', 'aceptaTerminos'])(
  'an action is refused if the body has false for %s',
  async (name) => {
    expect(await submit(name, false, [422])).toEqual({ status: 422, state: 'draft' });
    expect(await submit(name, false, [400])).toEqual({ status: 400, state: 'draft' });
    expect(await submit(name, true, [422])).toEqual({ status: 200, state: 'submitted' });
  },
);

it.each<[name: string, errors: readonly number[]]>([
  ['acceptTerms', []],
  ['acceptLate', [422]],
  ['confirmByEmail', [422]],
  ['confirmed', [422]],
  ['notify', [422]],
])('an action is not refused for false in %s with the documented errors %j', async (name, errors) => {
  expect(await submit(name, false, errors)).toEqual({ status: 200, state: 'submitted' });
});
