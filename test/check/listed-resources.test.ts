import { expect, it } from 'vitest';
import { isListed } from '../../src/check/life-cycle-rules.ts';
import { NO_VALUES } from '../../src/check/requests.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';

const ENTRIES = Array.from({ length: 10 }, (_, id) => ({ id }));

/** Returns whether a list with a query parameter and the ids 0 to 9 contains a resource. */
async function isInList(name: string, id: number): Promise<boolean | undefined> {
  const parameters = [{ name, in: 'query', schema: { type: 'integer' } }];
  const path = await writeDocument({
    paths: { '/pets': { get: { operationId: 'listPets', parameters, responses: { 200: { description: 'd' } } } } },
  });
  const [list] = (await loadContract({ path, strict: false })).routes;
  if (!list) throw new Error('The document has no operation');
  const response = { status: 200, headers: {}, text: '', body: ENTRIES, jsonError: undefined };
  return isListed({ list, values: NO_VALUES, parameter: 'id' }, id, response);
}

it.each(['page', 'pageNo', 'page_offset', 'cursor'])(
  'a resource that is missing on a page can be on another one, with the parameter %s',
  async (name) => expect([await isInList(name, 9), await isInList(name, 10)]).toEqual([true, undefined]),
);

it('a resource that is missing in a list without pages is not listed', async () => {
  expect(await isInList('color', 10)).toBe(false);
});
