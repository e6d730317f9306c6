import { describe, expect, it } from 'vitest';
import type { Input } from '../../src/application.ts';
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
