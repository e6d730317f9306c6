import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStorefront } from '../../src/index.ts';
import { createResourcePaths } from '../support/fixtures/api-document.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { waitForLog } from '../support/harness/live-contract.ts';
import { getRejection } from '../support/harness/rejection.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

const WARN = 40;
const GROUPS = [['trainers', 'plimsolls']];

/** Writes a file of synonyms, and returns its path. */
async function writeSynonyms(groups: unknown): Promise<string> {
  return join(await folderWith({ 'synonyms.json': JSON.stringify(groups) }), 'synonyms.json');
}

async function findNames({ ask }: TestShop, term: string): Promise<readonly string[]> {
  const { body } = await ask('GET', `/api/products?search=${term}`);
  return body.map(({ name }: { name: string }) => name);
}

describe('createStorefront with synonyms', () => {
  it('finds products by the synonyms of their words, which are read again when the file is saved', async () => {
    const synonyms = await writeSynonyms(GROUPS);
    const shop = await startStorefront({ synonyms, log: 'json' });
    expect(await findNames(shop, 'plimsolls')).toEqual(['Lightweight Trail Running Shoes']);
    expect(await findNames(shop, 'brolly')).toEqual([]);
    await writeFile(synonyms, JSON.stringify([['umbrella', 'brolly']]));
    await waitForLog(shop, 'synonyms.json was reloaded');
    expect(await findNames(shop, 'brolly')).toEqual(['Windproof Walking Umbrella with Wooden Handle']);
    expect(await findNames(shop, 'plimsolls')).toEqual([]);
  });

  it('keeps the previous synonyms if the saved file is invalid', async () => {
    const synonyms = await writeSynonyms(GROUPS);
    const shop = await startStorefront({ synonyms, log: 'json' });
    await writeFile(synonyms, '[["umbrella"]]');
    const message = await waitForLog(shop, 'Invalid synonyms', WARN);
    expect(message).toMatch(/\/0 must be a list of at least two words\..* The previous settings stay in use$/);
    expect(await findNames(shop, 'plimsolls')).toEqual(['Lightweight Trail Running Shoes']);
  });

  it('explains a search with them', async () => {
    const { ask } = await startStorefront({ synonyms: await writeSynonyms(GROUPS) });
    const { body } = await ask('GET', '/_control/sandboxes/default/state/products/search?term=plimsolls');
    expect(body.results[0].parts).toMatchObject([{ word: 'plimsolls', title: 'synonym' }]);
  });

  it('rejects a file that does not exist or is invalid, and a contract without a search', async () => {
    const missing = await getRejection(createStorefront({ synonyms: 'none.json' }), Error);
    expect(missing.message).toMatch(/none\.json cannot be read/);
    const invalid = await getRejection(createStorefront({ synonyms: await writeSynonyms({}) }), Error);
    expect(invalid.message).toMatch(/^Invalid synonyms in .*synonyms\.json: it is not a JSON list of lists/);
    const contract = await writeDocument({ paths: createResourcePaths('/notes/{noteId}', { type: 'object' }) });
    const other = await getRejection(createStorefront({ contract, synonyms: await writeSynonyms(GROUPS) }), Error);
    expect(other.message).toMatch(/has no search operation, so the option synonyms has no effect/);
  });
});
