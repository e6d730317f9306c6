import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer, type Schema } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const TIME = { type: ['string', 'null'], format: 'date-time' };

/** Returns the schema of a relationship to one resource object. */
function relateTo(type: Schema): Schema {
  return createObject({ 'data!': createObject({ 'type!': type, 'id!': TEXT }) });
}

/** Returns a resource object (JSON:API 1.1 §7.2). */
function createResourceObject(type: string, attributes: Schema, relationships?: Schema): Schema {
  const own = { type: 'object', properties: attributes };
  return createObject({
    'type!': { const: type },
    id: TEXT,
    'attributes!': own,
    ...(relationships && { relationships: { type: 'object', properties: relationships } }),
  });
}

const Book = createResourceObject('books', { title: TEXT, genre: TEXT, pages: { type: 'integer' } });
const Member = createResourceObject('members', { name: TEXT });
const Loan = createResourceObject(
  'loans',
  {
    status: { enum: ['active', 'returned', 'lost'] },
    dueAt: TIME,
    returnedAt: TIME,
    renewals: { type: 'integer' },
  },
  { member: relateTo({ const: 'members' }), book: relateTo(TEXT) },
);

function createPaths(item: string, name: string) {
  const one = createObject({ 'data!': refer(name) });
  const { [item]: entry, ...list } = createResourcePaths(item, one);
  const [collection = ''] = Object.keys(list);
  const filters = ['genre', 'status', 'member'].map((property) => [`filter[${property}]`, TEXT]);
  const query = { ...Object.fromEntries(filters), 'filter[pages][gte]': TEXT, sort: TEXT };
  const get = { query, response: createObject({ 'data!': createList(refer(name)) }) };
  const patch = { request: one, response: one };
  return { [collection]: { ...list[collection], get }, [item]: { ...entry, patch } };
}

const loan = createObject({ 'data!': refer('Loan') });
const loans = createObject({ 'data!': createList(refer('Loan')) });
const LIBRARY = {
  paths: {
    ...createPaths('/books/{bookId}', 'Book'),
    ...createPaths('/members/{memberId}', 'Member'),
    ...createPaths('/loans/{loanId}', 'Loan'),
    '/members/{memberId}/loans': {
      get: { response: loans },
      post: { status: 201, request: loan, response: loan },
    },
    '/loans/{loanId}/return': { post: { response: loan, errors: [409] } },
    '/loans/{loanId}/reopen': { post: { response: loan } },
    '/loans/{loanId}/extend': { post: { request: createObject({ 'dueAt!': TIME }), response: loan } },
    '/statistics': {
      get: { response: createObject({ 'activeLoanCount!': { type: 'integer' }, 'loanCount!': { type: 'integer' } }) },
    },
  },
  schemas: { Book, Member, Loan },
};

/** Starts the library with two books and two members. */
async function startLibrary() {
  const { ask } = await startApi(LIBRARY);
  const send = async (path: string, type: string, attributes: object, relationships?: object) =>
    (await ask('POST', path, { data: { type, attributes, ...(relationships && { relationships }) } })).body.data;
  const dune = await send('/books', 'books', { title: 'Dune', genre: 'novel', pages: 600 });
  const emma = await send('/books', 'books', { title: 'Emma', genre: 'classic', pages: 400 });
  const ann = await send('/members', 'members', { name: 'Ann' });
  const bob = await send('/members', 'members', { name: 'Bob' });
  return { ask, send, dune, emma, ann, bob };
}

