import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const schemas = {
  Label: createObject({ id: INTEGER, name: TEXT }),
  Issue: createObject({ id: INTEGER, title: TEXT, labels: createList(refer('Label')), main: refer('Label') }),
  Option: createObject({ id: INTEGER, name: TEXT }),
  Grade: createObject({ id: INTEGER, classes: createList(refer('Option')), subjects: createList(refer('Option')) }),
};

const OPTIONS = createList(refer('Option'));

/** Starts a server with two labels, and an issue that has both. */
async function startIssues() {
  const { '/labels': labels = {}, '/labels/{id}': label = {} } = createResourcePaths('/labels/{id}', refer('Label'));
  const paths = { '/labels': labels, '/labels/{id}': label, ...createResourcePaths('/issues/{id}', refer('Issue')) };
  const { ask } = await startApi({ paths, schemas });
  for (const name of ['bug', 'idea']) await ask('POST', '/labels', { name });
  const sent = [{ id: 1, name: 'bug' }, { id: 2 }, { id: 7, name: 'other' }];
  await ask('POST', '/issues', { title: 'a', labels: sent, main: { id: 1, name: 'bug' } });
  return { ask, read: async () => (await ask('GET', '/issues/1')).body };
}

describe('Objects of other entries in a request', () => {
  it('show the entries whose ids they have, and otherwise what was sent', async () => {
    const { ask, read } = await startIssues();
    await ask('PATCH', '/labels/1', { name: 'defect' });
    const defect = { id: 1, name: 'defect' };
    const labels = [defect, { id: 2, name: 'idea' }, { id: 7, name: 'other' }];
    expect(await read()).toEqual({ id: 1, title: 'a', labels, main: defect });
  });

  it('are removed with their entries', async () => {
    const { ask, read } = await startIssues();
    await ask('DELETE', '/labels/1');
    expect(await read()).toEqual({
      id: 1,
      title: 'a',
      labels: [
        { id: 2, name: 'idea' },
        { id: 7, name: 'other' },
      ],
    });
  });
});

describe('An object with the id and the name of an entry', () => {
  const plans = createResourcePaths('/plans/{planId}', createObject({ id: INTEGER, name: TEXT, price: INTEGER }));
  const start = async (properties: Readonly<Record<string, object>>) => {
    const Settings = createObject({ activePlan: createObject({ 'id!': INTEGER, ...properties }), theme: TEXT });
    const settings = { get: { response: Settings }, put: { request: Settings, response: Settings } };
    const { ask } = await startApi({ paths: { ...plans, '/settings': settings } });
    await ask('POST', '/plans', { name: 'a', price: 3 });
    return ask;
  };

  it('shows the current name of the entry', async () => {
    const ask = await start({ name: TEXT });
    const sent = { activePlan: { id: 1, name: 'other' }, theme: 'dark' };
    expect((await ask('PUT', '/settings', sent)).body.activePlan).toEqual({ id: 1, name: 'a' });
    await ask('PATCH', '/plans/1', { name: 'b' });
    expect((await ask('GET', '/settings')).body.activePlan).toEqual({ id: 1, name: 'b' });
  });

  it('is shown as it was sent if it has other properties too, or names no entry', async () => {
    const ask = await start({ name: TEXT, price: INTEGER });
    const activePlan = { id: 1, name: 'a', price: 2 };
    expect((await ask('PUT', '/settings', { activePlan })).body).toEqual({ activePlan });
    const askOther = await start({ name: TEXT });
    const unknown = { id: 9, name: 'x' };
    expect((await askOther('PUT', '/settings', { activePlan: unknown })).body).toEqual({ activePlan: unknown });
  });
});

describe('Entries of several resources with the same schema', () => {
  it('are found by the names of their ids', async () => {
    const request = createObject({ class_ids: createList(INTEGER), subject_ids: createList(INTEGER) });
    const paths = {
      ...createResourcePaths('/classes/{id}', refer('Option')),
      ...createResourcePaths('/subjects/{id}', refer('Option')),
      ...createResourcePaths('/grades/{id}', refer('Grade'), request),
      '/lookup': { get: { response: createObject({ subjects: OPTIONS, classes: OPTIONS, teachers: OPTIONS }) } },
    };
    const { ask } = await startApi({ paths, schemas });
    for (const name of ['A', 'B']) await ask('POST', '/classes', { name });
    for (const name of ['Art', 'Math']) await ask('POST', '/subjects', { name });
    const { body } = await ask('POST', '/grades', { class_ids: [1], subject_ids: [2] });
    expect(body).toEqual({ id: 1, classes: [{ id: 1, name: 'A' }], subjects: [{ id: 2, name: 'Math' }] });
    expect((await ask('GET', '/lookup')).body).toMatchObject({ classes: [{ name: 'A' }, { name: 'B' }] });
    expect((await ask('GET', '/lookup')).body).toMatchObject({ subjects: [{ name: 'Art' }, { name: 'Math' }] });
    expect((await explainApi({ paths, schemas }))['GET /lookup']).not.toContain('teachers (');
    expect((await explainApi({ paths, schemas }))['GET /grades']).toContain('subjects (subjects by subject_ids)');
  });
});

describe('A value that an entry has in another form', () => {
  it('is stored in that form', async () => {
    const Book = createObject({
      id: INTEGER,
      at: { type: 'string', format: 'date-time' },
      on: { ...TEXT, format: 'date' },
    });
    const Club = createObject({ id: INTEGER, members: createList(createObject({ id: TEXT, name: TEXT })) });
    const paths = {
      ...createResourcePaths('/books/{id}', Book, createObject({ at: TEXT, on: TEXT })),
      ...createResourcePaths('/clubs/{id}', Club, createObject({ members: createList(TEXT) })),
    };
    const { ask } = await startApi({ paths });
    const book = await ask('POST', '/books', { at: '20-10-1965', on: '20.10.1965' });
    expect(book.body).toEqual({ id: 1, at: '1965-10-20T00:00:00Z', on: '1965-10-20' });
    expect((await ask('POST', '/clubs', { members: ['ann'] })).body).toEqual({ id: 1, members: [{ id: 'ann' }] });
  });
});
