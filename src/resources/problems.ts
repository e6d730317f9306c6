import type { ProblemKind } from '../util/problem.ts';

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
      'An entry with the id in the request body already exists, or a user with the e-mail address or another login in it. Use another one, or change the existing entry.',
    alternatives: [422, 400],
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    explanation: 'The request is not possible in the current state of the entry. The detail says why.',
    alternatives: [422, 400],
  },
  'no-free-id': {
    status: 409,
    title: 'No free id',
    explanation:
      'The schema of the id allows no value that no entry has. Delete an entry, or allow more values in the contract.',
    alternatives: [422, 400],
  },
  'value-refused': {
    status: 422,
    title: 'Value not allowed',
    explanation:
      'The schema of the entry does not allow a value in the request body, although the schema of the request does, or an action needs the value true. The detail names the value and the rule. Send another value, or add the rule to the schema of the request.',
    alternatives: [400],
  },
  'id-missing': {
    status: 400,
    title: 'Id is missing',
    explanation: 'The operation changes the entry whose id is in the request body. Add the id to the body.',
  },
  'unreadable-type': {
    status: 415,
    title: 'Unsupported media type',
    explanation:
      'The contract documents this media type for the body, but the server can only read JSON, forms, and XML whose schema is an object or a list. The detail lists the types to use.',
  },
  'patch-invalid': {
    status: 400,
    title: 'Invalid patch',
    explanation:
      'The body is not a valid JSON Patch (RFC 6902), or the entry cannot have its result. The detail says why.',
  },
  'patch-conflict': {
    status: 409,
    title: 'Patch failed',
    explanation:
      'An operation of the JSON Patch (RFC 6902) cannot be applied to the entry: a test has failed, or a path does not exist. Nothing was changed. Read the entry again.',
  },
  'patch-unprocessable': {
    status: 422,
    title: 'Patch not possible',
    explanation:
      'The entry cannot have the result of the JSON Patch (RFC 6902). Nothing was changed. The detail says why.',
  },
  'invalid-credentials': {
    status: 401,
    title: 'Invalid credentials',
    explanation: 'No user has this login, the password is another one, or the refresh token is not valid.',
    alternatives: [400, 422, 403],
  },
  'invalid-token': {
    status: 401,
    title: 'Invalid token',
    explanation:
      'The user of the token does not exist, a logout has ended the token, or the operation needs the other one of the access and the refresh token. The detail says which.',
  },
  'password-refused': {
    status: 400,
    title: 'Password refused',
    explanation: 'The current password is another one, or the repeated password differs from the new one.',
    alternatives: [422, 403, 401],
  },
  'unknown-reference': {
    status: 422,
    title: 'Referenced entry not found',
    explanation: 'The request body has the id of an entry that does not exist. The detail names it.',
  },
  'invalid-reference': {
    status: 400,
    title: 'Referenced entry not found',
    explanation: 'The request body has the id of an entry that does not exist. The detail names it.',
  },
  'version-changed': {
    status: 412,
    title: 'Precondition failed',
    explanation:
      'The header If-Match has another ETag than the entry, because the entry was changed. Read it again, and send its ETag.',
  },
  'version-missing': {
    status: 428,
    title: 'Precondition required',
    explanation: 'The operation needs the header If-Match with the ETag of the entry. Read the entry to get its ETag.',
  },
  'unknown-cursor': {
    status: 400,
    title: 'Cursor not found',
    explanation:
      'The cursor does not belong to an entry of the list, for example because the entry was deleted. Start again without a cursor.',
  },
} satisfies Readonly<Record<string, ProblemKind>>;
