import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createList, createObject, createResourcePaths, type Paths, refer } from '../support/fixtures/api-document.ts';
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
// A list of at most one address, and a creation that responds with a reference.
const Address = createObject({
  'id!': { ...TEXT, readOnly: true },
  'kind!': { enum: ['address', 'place'] },
  city: TEXT,
});
const Reference = createObject({ 'id!': TEXT, 'kind!': { enum: ['address_reference'] } });
const ADDRESS = refer('Address');
// The id of a build is only in the path, but the build has the id of a person.
const Build = createObject({ status: TEXT, 'pusher!': createObject({ 'id!': { type: 'integer' } }) });
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
  '/addresses': {
    get: { response: { ...createList(ADDRESS), maxItems: 1 } },
    post: { status: 201, request: ADDRESS, response: Reference },
  },
  '/addresses/{id_or_city}': { get: { response: ADDRESS }, put: { request: ADDRESS, response: ADDRESS } },
  ...createResourcePaths('/builds/{buildId}', refer('Build')),
  '/retired': { get: { status: 400 } },
  // A server can read `/items/%%E2%80%8E` as a request for `/items/{name}`.
  '/items/{name}': { get: { response: createList(TEXT) } },
  '/items/{name}\u200e': { get: { response: createObject({ 'size!': { type: 'integer' } }) } },
};

describe('The check of a correct server', () => {
  it('has no findings for ids in objects of requests and in attributes, references, short lists and operations that only fail', async () => {
    const path = await writeApi({ paths, schemas: { Order, Currency, Address, Build } });
    const handlers = { getRetired: () => ({ status: 400 }) };
    const { url } = await startStorefront({ contract: path, handlers });
    const contract = await loadContract({ path, strict: false });
    const { findings, notes } = await runCheck(url, { contract, model: undefined, isFresh: false });
    expect(formatFindings(findings)).toEqual([]);
    expect(notes.filter((note) => note.includes('life cycle'))).toEqual([]);
  });
});
