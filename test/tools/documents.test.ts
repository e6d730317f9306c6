import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { DocumentClient } from '../../tools/documents/client.ts';
import { createDocument } from '../../tools/documents/document.ts';
import { runLifeCycles } from '../../tools/documents/run-document.ts';
import { createValidator } from '../../tools/documents/validator.ts';
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
