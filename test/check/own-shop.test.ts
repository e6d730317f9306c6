import { expect, it } from 'vitest';
import { runCheck } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

it('storefront check passes on the shop itself, with one generated request for each operation and one sequence', async () => {
  const { url } = await startStorefront();
  const verdict = await runCheck(url, { runs: 1 });
  expect(verdict.findings).toEqual([]);
  expect(verdict.model).toBe('the shop');
  expect(verdict.unchecked).toEqual([]);
});
