import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A contract for tests. Its operations list, create, read, replace, update and delete books. */
export const BOOKS_CONTRACT = `openapi: 3.1.0
info: { title: Books, version: "1" }
paths:
  /books:
    get:
      responses:
        "200":
          description: The books
          content:
            application/json:
              schema:
                type: object
                required: [items, total]
                properties:
                  items: { type: array, items: { $ref: "#/components/schemas/Book" } }
                  total: { type: integer }
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } } }
      responses: { "201": { $ref: "#/components/responses/Book" } }
  /books/{bookId}:
    parameters: [{ name: bookId, in: path, required: true, schema: { type: integer } }]
    get: { responses: { "200": { $ref: "#/components/responses/Book" }, "404": { description: Not found } } }
    put:
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } } }
      responses: { "200": { $ref: "#/components/responses/Book" } }
    patch:
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/BookUpdate" } } } }
      responses: { "200": { $ref: "#/components/responses/Book" } }
    delete: { responses: { "204": { description: Deleted } } }
components:
  schemas:
    NewBook:
      type: object
      required: [title, pages]
      properties: { title: { type: string, minLength: 1 }, pages: { type: integer, minimum: 1 } }
    BookUpdate:
      type: object
      minProperties: 1
      properties: { title: { type: string, minLength: 1 } }
    Book:
      allOf:
        - $ref: "#/components/schemas/NewBook"
        - { type: object, required: [id], properties: { id: { type: integer, readOnly: true } } }
  responses:
    Book: { description: A book, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
`;

/** The defects that the server of `startBooksServer` can have. */
export type BooksDefect =
  | 'POST stores nothing'
  | 'POST stores another title'
  | 'GET fails'
  | 'GET returns the pages as text'
  | 'the list lacks new books'
  | 'PUT stores nothing'
  | 'PATCH stores nothing'
  | 'DELETE removes nothing'
  | 'the list has deleted books';

interface Book {
  readonly id: number;
  readonly title: string;
  readonly pages: number;
}

/**
 * Starts a server for books that shares no code with storefront, and stops it when the test ends. `defect`: a defect of the server. Default: none. Returns
 * the URL of the server.
 */
export async function startBooksServer(defect?: BooksDefect): Promise<string> {
  const handle = createHandler(defect);
  const server = createServer((request, response) => void answer(request, response, handle));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Handler = (
  method: string,
  id: number | undefined,
  body: Partial<Book>,
) => readonly [status: number, body?: unknown];

async function answer(request: IncomingMessage, response: ServerResponse, handle: Handler): Promise<void> {
  const { method = '', url = '' } = request;
  const text = (await request.toArray()).join('');
  const id = url.split('/')[2];
  const [status, body] = handle(method, id === undefined ? undefined : Number(id), text === '' ? {} : JSON.parse(text));
  response.writeHead(status, body === undefined ? {} : { 'content-type': 'application/json' });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

function createHandler(defect: BooksDefect | undefined): Handler {
  const books = new Map<number, Book>();
  const deleted: Book[] = [];
  let count = 0;
  const list = () => {
    const items = [...books.values(), ...(defect === 'the list has deleted books' ? deleted : [])];
    return defect === 'the list lacks new books' ? [] : items;
  };
  const read = (book: Book) =>
    defect === 'GET returns the pages as text' ? { ...book, pages: String(book.pages) } : book;
  const create = (body: Partial<Book>): Book => {
    const book = { title: '', pages: 1, ...body, id: ++count };
    const stored = defect === 'POST stores another title' ? { ...book, title: `${book.title}!` } : book;
    if (defect !== 'POST stores nothing') books.set(book.id, stored);
    return book;
  };
  const change = (method: string, book: Book, body: Partial<Book>): Book => {
    const changed = { ...book, ...body };
    if (defect !== `${method} stores nothing`) books.set(book.id, changed);
    return changed;
  };
  const remove = (book: Book) => {
    deleted.push(book);
    if (defect !== 'DELETE removes nothing') books.delete(book.id);
  };
  return (method, id, body) => {
    if (id === undefined)
      return method === 'POST' ? [201, create(body)] : [200, { items: list(), total: list().length }];
    const book = books.get(id);
    if (!book) return [404];
    if (method === 'GET') return defect === 'GET fails' ? [500] : [200, read(book)];
    if (method !== 'DELETE') return [200, change(method, book, body)];
    remove(book);
    return [204];
  };
}
