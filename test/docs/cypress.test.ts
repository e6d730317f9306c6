import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { runSpec } from '../support/harness/cypress.ts';
import { listSandboxIds } from '../support/harness/sandboxes.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const spec = readFileSync(projectFile('test/examples/cypress/order.cy.js'), 'utf8');

describe('the Cypress test in docs/testing.md', () => {
  it('passes with a stand-in for Cypress, and removes its sandbox', async () => {
    const shop = await startStorefront();
    expect(await runSpec(spec, shop)).toEqual(['orders at the second attempt']);
    expect(await listSandboxIds(shop)).toEqual(['default']);
  });

  it('fails if the order does not fail at first', async () => {
    const shop = await startStorefront();
    const broken = spec.replace('status: 500', 'delay: 1');
    await expect(runSpec(broken, shop)).rejects.toThrow(/ordered/);
  });
});
