import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import { createCheckCommand } from '../../src/check/options.ts';
import type { Report } from '../../src/check/report/report.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { createApiDocument, createObject } from '../support/fixtures/api-document.ts';
import { checkApi } from '../support/harness/check-api.ts';
import { folderWith } from '../support/harness/folder-with.ts';

const THING = createObject({
  'scores!': { type: 'object', minProperties: 1, additionalProperties: { type: 'integer' } },
  'sizes!': { type: 'array', minItems: 3, items: { type: 'integer', minimum: 0 } },
});

const DOCUMENT = JSON.parse(createApiDocument({ '/things': { post: { status: 204, request: THING } } }));

it.each([1, 2])('titles do not contain keys and indices that the check generates, with the seed %i', async (seed) => {
  const { findings } = await checkApi(DOCUMENT, () => ({ status: 204 }), { seed, runs: 5 });
  const titles = findings.filter(({ rule }) => rule === 'invalid-refused').map(({ title }) => title);
  const inner = titles.filter((title) => /(?:scores|sizes)\//.test(title));
  expect([...new Set(inner)].sort()).toEqual([
    'refuses invalid requests: body /scores/* type',
    'refuses invalid requests: body /sizes/* minimum',
    'refuses invalid requests: body /sizes/* type',
  ]);
});

it('titles of refused valid values do not contain indices', async () => {
  const { findings } = await checkApi(
    DOCUMENT,
    ({ text }) => ({ status: /"sizes":\[[^\]]*\b0\b/.test(text) ? 400 : 204 }),
    { runs: 5 },
  );
  const refused = findings.filter(({ rule }) => rule === 'kind-accepted').map(({ title }) => title);
  expect([...new Set(refused)]).toEqual(['accepts valid requests: body /sizes/*']);
});

it('titles and places of recorded requests are those of generated ones', async () => {
  const document = createApiDocument({ '/things': { post: { operationId: 'addThing', status: 204, request: THING } } });
  const sent = { scores: { 'ann/lee': 'x' }, sizes: [1, 2, 3] };
  const request = {
    method: 'POST',
    url: 'https://things.test/things',
    headers: [],
    postData: { mimeType: 'application/json', text: JSON.stringify(sent) },
  };
  const entry = { request, response: { status: 204, headers: [], content: {} } };
  const folder = await folderWith({
    'api.json': document,
    'traffic.har': JSON.stringify({ log: { version: '1.2', entries: [entry] } }),
  });
  const { failures } = await checkHar(join(folder, 'api.json'), join(folder, 'traffic.har'));
  expect(failures.map(({ title }) => title)).toEqual(['refuses invalid requests: body /scores/* type']);
  expect(failures[0]?.place).toMatch(/requestBody.*\/properties\/scores$/);
});

/** Checks the requests of a HAR file. Returns the report. */
async function checkHar(contract: string, har: string): Promise<Report> {
  let command: Parameters<typeof runCheck>[0] | undefined;
  createCheckCommand({}, (one) => (command = one)).parse(['--contract', contract, '--har', har], { from: 'user' });
  if (!command) throw new Error('the command line was not parsed');
  const start = () => Promise.reject(new Error('no server is needed'));
  return runCheck(command, { contract, model: shopModel, start, print: () => {}, seed: 1, nowMs: 0 });
}
