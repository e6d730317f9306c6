import { describe, expect, it } from 'vitest';
import { getCheckedRoutes, type Selection } from '../../src/check/selection.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings } from '../support/harness/check.ts';
import { checkApi, type ReceivedRequest } from '../support/harness/check-api.ts';

const content = { 'application/json': { schema: { type: 'object' } } };
const OK = { description: 'd', content };

describe('getCheckedRoutes', () => {
  it.each<[Pick<Selection, 'only' | 'exclude'>, readonly string[]]>([
    [{ only: ['read', 'write'] }, ['read, write']],
    [{ only: ['read', 'other'] }, ['read', 'other']],
    [{ only: ['other', 'read', 'write'] }, ['read, write', 'other']],
    [{ exclude: ['read', 'write'] }, ['read', 'other']],
  ])('joins the parts of an operationId with a comma: %j', async (selection, expected) => {
    const ids = ['read, write', 'read', 'other'];
    const paths = ids.map((operationId, index) => [`/${index}`, { get: { operationId, responses: { 200: OK } } }]);
    const contract = await loadContract({
      path: await writeDocument({ paths: Object.fromEntries(paths) }),
      strict: false,
    });
    const routes = getCheckedRoutes({ contract, mayWrite: true, ...selection });
    expect(routes.map(({ operationId }) => operationId)).toEqual(expected);
  });
});

describe('A response with status 507', () => {
  const requestBody = { required: true, content };
  const createPost = (responses: object) => ({
    paths: { '/a': { post: { operationId: 'addA', requestBody, responses: { 201: OK, 400: OK, ...responses } } } },
  });
  /** Responds to the first request with 201, and to all others with 507, as a server with a quota. */
  const createQuota = () => {
    let isFull = false;
    return ({ json }: ReceivedRequest) => {
      if (typeof json !== 'object' || json === null) return { status: 400, body: {} };
      const status = isFull ? 507 : 201;
      isFull = true;
      return { status, body: {} };
    };
  };

  it.each([
    [createPost({}), true],
    [createPost({ 507: OK }), false],
  ])('is a server error only if it is not documented', async (document, isReported) => {
    const { findings } = await checkApi(document, createQuota());
    expect(formatFindings(findings).some((text) => text.includes('no server error'))).toBe(isReported);
  });
});
