import { expect, it } from 'vitest';
import { createApiDocument, createObject } from '../support/fixtures/api-document.ts';
import { checkApi } from '../support/harness/check-api.ts';

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