describe('A parent that entries name in relationships', () => {
  it('lists the entries that a request to another path has created', async () => {
    const { ask, send, ann, bob } = await startLibrary();
    const relationships = { member: { data: { type: 'members', id: bob.id } } };
    const { id } = await send('/loans', 'loans', {}, relationships);
    expect((await ask('GET', `/members/${bob.id}/loans`)).body.data).toMatchObject([{ id, relationships }]);
    expect((await ask('GET', `/members/${ann.id}/loans`)).body.data).toEqual([]);
    expect((await ask('GET', `/loans?filter[member]=${bob.id}`)).body.data).toMatchObject([{ id }]);
    expect((await ask('GET', `/loans?filter[member]=${ann.id}`)).body.data).toEqual([]);
  });

  it('is set in an entry that is created below it', async () => {
    const { ask, send, ann } = await startLibrary();
    const { id } = await send(`/members/${ann.id}/loans`, 'loans', {});
    const relationships = { member: { data: { type: 'members', id: ann.id } } };
    expect((await ask('GET', `/loans/${id}`)).body.data).toMatchObject({ relationships });
    expect((await ask('GET', `/members/${ann.id}/loans`)).body.data).toMatchObject([{ id, relationships }]);
  });

  it('can have a relationship with another name, if only this one has its type', async () => {
    const relate = (names: readonly string[]) => ({
      Loan: createResourceObject(
        'loans',
        { dueAt: TIME },
        Object.fromEntries(names.map((name) => [name, relateTo({ const: 'members' })])),
      ),
    });
    const schemas = { ...LIBRARY.schemas, ...relate(['borrower']) };
    const { '/members/{memberId}/loans': below, ...rest } = LIBRARY.paths;
    const paths = { ...rest, '/members/{memberId}/loans': { get: below.get } };
    expect(await explainApi({ paths, schemas })).toMatchObject({
      'GET /members/{memberId}/loans': expect.stringMatching(/^real: lists loans of/),
    });
    expect(await explainApi({ paths, schemas: { ...schemas, ...relate(['borrower', 'librarian']) } })).toMatchObject({
      'GET /members/{memberId}/loans':
        'mocked: borrower and librarian of a loan name members: the document does not say which one the path has',
    });
  });
});

describe('The attributes of a resource object', () => {
  it.each([
    ['filter[genre]=novel', ['Dune']],
    ['filter[pages][gte]=500', ['Dune']],
    ['sort=genre', ['Emma', 'Dune']],
    ['sort=-title', ['Emma', 'Dune']],
    ['sort=title', ['Dune', 'Emma']],
  ])('select and sort entries with the query %s', async (query, titles) => {
    const { ask } = await startLibrary();
    const { data } = (await ask('GET', `/books?${query}`)).body;
    expect(data.map((book: { readonly attributes: { readonly title: string } }) => book.attributes.title)).toEqual(
      titles,
    );
  });

  it('are changed by an action, and by one that leads back', async () => {
    const { ask, send } = await startLibrary();
    const { id, attributes } = await send('/loans', 'loans', { renewals: 2 });
    expect(attributes).toMatchObject({ status: 'active', returnedAt: null, renewals: 2 });
    const returned = { attributes: { status: 'returned', returnedAt: expect.any(String), renewals: 2 } };
    expect((await ask('POST', `/loans/${id}/return`)).body.data).toMatchObject({ id, ...returned });
    expect((await ask('GET', `/loans/${id}`)).body.data).toMatchObject(returned);
    expect((await ask('GET', '/loans?filter[status]=returned')).body.data).toMatchObject([{ id }]);
    expect((await ask('POST', `/loans/${id}/return`)).body).toMatchObject({
      status: 409,
      detail: 'the loan already has attributes.status "returned": nothing is left to change',
    });
    const reopened = { attributes: { status: 'active', returnedAt: null, renewals: 2 } };
    expect((await ask('POST', `/loans/${id}/reopen`)).body.data).toMatchObject(reopened);
  });

  it('are set by the properties in the body of an action', async () => {
    const { ask, send } = await startLibrary();
    const { id } = await send('/loans', 'loans', { renewals: 2 });
    const attributes = { renewals: 2, dueAt: '2030-01-01T00:00:00Z' };
    expect((await ask('POST', `/loans/${id}/extend`, { dueAt: attributes.dueAt })).body.data).toMatchObject({
      attributes,
    });
  });

  it('have the time of a state that a request sets', async () => {
    const { ask, send } = await startLibrary();
    const { id } = await send('/loans', 'loans', {});
    const change = { data: { type: 'loans', id, attributes: { status: 'returned' } } };
    expect((await ask('PATCH', `/loans/${id}`, change)).body.data.attributes.returnedAt).toEqual(expect.any(String));
  });

  it('are counted by their states', async () => {
    const { ask, send } = await startLibrary();
    const { id } = await send('/loans', 'loans', {});
    await send('/loans', 'loans', {});
    await ask('POST', `/loans/${id}/return`);
    expect((await ask('GET', '/statistics')).body).toEqual({ activeLoanCount: 1, loanCount: 2 });
  });

  it('have their places in the explanations', async () => {
    expect(await explainApi(LIBRARY)).toMatchObject({
      'POST /loans/{loanId}/return':
        'real: returns a loan: attributes.status → "returned", attributes.returnedAt → now',
      'POST /loans/{loanId}/extend': 'real: extends a loan: sets the properties in the body',
    });
  });
});
