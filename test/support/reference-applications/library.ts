import { fileURLToPath } from 'node:url';
import {
  type Application,
  type ApplicationHandler,
  type Context,
  DomainError,
  type HandlerResponse,
  type Input,
} from '../../../src/application.ts';
import type { Contract } from '../../../src/openapi/contract.ts';
import { type StateRules, validateEntries } from '../../../src/store/validate-state.ts';

/** The state of a library: its books, and the loans to readers. */
export type Library = {
  readonly books: readonly { readonly isbn: string; readonly title: string }[];
  /** The loans; the latest loan is the first. */
  readonly loans: readonly Loan[];
};

type Loan = { readonly id: string; readonly isbn: string; readonly reader: string; readonly dueTimeMs: number };

/** The duration of a loan, in ms: 14 days. */
const LOAN_MS = 14 * 86_400_000;

/** A second application for tests, besides the shop: a library that lends each book to one reader at a time. */
export const library: Application<Library> = {
  contractFile: getFile('library.yaml'),
  defaultData: getFile('library.json'),
  problems: {
    'unknown-book': { status: 404, title: 'Book not found', explanation: 'No book has the ISBN.' },
    'unknown-loan': { status: 404, title: 'Loan not found', explanation: 'No loan has the id.' },
    'book-on-loan': { status: 409, title: 'Book on loan', explanation: 'A book has one reader at a time.' },
  },
  snapshots: {
    'all-lent': ({ books }) => ({
      books,
      loans: books.map(({ isbn }, index) => ({
        id: `00000000-0000-4000-8000-00000000000${index}`,
        isbn,
        reader: 'Ada',
        dueTimeMs: LOAN_MS,
      })),
    }),
  },
  implementContract: (contract: Contract) => ({
    getImplementation: ({ operationId }) => handlers[operationId],
    stateRules: {
      collections,
      validateEntry: contract.validateData,
      findReferenceIssues: ({ books, loans }) =>
        validateEntries('loans', loans, ({ isbn }) =>
          books.some((book) => book.isbn === isbn) ? [] : [{ pointer: '/isbn', message: 'is of no book' }],
        ),
    },
    validatesChanges: true,
  }),
};

const collections: StateRules<Library>['collections'] = {
  books: { schema: 'Book', key: 'isbn', isNeverEmpty: true },
  loans: { schema: 'Loan', key: 'id' },
};

const handlers: Readonly<Record<string, ApplicationHandler<Library>>> = {
  listBooks: { handle: (_input, context) => ({ body: context.read().books }) },
  listLoans: { handle: (_input, context) => ({ body: context.read().loans }) },
  createLoan: { handle: createLoan },
  returnBook: { handle: returnBook },
};

async function createLoan({ body }: Input, context: Context<Library>): Promise<HandlerResponse> {
  const { isbn, reader } = body as Pick<Loan, 'isbn' | 'reader'>;
  const loan = await context.update((state, nowMs) => {
    if (!state.books.some((book) => book.isbn === isbn))
      throw new DomainError('unknown-book', `no book has the ISBN ${isbn}`);
    if (state.loans.some((other) => other.isbn === isbn))
      throw new DomainError('book-on-loan', `${isbn} is on loan: wait until it is returned`);
    const result = { id: context.newId(), isbn, reader, dueTimeMs: nowMs + LOAN_MS };
    return { next: { ...state, loans: [result, ...state.loans] }, result };
  });
  return { body: loan, headers: { Location: `/loans/${loan.id}` } };
}

async function returnBook({ path }: Input, context: Context<Library>): Promise<HandlerResponse> {
  await context.update((state) => {
    const loans = state.loans.filter(({ id }) => id !== path.loanId);
    if (loans.length === state.loans.length) throw new DomainError('unknown-loan', `no loan has the id ${path.loanId}`);
    return { next: { ...state, loans }, result: undefined };
  });
  return {};
}

function getFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
