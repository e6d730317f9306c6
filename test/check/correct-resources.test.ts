import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createList, createObject, type Paths, refer } from '../support/fixtures/api-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const TEXT = { type: 'string', minLength: 1 };
const Policy = createObject({ 'type!': { const: 'policy' }, 'id!': { const: 'p1' } });
const Order = createObject({ 'id!': { ...TEXT, readOnly: true }, type: { const: 'order' }, 'policy!': Policy });
const Values = createObject({ 'code!': TEXT, title: TEXT });
const Currency = createObject({ 'id!': { ...TEXT, readOnly: true }, 'attributes!': Values });
const ORDER = refer('Order');
const CURRENCY = createObject({ 'data!': refer('Currency') });
const request = createObject({ 'code!': TEXT, title: TEXT, notify: TEXT, force: TEXT });

const paths: Paths = {
  '/orders': { get: { response: createList(ORDER) }, post: { status: 201, request: ORDER, response: ORDER } },
  '/orders/{id}': { get: { response: ORDER }, put: { request: createObject({ 'policy!': Policy }), response: ORDER } },
  '/currencies': {
    get: { response: createObject({ 'data!': createList(refer('Currency')) }) },
    post: { status: 201, request, response: CURRENCY },
  },
  '/currencies/{code}': {
    get: { response: CURRENCY },
    put: { request: createObject({ title: TEXT, notify: TEXT, force: TEXT }), response: CURRENCY },
  },
  '/retired': { get: { status: 400 } },
};

describe('The check of a correct server', () => {
  it('has no findings for an object with an id in a request, ids in attributes, and an operation that only fails', async () => {
    const path = await writeApi({ paths, schemas: { Order, Currency } });
    const handlers = { getRetired: () => ({ status: 400 }) };
    const { url } = await startStorefront({ contract: path, handlers });
    const contract = await loadContract({ path, strict: false });
    const { findings, notes } = await runCheck(url, { contract, model: undefined, isFresh: false });
    expect(formatFindings(findings)).toEqual([]);
    expect(notes.filter((note) => note.includes('life cycle'))).toEqual([]);
  });
});
