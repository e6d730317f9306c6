import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const TIME = { type: 'string', format: 'date-time' };
const INTEGER = { type: 'integer' };

const Video = createObject({
  'id!': { ...INTEGER, readOnly: true },
  'title!': TEXT,
  isPublic: FLAG,
  editedAt: TIME,
  year: INTEGER,
  genre: { type: 'string', enum: ['sport', 'nature'] },
  'tags!': createList(TEXT),
  'viewers!': createList(createObject({ name: TEXT })),
});

const VIDEOS = [
  { title: 'Dog Jumping', tags: ['dog', 'jump'], viewers: [], isPublic: true, editedAt: '2030-01-01T00:00:00Z' },
  {
    title: 'My dog',
    tags: ['pet'],
    genre: 'nature',
    viewers: [{ name: 'Ann' }],
    isPublic: false,
    editedAt: '2030-01-02T00:00:00Z',
  },
  { title: 'Zebra', tags: ['dog'], viewers: [], isPublic: true, editedAt: '2030-01-03T00:00:00Z' },
];

/** Returns a document with a list of videos that has one query parameter. */
function createApi(name: string, schema: Schema, description = '') {
  const videos = createResourcePaths('/videos/{videoId}', refer('Video'));
  const get = { ...videos['/videos']?.get, query: { [name]: schema }, descriptions: { [name]: description } };
  return { paths: { ...videos, '/videos': { ...videos['/videos'], get } }, schemas: { Video } };
}

async function explainList(name: string, schema: Schema, description = '') {
  return (await explainApi(createApi(name, schema, description)))['GET /videos'];
}

async function startList(name: string, schema: Schema, description = '') {
  const { ask } = await startApi(createApi(name, schema, description));
  for (const video of VIDEOS) await ask('POST', '/videos', video);
  return async (value: string) => {
    const { body } = await ask('GET', `/videos?${name}=${encodeURIComponent(value)}`);
    return body.map(({ id }: { readonly id: number }) => id);
  };
}

describe('A boolean query parameter', () => {
  it.each([
    ['viewers', "Whether to resolve the video's viewers in the response", FLAG],
    ['viewers', '', { anyOf: [FLAG, { type: 'null' }] }],
    ['tag', 'Whether to include tags', FLAG],
    ['text', '', FLAG],
  ])('%s does not select entries by a list or by texts', async (name, description, schema) => {
    const list = await startList(name, schema, description);
    expect(await list('true')).toEqual([1, 2, 3]);
    expect(await list('false')).toEqual([1, 2, 3]);
    expect(await explainList(name, schema, description)).toBe(`real: lists videos (ignores: ${name})`);
  });

  it.each(['isPublic', 'public'])('%s selects entries by a boolean', async (name) => {
    const list = await startList(name, FLAG);
    expect(await list('true')).toEqual([1, 3]);
    expect(await list('false')).toEqual([2]);
  });
});

describe('An integer query parameter', () => {
  it.each(['before', 'editedAfter', 'since'])('%s does not select entries by a time in a text', async (name) => {
    expect(await explainList(name, INTEGER)).toBe(`real: lists videos (ignores: ${name})`);
  });

  it('selects entries by a number', async () => {
    expect(await explainList('minYear', INTEGER)).toBe('real: lists videos (filters: minYear (year))');
  });
});

describe('A text in a query', () => {
  it.each([
    'Only show videos with this text in their title',
    'Videos whose title contains this text',
    'Partial match of the title',
    'A substring of the title',
  ])('is part of the property, if the description says so: %s', async (description) => {
    const list = await startList('title', TEXT, description);
    expect(await list('dog')).toEqual([1, 2]);
    expect(await list('G JUMP')).toEqual([1]);
    expect(await list('jumping dog')).toEqual([]);
    expect(await explainList('title', TEXT, description)).toContain('filters: title (contained in title)');
  });

  it.each([
    'The title of the videos',
    'The exact title, not a text that it contains',
    'The title, which must contain only letters',
    'A string containing the title',
  ])('equals the property with any other description: %s', async (description) => {
    const list = await startList('title', TEXT, description);
    expect(await list('dog')).toEqual([]);
    expect(await list('My dog')).toEqual([2]);
    expect(await explainList('title', TEXT, description)).toContain('filters: title)');
  });

  it('is searched in the properties that the description of a parameter such as filter names', async () => {
    const description = 'Only show videos with this text in their title or with this tag';
    const list = await startList('filter', TEXT, description);
    expect(await list('dog')).toEqual([1, 2, 3]);
    expect(await list('pet')).toEqual([2]);
    expect(await explainList('filter', TEXT, description)).toContain('filters: filter (title, tags)');
  });

  it.each(['', 'Filter by title', 'A search expression with title and tags, such as title eq "dog"'])(
    'of a parameter such as filter has no effect with another description: %s',
    async (description) => {
      expect(await explainList('filter', TEXT, description)).toBe('real: lists videos (ignores: filter)');
    },
  );
});

describe('A parameter with the values of a property', () => {
  it('selects entries by the only property with this enum', async () => {
    const kind = { type: 'string', enum: ['nature', 'sport'] };
    const list = await startList('kind', kind);
    expect(await list('nature')).toEqual([2]);
    expect(await explainList('kind', kind)).toBe('real: lists videos (filters: kind (genre))');
    const other = { type: 'string', enum: ['nature', 'music'] };
    expect(await explainList('kind', other)).toBe('real: lists videos (ignores: kind)');
  });
});

