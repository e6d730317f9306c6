import { expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const credentials = createObject({ 'email!': TEXT, 'password!': TEXT });
const UserRef = createObject({ 'id!': INTEGER, 'email!': TEXT });

const schemas = {
  User: createObject({ 'id!': INTEGER, 'email!': TEXT, name: TEXT }),
  Report: createObject({
    ...{ 'id!': INTEGER, 'title!': TEXT, 'status!': { enum: ['draft', 'approved'] } },
    ...{ 'uploaded_by!': UserRef, requested_by_id: INTEGER, 'updated_by!': INTEGER },
    ...{ approved_at: { type: ['string', 'null'], format: 'date-time' }, approved_by: UserRef },
  }),
};

const NewReport = createObject({ 'title!': TEXT });
const paths = {
  '/users': { get: { response: createList(refer('User')) } },
  '/register': {
    post: { request: credentials, response: createObject({ 'token!': TEXT, 'user!': refer('User') }), status: 201 },
  },
  ...createResourcePaths('/reports/{reportId}', refer('Report'), NewReport),
  '/reports/{reportId}': {
    get: { response: refer('Report') },
    patch: { request: createObject({ title: TEXT }), response: refer('Report') },
  },
  '/reports/{reportId}/approve': { post: { response: refer('Report') }, delete: { response: refer('Report') } },
};

it('An entry names the users who have created it, changed it, and acted on it', async () => {
  const { ask } = await startApi({ paths, schemas } as never);
  const register = async (name: string) => {
    const { token, user } = (await ask('POST', '/register', { email: `${name}@a.test`, password: 'x' })).body;
    const headers = { Authorization: `Bearer ${token}` };
    const send = async (method: string, path: string, body?: unknown) => (await ask(method, path, body, headers)).body;
    return { id: user.id, email: user.email, send };
  };
  const [ann, bob] = [await register('ann'), await register('bob')];
  const [annShown, bobShown] = [ann, bob].map(({ id, email }) => ({ id, email }));
  const report = await ann.send('POST', '/reports', { title: 'a' });
  expect(report).toMatchObject({ uploaded_by: annShown, requested_by_id: ann.id, updated_by: ann.id });
  expect(report.approved_by).toBeUndefined();
  const path = `/reports/${report.id}`;
  expect(await bob.send('PATCH', path, { title: 'b' })).toMatchObject({ uploaded_by: annShown, updated_by: bob.id });
  expect(await ann.send('POST', `${path}/approve`)).toMatchObject({ approved_by: annShown, updated_by: ann.id });
  const undone = await bob.send('DELETE', `${path}/approve`);
  expect(undone).toMatchObject({ status: 'draft', updated_by: bob.id });
  expect(undone.approved_by).toBeUndefined();
  expect(await bob.send('POST', `${path}/approve`)).toMatchObject({ approved_by: bobShown });
  expect((await ask('GET', path)).body).toMatchObject({ uploaded_by: annShown, approved_by: bobShown });
});
