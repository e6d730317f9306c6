import { describe, expect, it } from 'vitest';
import { createList, createObject, type Paths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const TIME = { type: 'string', format: 'date-time' };

const schemas = {
  Book: createObject({
    'id!': TEXT,
    'title!': TEXT,
    'price!': NUMBER,
    likeCount: NUMBER,
    dueDate: { type: 'string', format: 'date' },
    'createdAt!': TIME,
    'updatedAt!': TIME,
  }),
};

const BOOKS = [
  { id: 'b', title: 'Beta', price: 9, likeCount: 5, dueDate: '2025-01-03' },
  { id: 'a', title: 'Alpha', price: 5, likeCount: 9, dueDate: '2025-01-02' },
  { id: 'c', title: 'Gamma', price: 7, likeCount: 1, dueDate: '2025-01-01' },
].map((book, index) => ({
  ...book,
  createdAt: `2025-01-0${index + 1}T00:00:00Z`,
  updatedAt: `2025-02-0${3 - index}T00:00:00Z`,
}));

function createPaths(query: Readonly<Record<string, Schema>>): Paths {
  return { '/books': { get: { query, response: createList(refer('Book')), example: BOOKS } } };
}

/** The ids in the order of a list, by the query of its request. */
async function listIds(query: Readonly<Record<string, Schema>>, texts: readonly string[]) {
  const { ask } = await startApi({ paths: createPaths(query), schemas });
  const lists = texts.map(async (text) => {
    const { body } = await ask('GET', `/books?${text}`);
    return [text, body.map(({ id }: { id: string }) => id).join('')];
  });
  return Object.fromEntries(await Promise.all(lists));
}

describe('A value of a sort parameter', () => {
  it('names a property and a direction', async () => {
    const orders = {
      'sort=price_asc': 'acb',
      'sort=price_desc': 'bca',
      'sort=priceDesc': 'bca',
      'sort=PRICE_DESC': 'bca',
      'sort=price-high-to-low': 'bca',
      'sort=price-low-to-high': 'acb',
      'sort=price:desc': 'bca',
      'sort=title_asc,price_desc': 'abc',
    };
    expect(await listIds({ sort: TEXT }, Object.keys(orders))).toEqual(orders);
  });

  it('names a time, or how often entries are liked', async () => {
    const orders = {
      'sort=newest': 'cab',
      'sort=oldest': 'bac',
      'sort=created': 'bac',
      'sort=-created': 'cab',
      'sort=created_desc': 'cab',
      'sort=due': 'cab',
      'sort=recently_updated': 'bac',
      'sort=popular': 'abc',
      'sort=alphabetical': 'abc',
    };
    expect(await listIds({ sort: TEXT }, Object.keys(orders))).toEqual(orders);
  });

  it('has the direction of another parameter, unless it names one', async () => {
    const orders = {
      'sort_by=price&order=desc': 'bca',
      'sort_by=created&order=desc': 'cab',
      'sort_by=newest&order=desc': 'cab',
    };
    expect(await listIds({ sort_by: TEXT, order: TEXT }, Object.keys(orders))).toEqual(orders);
  });

  it.each([
    [['newest', 'relevance'], 'sorts by: sort (ignores: relevance)'],
    [['relevance', 'distance'], 'ignores: sort'],
    [['newest', 'price_asc'], 'sorts by: sort'],
  ])('that names nothing of an entry has no effect, and explain says so: %s', async (values, explanation) => {
    const paths = createPaths({ sort: { ...TEXT, enum: values } });
    const { 'GET /books': line } = await explainApi({ paths, schemas });
    expect(line).toBe(`real: lists books (${explanation}; starts with examples or generated entries)`);
  });

  it('that has no effect is reported once', async () => {
    const { ask, log } = await startApi({
      paths: createPaths({ sort: { ...TEXT, enum: ['newest', 'relevance'] } }),
      schemas,
    });
    for (const sort of ['relevance', 'newest', 'relevance']) await ask('GET', `/books?sort=${sort}`);
    const notes = log.filter((line) => JSON.stringify(line).includes('sort=relevance has no effect'));
    expect(notes).toHaveLength(1);
  });
});

it('The values of an enum are sorted in the order of the document, also by a word', async () => {
  const Task = createObject({
    'id!': NUMBER,
    'priority!': { type: ['string', 'null'], enum: ['low', 'medium', 'high', null] },
  });
  const tasks = ['high', 'low', 'medium', null, 'low'].map((priority, index) => ({ id: index + 1, priority }));
  const { ask } = await startApi({
    paths: { '/tasks': { get: { query: { sort: TEXT }, response: createList(Task), example: tasks } } },
  });
  const list = async (sort: string) =>
    (await ask('GET', `/tasks?sort=${sort}`)).body.map(({ id }: { id: number }) => id);
  expect(await list('priority')).toEqual([2, 5, 3, 1, 4]);
  expect(await list('priority,-id')).toEqual([5, 2, 3, 1, 4]);
  expect(await list('priority_desc')).toEqual([1, 3, 2, 5, 4]);
});
