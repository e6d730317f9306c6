import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const Edition = createObject({
  'id!': { type: 'integer' },
  'name!': TEXT,
  dates: createList(TEXT),
  status: { type: 'string', enum: ['planned', 'draft', 'ready', 'closed'] },
  paymentStatus: { type: 'string', enum: ['open', 'paid'] },
  billing: { type: 'string', enum: ['monthly', 'paid'] },
  role: { type: 'string', enum: ['main', 'side'] },
  ready_at: { type: 'string', format: 'date-time' },
});
const NewEdition = createObject({ 'name!': TEXT });

interface Texts {
  /** The description of the creation of an edition. */
  readonly creation?: string;
  /** The description of the action `configure`. */
  readonly action?: string;
}

/** The editions have an action whose name says nothing about their states. */
function createApi({ creation = '', action = '' }: Texts) {
  const paths = createResourcePaths('/editions/{editionId}', refer('Edition'), NewEdition);
  const collection = paths['/editions'];
  const request = createObject({ 'dates!': createList(TEXT) });
  return {
    paths: {
      ...paths,
      '/editions': { ...collection, post: { ...collection?.post, description: creation } },
      '/editions/{editionId}/configure': {
        post: { description: action, request, response: refer('Edition') },
      },
      '/editions/{editionId}/import': {
        post: { description: action, response: createObject({ 'imported!': { type: 'integer' } }) },
      },
    },
    schemas: { Edition },
  };
}

async function configure(action: string) {
  const { ask } = await startApi(createApi({ action }));
  const { body: created } = await ask('POST', '/editions', { name: 'Spring' });
  await ask('POST', '/editions/1/configure', { dates: ['2030-01-01'] });
  const { body } = await ask('GET', '/editions/1');
  expect(body.dates).toEqual(['2030-01-01']);
  return { created, body };
}

describe('an action whose text says the new value of a property', () => {
  it.each([
    ['Sets the dates, and sets `status` to `ready`.', { status: 'ready' }],
    ['Sets the dates and changes the status from `draft` to "Ready".', { status: 'ready' }],
    ['Marks the edition as "ready"', { status: 'ready' }],
    ['Moves the edition to status: `ready`. Only admins can do this.', { status: 'ready' }],
    ["Configure les dates et passe l'édition en status « réady ».", { status: 'ready' }],
    ["Sets the edition's payment status to 'paid'.", { paymentStatus: 'paid' }],
    ['Sets role to `side`', { role: 'side' }],
  ])('%s', async (action, expected) => {
    const { created, body } = await configure(action);
    expect(body).toMatchObject(expected);
    expect(created).not.toMatchObject(expected);
  });

  it('also sets the time of the state', async () => {
    const { body } = await configure('Sets status to `ready`');
    expect(body.ready_at).toMatch(/^\d{4}-/);
  });

  it('is explained', async () => {
    const explained = await explainApi(createApi({ action: 'Sets status to `ready`' }));
    expect(explained['POST /editions/{editionId}/configure']).toBe(
      'real: configures an edition: sets the properties in the body, status → "ready", ready_at → now',
    );
  });

  it.each([
    'Only editions in status `draft` can be configured',
    'Sets the dates if the status is `draft`',
    'The edition must have the status `draft`; sets the dates',
    'Configures an edition with status `draft`',
    'Configures an edition. Status: `draft`',
    'Changes the dates. Impossible when status is `closed`',
    'Sets status to `ready` or `closed`',
    'Sets status to `ready`. Sets status to `closed`',
    'Sets the edition to paid',
    'Sets the edition to `paid`',
    'Sets the edition as `main`',
    'Sets status to `unknown`',
    "Change les dates si l'édition est en status `draft`",
    'Changes the name `draft`',
  ])('sets only the properties in the body: %s', async (action) => {
    const { created, body } = await configure(action);
    expect({ ...body, dates: created.dates }).toEqual(created);
  });

  it('is mocked if the response has something else than the entry', async () => {
    const explained = await explainApi(createApi({ action: 'Sets status to `ready`' }));
    expect(explained['POST /editions/{editionId}/import']).toContain('mocked');
  });
});

describe('a creation whose text says the initial value of a property', () => {
  it.each([
    ['Creates a new edition in status "draft".', 'draft'],
    ['Create an edition with status `draft`', 'draft'],
    ['Creates an edition. The initial status is `draft`.', 'draft'],
    ['Crée une nouvelle édition en status "draft". Réservé aux administrateurs.', 'draft'],
    ['Creates an edition. The status defaults to `draft`.', 'draft'],
    ['Creates an edition', undefined],
    ['Creates an edition, unless one has status `draft`', undefined],
    ['Creates an edition from one with status `draft`', undefined],
    ['Creates an edition with status `draft` or `planned`', undefined],
    ['Creates an edition. Another status than `draft` is possible.', undefined],
  ])('%s', async (creation, status) => {
    const { ask } = await startApi(createApi({ creation }));
    expect((await ask('POST', '/editions', { name: 'Spring' })).body.status).toBe(status);
    const { body: list } = await ask('GET', '/editions');
    expect(list.map((one: { readonly status?: string }) => one.status)).toEqual([status]);
  });
});

describe('a text that says what clients can send', () => {
  const body = createObject({ 'name!': TEXT, status: TEXT });

  it.each(['Set status to `ready` to create a complete edition', 'Creates an edition; set `status` to `closed`'])(
    'is not about the initial value: %s',
    async (description) => {
      const paths = createResourcePaths('/editions/{editionId}', refer('Edition'), body);
      const post = { ...paths['/editions']?.post, description };
      const api = { paths: { ...paths, '/editions': { ...paths['/editions'], post } }, schemas: { Edition } };
      const { ask } = await startApi(api);
      expect((await ask('POST', '/editions', { name: 'Spring' })).body.status).toBeUndefined();
    },
  );

  it('is not about the effect of an action', async () => {
    const paths = {
      ...createResourcePaths('/editions/{editionId}', refer('Edition'), NewEdition),
      '/editions/{editionId}/configure': {
        post: {
          description: 'Set status to `ready`',
          request: createObject({ status: TEXT }),
          response: refer('Edition'),
        },
      },
    };
    const { ask } = await startApi({ paths, schemas: { Edition } });
    const { body: created } = await ask('POST', '/editions', { name: 'Spring' });
    expect((await ask('POST', '/editions/1/configure', {})).body).toEqual(created);
  });
});
