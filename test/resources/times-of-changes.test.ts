import { describe, expect, it } from 'vitest';
import { createObject, createResourcePaths, type Schema } from '../support/fixtures/api-document.ts';
import { createControlClient } from '../support/harness/sandboxes.ts';
import { startApi } from '../support/harness/start-api.ts';

const TIME = { type: 'string', format: 'date-time' };
const LATER = '2030-01-01T00:00:00.000Z';

/** Starts a server with the note 1, which has these properties, and moves its clock. */
async function startNote(properties: Readonly<Record<string, Schema>>) {
  const Note = createObject({ 'id!': { type: 'integer', readOnly: true }, text: { type: 'string' }, ...properties });
  const { ask, port } = await startApi({ paths: createResourcePaths('/notes/{noteId}', Note) });
  const { body } = await ask('POST', '/notes', { text: 'old' });
  await createControlClient({ port })('PUT', '/default/clock', { now: LATER, frozen: true });
  return { ask, created: body };
}

describe('The time of the last change', () => {
  it.each([
    ['a readOnly time', { 'updatedAt!': { ...TIME, readOnly: true } }],
    ['a time that clients can set', { updatedAt: TIME }],
  ])('is set if a change repeats %s', async (_what, properties) => {
    const { ask, created } = await startNote(properties);
    expect((await ask('PUT', '/notes/1', { ...created, text: 'new' })).body).toEqual({
      id: 1,
      text: 'new',
      updatedAt: LATER,
    });
  });

  it('is the one of the client if it is a new one that clients can set', async () => {
    const { ask, created } = await startNote({ updatedAt: TIME });
    const updatedAt = '2029-01-01T00:00:00Z';
    expect((await ask('PUT', '/notes/1', { ...created, updatedAt })).body).toMatchObject({ updatedAt });
  });

  it('is not the one of the client if it is readOnly', async () => {
    const { ask } = await startNote({ 'updatedAt!': { ...TIME, readOnly: true } });
    const updatedAt = '2029-01-01T00:00:00Z';
    expect((await ask('PATCH', '/notes/1', { updatedAt })).body).toMatchObject({ updatedAt: LATER });
  });
});

describe('The time `edited_at`', () => {
  it('is missing until a change', async () => {
    const { ask, created } = await startNote({ edited_at: { ...TIME, readOnly: true } });
    expect(created).toEqual({ id: 1, text: 'old' });
    expect((await ask('PATCH', '/notes/1', { text: 'new' })).body).toMatchObject({ edited_at: LATER });
    expect((await ask('GET', '/notes/1')).body).toEqual({ id: 1, text: 'new', edited_at: LATER });
  });

  it('is null until a change if entries require it', async () => {
    const { ask, created } = await startNote({ 'editedAt!': { ...TIME, type: ['string', 'null'], readOnly: true } });
    expect(created).toEqual({ id: 1, text: 'old', editedAt: null });
    expect((await ask('PATCH', '/notes/1', { text: 'new' })).body).toMatchObject({ editedAt: LATER });
  });

  it('is that of the creation if entries require a time', async () => {
    const { ask, created } = await startNote({ 'editedAt!': { ...TIME, readOnly: true } });
    expect(created).toMatchObject({ editedAt: '2025-06-01T12:00:00.000Z' });
    expect((await ask('PATCH', '/notes/1', { text: 'new' })).body).toMatchObject({ editedAt: LATER });
  });

  it('is neither a boolean nor a text `edited`', async () => {
    const { ask } = await startNote({ edited: { type: 'string' }, isEdited: { type: 'boolean' } });
    expect((await ask('PATCH', '/notes/1', { text: 'new' })).body).toEqual({ id: 1, text: 'new' });
  });
});

it.each([
  ['creadoEn', 'actualizadoEn'],
  ['fecha_creacion', 'fecha_actualizacion'],
  ['criado_em', 'atualizado_em'],
  ['créé_le', 'modifié_le'],
  ['erstelltAm', 'geändertAm'],
])('The times %s and %s are those of the creation and of the last change', async (creation, change) => {
  const { ask, created } = await startNote({ [creation]: TIME, [change]: TIME });
  expect(created).toMatchObject({ [creation]: expect.any(String), [change]: created[creation] });
  const { body } = await ask('PATCH', '/notes/1', { text: 'new' });
  expect(body).toMatchObject({ [creation]: created[creation], [change]: LATER });
});
