import { expect, it } from 'vitest';
import { readPages } from '../support/docs/pages.ts';
import { runPage } from '../support/docs/run-page.ts';
import { createDatabaseOptions } from '../support/postgres/servers.ts';

/** The database in the documentation. */
const SHOWN_URL = 'postgres://storefront@localhost:5432/storefront';

it('docs/replicas.md shows the output that its commands have', async () => {
  const page = readPages().find(({ path }) => path === 'docs/replicas.md');
  if (!page) throw new Error('docs/replicas.md is missing.');
  const { database, databaseSchema } = createDatabaseOptions();
  const toReal = (text: string) =>
    text
      .replaceAll(`${SHOWN_URL} --database-schema`, `${database} --database-schema`)
      .replaceAll(SHOWN_URL, `${database} --database-schema ${databaseSchema}`)
      .replaceAll('(localhost:5432/storefront,', '(...,');
  const blocks = page.blocks.map((block) => ({ ...block, text: toReal(block.text) }));
  expect(await runPage({ ...page, blocks })).toEqual([]);
});
