import { describe, expect, it } from 'vitest';
import type { Input } from '../../src/application.ts';
import type { Options } from '../../src/index.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string', minLength: 1 };
const Entry = createObject({ 'id!': { type: 'integer', readOnly: true }, reference: TEXT });
const ENTRY = refer('Entry');
const MANY = { get: { response: createList(ENTRY) } };
const ONE = { get: { response: ENTRY } };

const MARK = createObject({ 'text!': TEXT });
const MADE = { post: { status: 201, request: ENTRY, response: ENTRY } };

const paths: Paths = {
  '/books': MADE,
  '/books/{bookId}': ONE,
  '/films': MADE,
  '/films/{filmId}': ONE,
  // The same parameter identifies different resources.
  '/books/{bookId}/parts': MADE,
  '/books/{bookId}/parts/{partId}': ONE,
  '/films/{filmId}/parts': MADE,
  '/films/{filmId}/parts/{partId}': ONE,
  '/films/{filmId}/label': ONE,
  '/films/{filmId}/mark': { get: { response: MARK }, put: { request: MARK, response: MARK }, delete: { status: 204 } },
  '/films/{reference}/poster': ONE,
  '/bounces': MANY,
  '/bounces/{id}': ONE,
  // A listed team has its id in an object, with a name that tells nothing.
  '/teams': MANY,
  '/teams/{team}': ONE,
  // Only the second shelf has slots, and no operation creates slots.
  '/shelves': MANY,
  '/shelves/{shelfId}': ONE,
  '/shelves/{shelfId}/slots': MANY,
  '/shelves/{shelfId}/slots/{slotId}': ONE,
  // No operation reads one notice.
  '/notices': MANY,
  '/notices/{noticeId}/mark': { post: { response: ENTRY } },
  '/backups/{file}/copies/{number}': ONE,
  '/readers': { ...MANY, ...MADE },
  '/readers/{code}': { ...ONE, parameters: { code: { type: 'string', pattern: '^[A-Z]{3}$' } } },
};

const refuse = () => ({ status: 404, body: {} });
const handlers = {
  getFilmsByFilmIdLabel: refuse,
  getBounces: () => ({ body: [] }),
  getBouncesById: refuse,
  getTeams: () => ({ body: [{ id: 5, owner: { id: 6, alias: 'zoe' } }] }),
  getTeamsByTeam: ({ path }: Input) => (path.team === 'zoe' ? { body: { id: 5 } } : refuse()),
  getShelves: () => ({ body: [{ id: 1 }, { id: 2 }] }),
  getShelvesByShelfId: () => ({ body: { id: 1 } }),
  getShelvesByShelfIdSlots: ({ path }: Input) => ({ body: path.shelfId === '2' ? [{ id: 9 }] : [] }),
  getShelvesByShelfIdSlotsBySlotId: ({ path }: Input) =>
    path.shelfId === '2' && path.slotId === '9' ? { body: { id: 9 } } : refuse(),
  getNotices: () => ({ body: [{ id: 3 }] }),
  postNoticesByNoticeIdMark: ({ path }: Input) => (path.noticeId === '3' ? { body: { id: 3 } } : refuse()),
  getBackupsByFileCopiesByNumber: refuse,
  getReaders: () => ({ body: [{ id: 7 }] }),
  postReaders: () => ({ status: 201, body: { id: 7 } }),
  getReadersByCode: refuse,
};

const LOGIN = createObject({ 'email!': { type: 'string', format: 'email' }, 'password!': TEXT });
const SESSION = createObject({ 'token!': TEXT });
const PROJECT = createObject({ 'id!': { type: 'integer', readOnly: true }, 'name!': TEXT });
const TASK = createObject({ 'id!': { type: 'integer', readOnly: true }, 'title!': TEXT });
const NOTE = createObject({ 'id!': { type: 'integer', readOnly: true }, 'text!': TEXT });

const planner: Paths = {
  '/auth/register': { post: { status: 201, request: LOGIN, response: SESSION } },
  '/auth/login': { post: { request: LOGIN, response: SESSION } },
  '/projects': {
    get: { response: createList(refer('Project')) },
    post: { status: 201, request: refer('Project'), response: refer('Project') },
  },
  // The tasks of a project are created and listed below it, but have a path of their own.
  '/projects/{projectId}/tasks': {
    get: { response: createList(refer('Task')) },
    post: { status: 201, request: refer('Task'), response: refer('Task') },
  },
  '/tasks/{taskId}': { get: { response: refer('Task') }, delete: { status: 204 } },
  // Only the list of the own notes shows their ids.
  '/notes': {
    post: { status: 201, request: createObject({ 'text!': TEXT }), response: createObject({ 'text!': TEXT }) },
  },
  '/notes/mine': { get: { response: createList(refer('Note')) } },
  '/notes/{id}': { delete: { status: 204 } },
};

/** Checks a server of projects and their tasks. */
async function checkPlanner(own: Options['handlers'] = {}) {
  const path = await writeApi({ paths: planner, schemas: { Project: PROJECT, Task: TASK, Note: NOTE } });
  const { url } = await startStorefront({ contract: path, handlers: own });
  const contract = await loadContract({ path, strict: false });
  return runCheck(url, { contract, model: undefined, isFresh: false, runs: 5 });
}

describe('The check of items whose collection is below other resources', () => {
  it('reaches them and those of a partial list, and is complete although a login refuses passwords', async () => {
    const { findings, unchecked, unreached } = await checkPlanner();
    expect([formatFindings(findings), unchecked, unreached]).toEqual([[], [], []]);
  });

  it('finds that a deleted item can still be read', async () => {
    const { findings } = await checkPlanner({ deleteTasksByTaskId: () => ({ status: 204 }) });
    expect(findings.map(({ rule }) => rule)).toContain('deleted-readable');
  });
});

describe('The check of operations that never succeed', () => {
  it('names those that it could not reach, and is incomplete only because of the others', async () => {
    const path = await writeApi({ paths, schemas: { Entry } });
    const { url } = await startStorefront({ contract: path, handlers });
    const contract = await loadContract({ path, strict: false });
    const verdict = await runCheck(url, { contract, model: undefined, isFresh: false });
    expect(formatFindings(verdict.findings)).toEqual([]);
    // 400: the path is too long. 404: the handler. 405: the path has no such method.
    expect(verdict.unchecked).toEqual(['getFilmsByFilmIdLabel (only 400, 404, 405 received)']);
    expect(verdict.unreached).toEqual([
      'getBouncesById (no response of getBounces has a valid {id})',
      'getBackupsByFileCopiesByNumber (no operation of /backups creates or lists {file})',
      'getReadersByCode (no response of getReaders or postReaders has a valid {code})',
    ]);
  });
});
