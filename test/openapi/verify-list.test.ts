import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import type { Route } from '../../src/openapi/routes.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { createProducts } from '../support/fixtures/many-products.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { replaceInContract } from '../support/harness/live-contract.ts';

const contract = await loadContract({ path: projectFile('openapi.yaml'), strict: false });

const products = createProducts(1_100);
const HEADERS = { 'Content-Type': 'application/json' };

function getRoute({ routes }: Pick<typeof contract, 'routes'>): Route {
  return routes.find(({ operationId }) => operationId === 'listProducts') as Route;
}

/** Returns the products with some changes by index. */
function withChanges(changes: Readonly<Record<number, object>>): readonly unknown[] {
  return products.map((product, index) => ({ ...product, ...changes[index] }));
}

describe('verifyListInSlices', () => {
  it.each([
    ['a valid list', products, HEADERS],
    ['a list of no objects', Array.from({ length: 50 }, (_, index) => index), HEADERS],
    ['invalid entries', withChanges({ 0: { priceCents: -1 }, 33: { id: 1 }, 1099: { more: 1 } }), HEADERS],
    ['several violations in an entry', withChanges({ 100: { name: 1, rating: { stars: 9 }, more: 1 } }), HEADERS],
    ['a missing content type', products, {}],
    ['another content type', withChanges({ 5: { id: 1 } }), { 'Content-Type': 'text/plain' }],
  ])('returns the violations that verifyResponse returns: %s', async (_what, body, headers) => {
    const response = { status: 200, headers, body };
    const atOnce = contract.verifyResponse(getRoute(contract), response, { closed: true });
    const inSlices = await contract.verifyListInSlices(getRoute(contract), response, { closed: true });
    expect(inSlices.map(({ where, rule, message }) => [where, rule, message])).toEqual(
      atOnce.map(({ where, rule, message }) => [where, rule, message]),
    );
  });

  it('returns the first 1,000 violations', async () => {
    const body = products.map((product) => ({ ...product, name: 1, id: 2 }));
    const violations = await contract.verifyListInSlices(
      getRoute(contract),
      { status: 200, headers: HEADERS, body },
      { closed: true },
    );
    expect(violations).toHaveLength(1_000);
    expect(violations.at(-1)?.where).toMatch(/^body\/499\//);
  });

  const LIST = ['type: array', 'items: { $ref: "#/components/schemas/Product" }'];

  it.each([
    ['in the schema', ['maxItems: 1050', ...LIST]],
    // In OpenAPI 3.0, the keywords beside a reference have no meaning.
    ['beside a reference', ['maxItems: 1050', '$ref: "#/components/schemas/List"']],
  ])('checks the rules for the whole list: %s', async (_where, schema) => {
    const text = replaceInContract(indent(16, LIST), indent(16, schema))
      .replace(/^openapi: .*/, 'openapi: 3.1.0')
      .replace('\n  schemas:\n', `\n  schemas:\n    List:\n${indent(6, LIST)}`);
    const folder = await folderWith({ 'openapi.yaml': text });
    const limited = await loadContract({ path: `${folder}/openapi.yaml`, strict: false });
    const response = { status: 200, headers: HEADERS, body: products };
    const violations = await limited.verifyListInSlices(getRoute(limited), response, { closed: true });
    expect(violations.map(({ rule }) => rule)).toEqual(['maxItems']);
  });
});

/** Returns lines of YAML with a number of spaces before each. */
function indent(spaces: number, lines: readonly string[]): string {
  return lines.map((line) => `${' '.repeat(spaces)}${line}\n`).join('');
}
