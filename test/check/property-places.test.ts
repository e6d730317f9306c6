import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkServer } from '../../src/check/check.ts';
import { toAnnotations } from '../../src/check/report/annotations.ts';
import { createReport } from '../../src/check/report/report.ts';
import { toSarif } from '../../src/check/report/sarif.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { startApi } from '../support/harness/check-api.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const API = `openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    post:
      operationId: addNote
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: "schemas.yaml#/Note"
      responses:
        "201": { description: Created, content: { application/json: { schema: { $ref: "schemas.yaml#/Note" } } } }
        "400": { description: Invalid }
  /notes/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: readNote
      responses:
        "200": { description: Note, content: { application/json: { schema: { $ref: "schemas.yaml#/Note" } } } }
        "404": { description: Unknown }
`;

const SCHEMAS = `Note:
  type: object
  required: [text]
  properties:
    id:
      type: string
      readOnly: true
    text:
      type: string
      minLength: 1
    subject:
      type: string
      minLength: 1
    size:
      type: integer
      readOnly: true
    secret:
      type: string
      writeOnly: true
`;

/** Returns the line of a property in the file of the schemas, counted from 1. */
function findLine(property: string): number {
  return SCHEMAS.split('\n').indexOf(`    ${property}:`) + 1;
}

it('a finding about a property has the line of the property, also in another file', async () => {
  const folder = await folderWith({ 'api.yaml': API, 'schemas.yaml': SCHEMAS });
  const contract = await loadContract({ path: join(folder, 'api.yaml'), strict: false });
  const notes = new Map<string, object>();
  const url = await startApi(({ method, path, json }) => {
    const { text, subject } = (json ?? {}) as { text?: unknown; subject?: unknown };
    if (method === 'POST') {
      const isText = typeof text === 'string' && (subject === undefined || typeof subject === 'string');
      if (path !== '/notes' || !isText || text === '') return { status: path === '/notes' ? 400 : 405 };
      const note = { id: String(notes.size + 1), text, size: 'short', secret: 'x' };
      notes.set(note.id, note);
      return { status: 201, body: note };
    }
    const note = notes.get(path.slice('/notes/'.length));
    return note ? { status: 200, body: note } : { status: 404 };
  });
  const options = { headers: {}, seed: 1, runs: 5, mayWrite: true, isFresh: false, waitSeconds: 0 };
  const report = createReport(await checkServer({ contract, url, ...options }), contract, () => undefined);

  const { results } = JSON.parse(toSarif(report, folder)).runs[0];
  const places = results.map(({ ruleId, locations: [{ physicalLocation }] }: (typeof results)[number]) => [
    ruleId,
    physicalLocation.artifactLocation.uri,
    physicalLocation.region.startLine,
  ]);
  expect(places).toEqual(
    expect.arrayContaining([
      ['response-schema', 'schemas.yaml', findLine('size')],
      ['write-only', 'schemas.yaml', findLine('secret')],
      ['invalid-refused', 'schemas.yaml', findLine('subject')],
      ['stored-value', 'schemas.yaml', findLine('subject')],
    ]),
  );
  expect(toAnnotations(report, folder)).toContain(`::error file=schemas.yaml,line=${findLine('size')},col=5,`);
});
