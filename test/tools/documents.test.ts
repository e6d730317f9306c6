import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CheckedReply, DocumentClient } from '../../tools/documents/client.ts';
import { createDocument, type Operation } from '../../tools/documents/document.ts';
import { createBody, createEntity } from '../../tools/documents/entities.ts';
import { findIds } from '../../tools/documents/entity.ts';
import { ParentEntities } from '../../tools/documents/parents.ts';
import { readDocument } from '../../tools/documents/read-document.ts';
import type { DocumentRequest } from '../../tools/documents/request.ts';
import { findResources } from '../../tools/documents/resources.ts';
import { runLifeCycles } from '../../tools/documents/run-document.ts';
import { createValidator } from '../../tools/documents/validator.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { BOOKS_CONTRACT, type BooksDefect, startBooksServer } from '../support/reference-servers/books-server.ts';

async function run(defect?: BooksDefect) {
  const document = createDocument(parse(BOOKS_CONTRACT));
  const client = new DocumentClient(document, createValidator(document), await startBooksServer(defect));
  const [lifeCycle] = await runLifeCycles(client);
  return { steps: lifeCycle?.steps, failure: lifeCycle?.failures[0], findings: client.findings };
}

it('the life cycle of a server without defects is complete', async () => {
  const { steps, failure, findings } = await run();
  expect({ failure, findings }).toEqual({ failure: undefined, findings: [] });
  expect(steps).toEqual([
    'create',
    'read',
    'list',
    'replace',
    'read the change',
    'patch',
    'read the change',
    'delete',
    'read the deleted',
    'list the rest',
  ]);
});

const DEFECTS: readonly (readonly [BooksDefect, string, string])[] = [
  ['POST stores nothing', 'read', 'GET /books/{bookId}'],
  ['POST stores another title', 'read', 'GET /books/{bookId}'],
  ['GET fails', 'read', 'GET /books/{bookId}'],
  ['GET returns the pages as text', 'read', 'GET /books/{bookId}'],
  ['the list lacks new books', 'list', 'GET /books'],
  ['PUT stores nothing', 'read the change', 'GET /books/{bookId}'],
  ['PATCH stores nothing', 'read the change', 'GET /books/{bookId}'],
  ['DELETE removes nothing', 'read the deleted', 'GET /books/{bookId}'],
  ['the list has deleted books', 'list the rest', 'GET /books'],
];

it.each(DEFECTS)('the life cycle fails if %s', async (defect, step, operation) => {
  expect((await run(defect)).failure).toMatchObject({ step, operation });
});

it('a status 5xx is a server error, and a value of the wrong type an invalid response', async () => {
  expect((await run('GET fails')).findings[0]).toMatchObject({
    kind: 'server error',
    operation: 'GET /books/{bookId}',
  });
  expect((await run('GET returns the pages as text')).findings[0]).toMatchObject({
    kind: 'invalid response',
    text: '200: #/pages violates #/$ref/allOf/0/$ref/properties/pages/type',
  });
});

/** Returns the operations that are found as creations in the books of the contract, with another POST. */
function findCreation(post: object): string | undefined {
  const contract = parse(BOOKS_CONTRACT);
  contract.paths['/books'].post = post;
  contract.paths['/books/{bookId}/readers'] = { post };
  contract.paths['/books/{bookId}/readers/{readerId}'] = { get: { responses: { 204: { description: '' } } } };
  const creations = findResources(createDocument(contract)).flatMap(({ create }) => (create ? [create.path] : []));
  return creations.join();
}

const createContent = (schema: object) => ({ content: { 'application/json': { schema } } });
const createProperties = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});

it.each([
  ['shows the book, which has readers', { 201: { $ref: '#/components/responses/Book' } }, '/books'],
  [
    'has an id',
    { 201: { description: '', ...createContent(createProperties('bookId')) } },
    '/books,/books/{bookId}/readers',
  ],
  [
    'is another thing',
    { 200: { description: '', ...createContent(createProperties('started')) } },
    '/books/{bookId}/readers',
  ],
  ['is empty', { 202: { description: '' } }, '/books/{bookId}/readers'],
])('a POST whose response %s is a creation or an action', (_name, responses, expected) => {
  const request = createContent(createProperties('bookIds', 'reason', 'title'));
  expect(findCreation({ requestBody: request, responses })).toBe(expected);
});

/** Returns a document with operations by method and path, whose success responses have these schemas. */
function createPaths(operations: Readonly<Record<string, object>>) {
  const paths: Record<string, Record<string, object>> = {};
  for (const [key, schema] of Object.entries(operations)) {
    const [method = '', path = ''] = key.split(' ');
    paths[path] = { ...paths[path], [method]: { responses: { 200: createContent(schema) } } };
  }
  return createDocument({ paths, components: { schemas: { Book: createProperties('id', 'title') } } });
}

