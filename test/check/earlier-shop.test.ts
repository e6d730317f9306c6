import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { isShop } from '../../src/shop/model/shop.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';

/** Returns whether the model of the shop applies to openapi.yaml without some query parameters. `omitted`: their names or references. */
async function appliesWithout(...omitted: readonly string[]): Promise<boolean> {
  const document = load(readFileSync(projectFile('openapi.yaml'), 'utf8'), { schema: CORE_SCHEMA });
  const text = JSON.stringify(document, (key, value) =>
    key === 'parameters' && Array.isArray(value)
      ? value.filter(({ name, $ref = '' }) => !omitted.includes(name ?? $ref.split('/').at(-1)))
      : value,
  );
  const path = join(await folderWith({ 'openapi.yaml': dump(JSON.parse(text)) }), 'openapi.yaml');
  return isShop(await loadContract({ path, strict: false }));
}

it('storefront check uses the model of the shop for an earlier contract, which has no pages', async () => {
  expect(await appliesWithout()).toBe(true);
  expect(await appliesWithout('Limit', 'after')).toBe(true);
});

it('storefront check does not use the model of the shop for a contract without a search', async () => {
  expect(await appliesWithout('search')).toBe(false);
});
