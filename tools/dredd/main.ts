// `npm run dredd`: tests the built-in shop, or the server of --url, against openapi.yaml with dredd. Prints the results, and exits with 1 on a failure.
import { parseArgs } from 'node:util';
import { createStorefront } from '../../src/index.ts';
import { runDredd } from './dredd.ts';
import { formatTable } from './table.ts';

const { values } = parseArgs({ options: { url: { type: 'string' }, 'allow-writes': { type: 'boolean' } } });

if (values.url !== undefined && !values['allow-writes']) {
  console.error(`dredd: The check changes and resets the data on ${values.url}. To allow this, add --allow-writes.`);
  process.exitCode = 1;
} else {
  const shop = values.url === undefined ? await createStorefront() : undefined;
  const verdict = await runDredd({ url: shop?.url ?? values.url ?? '', contractFile: 'openapi.yaml' });
  await shop?.close();
  console.log(formatTable(verdict));
  process.exitCode = verdict.errors.length === 0 && verdict.transactions.every(({ isPassed }) => isPassed) ? 0 : 1;
}
