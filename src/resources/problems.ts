import type { ProblemKind } from '../application.ts';

/** The error responses (problems of RFC 9457) of the operations that use inferred resources, by error code. */
export const problems = {
  'entry-not-found': {
    status: 404,
    title: 'Not found',
    explanation:
      'No entry has the id in the path, or a parent in the path does not exist. List the collection to see the existing ids.',
  },
  'entry-exists': {
    status: 409,
    title: 'Already exists',
    explanation:
      'An entry with the id in the request body already exists. Use another id, or change the existing entry.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    explanation: 'The request is not possible in the current state of the entry. The detail says why.',
  },
  'id-missing': {
    status: 400,
    title: 'Id is missing',
    explanation: 'The operation changes the entry whose id is in the request body. Add the id to the body.',
  },
  'unknown-cursor': {
    status: 400,
    title: 'Cursor not found',
    explanation:
      'The cursor does not belong to an entry of the list, for example because the entry was deleted. Start again without a cursor.',
  },
} satisfies Readonly<Record<string, ProblemKind>>;