const BOOK = { $ref: '#/components/schemas/Book' };
const BOOK_LIST = { type: 'object', properties: { books: { type: 'array', items: BOOK } } };

it.each([
  [
    'a list of entities',
    { 'get /books': BOOK_LIST, 'get /books/{shelf}': BOOK_LIST, 'get /books/{shelf}/{id}': BOOK },
    '/books/{shelf}/{id}',
  ],
  ['the only list', { 'post /books': BOOK, 'get /books/{shelf}': BOOK_LIST }, ''],
  ['an entity in a list', { 'get /books': BOOK_LIST, 'get /books/{id}': BOOK_LIST }, '/books/{id}'],
  [
    'the same as another path',
    { 'get /books': BOOK_LIST, 'get /books/{id}': BOOK, 'get /books/{isbn}': BOOK },
    '/books/{id}',
  ],
])('a path that ends with a parameter can be %s', (_name, operations, expected) => {
  expect(findResources(createPaths(operations)).map(({ itemPath }) => itemPath)).toEqual([expected].filter(Boolean));
});

it.each([
  ['/shops/{shop}/books', '/books/{id}', { id: 'made' }],
  ['/books', '/books/{shelf}/{id}', { shelf: 'text1', id: 'made' }],
])('a parent is created by POST %s for %s', async (collectionPath, itemPath, expected) => {
  const pages = `${itemPath}/pages`;
  const document = createPaths({ [`get ${itemPath}`]: BOOK, [`post ${collectionPath}`]: BOOK, [`get ${pages}`]: {} });
  const parameters = [...itemPath.matchAll(/\w+(?=\})/g)].map(([name]) => ({
    name,
    in: 'path',
    schema: { type: 'string' },
  }));
  class Client extends DocumentClient {
    override async send({ operation: { method } }: DocumentRequest): Promise<CheckedReply> {
      const body = { id: 'made' };
      const status = method === 'POST' ? 201 : 404;
      return { status, headers: new Headers(), text: '', body, isDocumented: true, issues: [] };
    }
  }
  const parents = new ParentEntities(new Client(document, createValidator(document), ''), findResources(document));
  const operation = document.operations.find(({ path }) => path === pages) as Operation;
  expect(await parents.values(pages, { ...operation, parameters })).toEqual(expected);
});

it('a body names the parents as the path does', async () => {
  const document = createPaths({ 'post /shelves/{shelf}/books': BOOK });
  const [post] = document.operations as [Operation];
  const create = { ...post, node: { ...post.node, requestBody: createContent(createProperties('shelf', 'title')) } };
  const resource = { collectionPath: create.path, itemPath: '/books/{id}', idName: 'id', create };
  const { sent } = await createEntity(
    new DocumentClient(document, createValidator(document), 'http://127.0.0.1:1'),
    resource,
    { shelf: 'top' },
  );
  expect(sent).toMatchObject({ shelf: 'top' });
});

it('a body has an id that the path accepts', () => {
  const document = createPaths({ 'get /books': BOOK_LIST, 'get /books/{id}': BOOK, 'post /books': BOOK });
  const [list, read, create] = document.operations as [Operation, Operation, Operation];
  const parameters = [{ name: 'id', in: 'path', schema: { type: 'string', format: 'uuid' } }];
  const post = { ...create, node: { ...create.node, requestBody: createContent(BOOK) } };
  const resource = { collectionPath: '/books', itemPath: '/books/{id}', idName: 'id', list, create: post };
  const client = new DocumentClient(document, createValidator(document), '');
  const options = { resource: { ...resource, read: { ...read, parameters } }, number: 1, id: undefined };
  expect(createBody(client, post, options)?.body.value).toMatchObject({ id: '00000000-0000-4000-8000-000000000001' });
});

it.each([
  ['reserved_ipv6', { reserved_ipv6: { ip: '2001:db8::1', region: 'a' } }, '2001:db8::1'],
  ['EmployeeWorkingPatternID', { payeeWorkingPatternID: 'p', name: 'n' }, 'p'],
])('the id {%s} is found in %j', (name, body, id) => {
  expect(findIds(name, null, body)[0]).toBe(id);
});

it('a document can have quoted texts whose lines are not indented', async () => {
  const text = BOOKS_CONTRACT.replace('{ title: Books, version: "1" }', '\n  version: "1"\n  title: "Many\nbooks"');
  const folder = await folderWith({ 'books.yaml': text });
  expect((await readDocument(`${folder}/books.yaml`)).root.info).toMatchObject({ title: 'Many books' });
});
