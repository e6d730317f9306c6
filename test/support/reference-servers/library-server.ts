import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createStorefront } from '../../../src/index.ts';
import { folderWith } from '../harness/folder-with.ts';

/** A contract for tests. Its operations manage books, and reviews of the books. */
export const BOOKS_CONTRACT = `openapi: 3.0.3
info: { title: Books, version: "1" }
paths:
  /books:
    get: { operationId: listBooks, responses: { "200": { $ref: "#/components/responses/Books" }, 4XX: { $ref: "#/components/responses/Problem" } } }
    post:
      operationId: addBook
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewBook" } } } }
      responses: { "201": { $ref: "#/components/responses/Book" }, 4XX: { $ref: "#/components/responses/Problem" } }
  /books/{bookId}:
    parameters: [{ name: bookId, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getBook, responses: { "200": { $ref: "#/components/responses/Book" }, 4XX: { $ref: "#/components/responses/Problem" } } }
    delete: { operationId: removeBook, responses: { "204": { description: Removed }, 4XX: { $ref: "#/components/responses/Problem" } } }
  /books/{bookId}/reviews:
    parameters: [{ name: bookId, in: path, required: true, schema: { type: integer } }]
    get: { operationId: listReviews, responses: { "200": { $ref: "#/components/responses/Reviews" }, 4XX: { $ref: "#/components/responses/Problem" } } }
    post:
      operationId: addReview
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewReview" } } } }
      responses: { "201": { $ref: "#/components/responses/Review" }, 4XX: { $ref: "#/components/responses/Problem" } }
  /books/{bookId}/reviews/{reviewId}:
    parameters:
      - { name: bookId, in: path, required: true, schema: { type: integer } }
      - { name: reviewId, in: path, required: true, schema: { type: integer } }
    get: { operationId: getReview, responses: { "404": { $ref: "#/components/responses/Problem" }, "200": { $ref: "#/components/responses/Review" }, 4XX: { $ref: "#/components/responses/Problem" } } }
    delete: { operationId: removeReview, responses: { "204": { description: Removed }, 4XX: { $ref: "#/components/responses/Problem" } } }
components:
  schemas:
    NewBook: { type: object, required: [title], properties: { title: { type: string } } }
    Book: { type: object, required: [id, title], properties: { id: { type: integer }, title: { type: string } } }
    NewReview: { type: object, required: [rating], properties: { rating: { type: integer, minimum: 1, maximum: 5 } } }
    Review: { type: object, required: [id, rating], properties: { id: { type: integer }, rating: { type: integer } } }
  responses:
    Books: { description: Books, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } } } }
    Book: { description: A book, content: { application/json: { schema: { $ref: "#/components/schemas/Book" } } } }
    Reviews: { description: Reviews, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Review" } } } } }
    Review: { description: A review, content: { application/json: { schema: { $ref: "#/components/schemas/Review" } } } }
    Problem: { description: An error, content: { application/problem+json: { schema: { type: object, required: [detail] } } } }
`;

/** The defects that the server of `startLibraryServer` can have. */
export interface LibraryDefects {
  readonly acceptsAnyRating?: boolean;
  readonly keepsRemovedReviews?: boolean;
  readonly listsRatingsAsText?: boolean;
  readonly listsAllReviews?: boolean;
  readonly findsAllReviews?: boolean;
}

interface Book {
  readonly title: string;
  readonly reviews: Map<number, number>;
}

/**
 * Starts a server for books and their reviews, and stops it when the test ends. A deleted book is deleted together with its reviews. Returns the URL of the
 * server.
 */
export async function startLibraryServer(defects: LibraryDefects = {}): Promise<string> {
  const served = defects.acceptsAnyRating
    ? BOOKS_CONTRACT.replace('minimum: 1, maximum: 5', 'minimum: -9')
    : BOOKS_CONTRACT;
  const contract = join(await folderWith({ 'books.yaml': served }), 'books.yaml');
  const server = await createStorefront({
    contract,
    handlers: createHandlers(defects),
    verify: 'off',
    durability: 'memory',
  });
  onTestFinished(() => server.close());
  return server.url;
}

// biome-ignore lint/suspicious/noExplicitAny: handlers of a contract without generated types.
type Input = { readonly path: any; readonly body: any };

const NOT_FOUND = {
  status: 404,
  headers: { 'Content-Type': 'application/problem+json' },
  body: { detail: 'It does not exist.' },
};

function createHandlers(defects: LibraryDefects) {
  const { keepsRemovedReviews, listsRatingsAsText, listsAllReviews, findsAllReviews } = defects;
  const books = new Map<number, Book>();
  let count = 0;
  const withBook = (handle: (book: Book, input: Input) => object) => (input: Input) => {
    const book = books.get(Number(input.path.bookId));
    return book ? handle(book, input) : NOT_FOUND;
  };
  const getAllReviews = () => [...books.values()].flatMap(({ reviews }) => [...reviews]);
  return {
    listBooks: () => ({ body: [...books].map(([id, { title }]) => ({ id, title })) }),
    addBook({ body }: Input) {
      books.set(++count, { title: body.title, reviews: new Map() });
      return { body: { id: count, title: body.title } };
    },
    getBook: withBook(({ title }, { path }) => ({ body: { id: Number(path.bookId), title } })),
    removeBook: withBook((_, { path }) => {
      books.delete(Number(path.bookId));
      return {};
    }),
    listReviews: withBook(({ reviews }) => ({
      body: (listsAllReviews ? getAllReviews() : [...reviews]).map(([id, rating]) => ({
        id,
        rating: listsRatingsAsText ? String(rating) : rating,
      })),
    })),
    addReview: withBook(({ reviews }, { body }) => {
      reviews.set(++count, body.rating);
      return { body: { id: count, rating: body.rating } };
    }),
    getReview: withBook(({ reviews }, { path }) => {
      const id = Number(path.reviewId);
      const rating = findsAllReviews ? new Map(getAllReviews()).get(id) : reviews.get(id);
      return rating === undefined ? NOT_FOUND : { body: { id, rating } };
    }),
    removeReview: withBook(({ reviews }, { path }) => {
      if (!reviews.has(Number(path.reviewId))) return NOT_FOUND;
      if (!keepsRemovedReviews) reviews.delete(Number(path.reviewId));
      return {};
    }),
  };
}
