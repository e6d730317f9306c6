import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../src/diff/changes.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { explain } from '../../src/server/explain.ts';
import { create32, writeDocument } from '../openapi/documents.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startApi } from '../support/harness/check-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const POINTS = create32(
  `
  /points:
    query:
      operationId: queryPoints
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, required: [x], properties: { x: { type: integer } } } } }
      responses: { "200": { summary: d, content: { application/json: { $ref: '#/components/mediaTypes/Point' }, application/jsonl: { itemSchema: { type: integer } } } }, "400": { summary: d } }
    additionalOperations:
      LINK: { operationId: linkPoints, responses: { "204": { summary: d } } }
  /areas:
    get:
      operationId: getAreas
      parameters:
        - name: area
          in: querystring
          required: true
          content: { application/json: { schema: { type: object, required: [from], properties: { from: { type: integer } } } } }
      responses: { "204": { summary: d }, "400": { summary: d } }
  /forms:
    get:
      operationId: getForms
      parameters:
        - name: filter
          in: querystring
          required: true
          content: { application/x-www-form-urlencoded: { schema: { type: object, required: [q], properties: { q: { type: string }, limit: { type: integer } } } } }
      responses: { "204": { summary: d }, "400": { summary: d } }
  /cookies:
    get:
      operationId: getCookies
      parameters:
        - { name: color, in: cookie, style: cookie, required: true, schema: { type: array, items: { enum: [red, blue] }, maxItems: 2 } }
      responses: { "204": { summary: d }, "400": { summary: d } }`,
  `
components:
  mediaTypes: { Point: { schema: { type: object, required: [x], properties: { x: { type: integer } } }, example: { x: 1 } } }`,
);

describe('an OpenAPI 3.2 contract', () => {
  it('is checked with all its operations', async () => {
    const path = await writeDocument(POINTS);
    const { url } = await startStorefront({ contract: path });
    const contract = await loadContract({ path, strict: false });
    const { findings, results } = await runCheck(url, { contract, model: undefined, isFresh: false, runs: 5 });
    expect(formatFindings(findings)).toEqual([]);
    for (const { operationId, successStatus } of contract.routes)
      expect(results.getStatuses(operationId), operationId).toContain(String(successStatus));
  });

  it('is compared with the responses of each method', async () => {
    const path = await writeDocument(POINTS);
    const url = await startApi(({ method }) =>
      method === 'QUERY' ? { status: 200, body: { x: 1 } } : { status: 204 },
    );
    const contract = await loadContract({ path, strict: false });
    const { findings } = await runCheck(url, { contract, model: undefined, isFresh: false, runs: 5 });
    const accepted = findings.filter(({ rule }) => rule === 'invalid-refused');
    expect([...new Set(accepted.map(({ operationId }) => operationId))].sort()).toEqual([
      'getAreas',
      'getCookies',
      'getForms',
      'queryPoints',
    ]);
  });

  it('is explained', async () => {
    const { text } = await explain({ contract: await writeDocument(POINTS) });
    expect(text).toMatch(/QUERY +\/points +queryPoints/);
    expect(text).toMatch(/LINK +\/points +linkPoints/);
  });

  it('is compared with another version', async () => {
    const read = async (text: string) =>
      (await loadContract({ path: await writeDocument(text), strict: false })).document;
    const edits = [
      ['LINK: { operationId: linkPoints', 'UNLINK: { operationId: unlinkPoints'],
      [
        'required: [from], properties: { from: { type: integer } }',
        'required: [from], properties: { from: { type: string } }',
      ],
      ['limit: { type: integer }', 'limit: { type: string }'],
      ['Point: { schema: { type: object, required: [x]', 'Point: { schema: { type: object, required: []'],
      ['itemSchema: { type: integer }', 'itemSchema: { type: string }'],
    ] as const;
    for (const [old] of edits) expect(POINTS).toContain(old);
    const changed = edits.reduce((text, [old, now]) => text.replace(old, now), POINTS);
    const changes = changesBetween(await read(POINTS), await read(changed));
    const breaking = changes.filter(({ isBreaking }) => isBreaking);
    expect(breaking.map(({ operation, message }) => `${operation}: ${message}`)).toEqual([
      'LINK /points: is removed',
      'QUERY /points: x of the 200 response as application/json is no longer required',
      'QUERY /points: each item of the 200 response as application/jsonl can be a string instead of an integer',
      'GET /areas: from of querystring parameter area can be a string instead of an integer',
      'GET /forms: limit of querystring parameter filter can be a string instead of an integer',
    ]);
  });
});