describe('Values separated by commas', () => {
  it.each(['Only show videos with these comma-separated tags', 'Any of the given tags', 'All tags to show'])(
    'select entries with one of them: %s',
    async (description) => {
      const list = await startList('tags', TEXT, description);
      expect(await list('pet, jump')).toEqual([1, 2]);
      expect(await explainList('tags', TEXT, description)).toContain('filters: tags)');
    },
  );

  it.each([
    'Videos that have all of these tags',
    'Only videos with all the given tags',
    'Must match every tag',
    'List of tags to filter by (AND condition)',
  ])('select entries with all of them, if the description says so: %s', async (description) => {
    const list = await startList('tags', TEXT, description);
    expect(await list('dog, jump')).toEqual([1]);
    expect(await list('dog')).toEqual([1, 3]);
    expect(await explainList('tags', TEXT, description)).toContain('filters: tags (all values)');
  });
});

it('a query parameter with the name of a property that only requests have filters by the stored value', async () => {
  const Booking = createObject({ 'id!': INTEGER, 'seat!': TEXT, details: createObject({ title: TEXT, author: TEXT }) });
  const request = createObject({ 'seat!': TEXT, email: TEXT, title: TEXT, author: TEXT });
  const bookings = createResourcePaths('/bookings/{bookingId}', refer('Booking'), request);
  const query = { email: TEXT, title: TEXT };
  const get = { ...bookings['/bookings']?.get, query };
  const api = { paths: { ...bookings, '/bookings': { ...bookings['/bookings'], get } }, schemas: { Booking } };
  const { ask } = await startApi(api);
  await ask('POST', '/bookings', { seat: 'a', email: 'ann@x.test' });
  await ask('POST', '/bookings', { seat: 'b', email: 'bob@x.test' });
  expect((await ask('GET', '/bookings?email=bob@x.test')).body).toEqual([{ id: 2, seat: 'b' }]);
  expect((await ask('GET', '/bookings?email=eve@x.test')).body).toEqual([]);
  expect((await explainApi(api))['GET /bookings']).toContain('filters: email; ignores: title');
});

describe('A time in a query', () => {
  const explainDates = async (
    own: Readonly<Record<string, Schema>>,
    [name, description, schema]: [string, string, Schema],
  ) => {
    const Visit = createObject({ 'id!': INTEGER, ...own });
    const visits = createResourcePaths('/visits/{visitId}', refer('Visit'));
    const get = { ...visits['/visits']?.get, query: { [name]: schema }, descriptions: { [name]: description } };
    const api = { paths: { ...visits, '/visits': { ...visits['/visits'], get } }, schemas: { Visit } };
    return { api, line: (await explainApi(api))['GET /visits'] };
  };

  it('is compared with a text such as date, if the parameter is a time', async () => {
    const { api } = await explainDates({ date: TEXT }, ['date_from', 'First date (RFC3339)', TEXT]);
    const { ask } = await startApi(api);
    for (const [id, date] of ['2030-01-01T10:00:00Z', '2030-03-01T10:00:00Z'].entries())
      await ask('POST', '/visits', { id, date });
    const list = async (date: string) => (await ask('GET', `/visits?date_from=${date}`)).body;
    expect(await list('2030-02-01T00:00:00Z')).toMatchObject([{ date: '2030-03-01T10:00:00Z' }]);
    expect(await list('2030-01-01T12:00:00%2B01:00')).toHaveLength(1);
  });

  it.each<[Record<string, Schema>, [string, string, Schema], string]>([
    [{ eventDate: TEXT }, ['event_date_from', '', TIME], 'filters: event_date_from (eventDate)'],
    [{ date: TEXT }, ['date_from', 'The first date', TEXT], 'ignores: date_from'],
    [{ fecha: TIME, creadoEn: TIME }, ['since', '', TIME], 'filters: since (fecha)'],
    [{ fecha: TIME, otra: TIME }, ['since', '', TIME], 'ignores: since'],
    [{ candidate: TEXT, createdAt: TIME }, ['since', '', TIME], 'filters: since (createdAt)'],
    [{ mandate: TEXT }, ['since', '', TIME], 'ignores: since'],
    [{ lastUpdate: TEXT }, ['since', '', TIME], 'ignores: since'],
    [{ visit_date: TEXT, createdAt: TIME }, ['since', '', TIME], 'filters: since (createdAt)'],
    [{ dateTime: TEXT }, ['since', '', TIME], 'filters: since (dateTime)'],
  ])('of entries with %j and the parameter %j: %s', async (own, parameter, expected) => {
    expect((await explainDates(own, parameter)).line).toContain(expected);
  });
});

it('A query parameter such as from whose description is the name of a text filters by this text', async () => {
  const Trip = createObject({ id: INTEGER, 'departureCity!': TEXT, 'arrivalCity!': TEXT, 'departureTime!': TIME });
  const trips = createResourcePaths('/trips/{tripId}', refer('Trip'));
  const get = {
    ...trips['/trips']?.get,
    query: { from: TEXT, to: TEXT },
    descriptions: { from: 'Departure city', to: 'Arrival city.' },
  };
  const { ask } = await startApi({
    paths: { ...trips, '/trips': { ...trips['/trips'], get } },
    schemas: { Trip },
  });
  const departureTime = '2030-01-01T00:00:00Z';
  await ask('POST', '/trips', { departureCity: 'Rome', arrivalCity: 'Turin', departureTime });
  await ask('POST', '/trips', { departureCity: 'Turin', arrivalCity: 'Rome', departureTime });
  expect((await ask('GET', '/trips?from=Rome')).body).toMatchObject([{ arrivalCity: 'Turin' }]);
  expect((await ask('GET', '/trips?to=Rome')).body).toMatchObject([{ departureCity: 'Turin' }]);
});
