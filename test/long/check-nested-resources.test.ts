import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import {
  BOOKS_CONTRACT,
  type LibraryDefects,
  startLibraryServer,
} from '../support/reference-servers/library-server.ts';

async function checkLibrary(defects: LibraryDefects = {}, seed = 1) {
  const path = join(await folderWith({ 'books.yaml': BOOKS_CONTRACT }), 'books.yaml');
  const contract = await loadContract({ path, strict: false });
  return runCheck(await startLibraryServer(defects), { contract, model: undefined, seed, runs: 10, isFresh: false });
}

describe('The check of an API with nested resources', () => {
  it.each([1, 2, 3])('gets a success of every operation, although it deletes resources: seed %i', async (seed) => {
    const { findings, notes, routes, results } = await checkLibrary({}, seed);
    expect([formatFindings(findings), notes]).toEqual([[], []]);
    const failed = routes.filter(
      ({ operationId }) => !results.getStatuses(operationId).some((status) => status.startsWith('2')),
    );
    expect(failed.map(({ operationId }) => operationId)).toEqual([]);
  });

  it.each<[LibraryDefects, string]>([
    [{ acceptsAnyRating: true }, 'addReview'],
    [{ keepsRemovedReviews: true }, 'getReview'],
    [{ listsRatingsAsText: true }, 'listReviews'],
  ])('finds %j', async (defects, operationId) => {
    const { findings } = await checkLibrary(defects);
    expect(findings.map((finding) => finding.operationId)).toContain(operationId);
  });

  it.each<[LibraryDefects, string]>([
    [{ listsAllReviews: true }, 'listReviews 200 lists below a resource have only its entries'],
    [{ findsAllReviews: true }, 'getReview 200 resources are found only below their parent'],
  ])('finds %j in the reviews of another book', async (defects, finding) => {
    const { findings } = await checkLibrary(defects);
    expect(formatFindings(findings).join('\n')).toContain(finding);
  });
});
