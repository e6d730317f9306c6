import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import type { Problem } from '../../src/shop/types.ts';
import {
  type DocumentedOperation,
  documentedOperations,
  getExamplePath,
  getMediaType,
} from '../support/fixtures/contract-document.ts';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { createClient } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

/** The request for an example of a response, if the contract doesn't have it as an example. */
interface ExampleRequest {
  readonly method?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Prepares the state. */
  readonly before?: (shop: TestShop) => Promise<unknown>;
  /** Whether the example has only the first entries. */
  readonly isPartial?: boolean;
}

const [SOCKS, LAMP] = [getProductId('Cushioned Merino'), getProductId('Stoneware Bedside Lamp')];
const [PAN, SHIRT] = [getProductId('Pre-Seasoned Cast Iron'), getProductId('Organic Cotton Crew-Neck')];
const [newestOrder] = defaults.orders;

async function emptyCart(shop: TestShop) {
  for (const id of [SOCKS, LAMP]) await shop.ask('DELETE', `/api/cart-items/${id}`);
}

async function putPanAndShirts(shop: TestShop) {
  await emptyCart(shop);
  await shop.ask('POST', '/api/cart-items', { productId: PAN, quantity: 1 });
  await shop.ask('PUT', `/api/cart-items/${PAN}`, { deliveryOptionId: '2' });
  await shop.ask('POST', '/api/cart-items', { productId: SHIRT, quantity: 2 });
}

const requests: Readonly<Record<string, ExampleRequest>> = {
  'listProducts repeatedSearch': { query: '?search=socks&search=towels' },
  'listDeliveryOptions repeatedExpand': { query: '?expand=estimatedDeliveryTime&expand=estimatedDeliveryTime' },
  'listCartItems repeatedExpand': { query: '?expand=product&expand=product' },
  'addCartItem quantityLimit': {
    before: (shop) => shop.ask('PUT', `/api/cart-items/${LAMP}`, { quantity: 1_000_000 }),
  },
  'addCartItem bodyTooLarge': { body: ' '.repeat(102_401) },
  'addCartItem unsupportedMediaType': { body: 'quantity: 1', headers: { 'content-type': 'text/plain' } },
  'updateCartItem unknownCartItem': { body: { deliveryOptionId: '9' } },
  'listProducts firstPage': { query: '?limit=1' },
  'listProducts nextPage': { query: '?limit=1&after=73dd99b2-39c0-44fa-a5a2-aa85ad7cf714' },
  'listOrders firstPage': { query: '?limit=1' },
  'listOrders nextPage': { query: '?limit=1&after=b3a9e0e9-66e7-439f-bb29-7a2f1c4c06e9' },
  'listOrders plain': { isPartial: true },
  'listOrders expanded': { isPartial: true },
  'listOrders repeatedExpand': { query: '?expand=products&expand=products' },
  'listOrders methodNotAllowed': { method: 'PATCH' },
  'listOrders foreignOrigin': { method: 'POST', headers: { origin: 'https://app.example' } },
  'createOrder foreignOrigin': { headers: { origin: 'https://app.example' } },
  'listOrders foreignHost': { headers: { host: 'shop.example' } },
  'createOrder foreignHost': { headers: { host: 'shop.example' } },
  'createOrder methodNotAllowed': { method: 'PATCH' },
  'createOrder created': { before: putPanAndShirts },
  'createOrder emptyCart': { before: emptyCart },
};

/** Options of the server that the examples of an operation need. */
const shops: Partial<Record<string, Options>> = {
  createOrder: { nowMs: () => newestOrder?.orderTimeMs ?? 0, newId: () => newestOrder?.id ?? '' },
};

/** Returns the response examples of an operation with the path of the request. */
function getResponseExamples(operation: DocumentedOperation) {
  const { operationId, responses } = operation;
  return Object.entries(responses).flatMap(([status, response]) =>
    Object.entries(getMediaType(response)?.examples ?? {}).map(([name, { value }]) => {
      const path = (value as Problem).instance ?? getExamplePath(operation, name);
      return { title: `${operationId} ${name}`, status, response, name, value, path, operation };
    }),
  );
}

type ExampleAnswer = ReturnType<typeof getResponseExamples>[number];

/** Statuses of requests that never reach the app. They have tests of their own. */
const BESIDE_THE_APP = [408, 417, 431];

/** An example of a shared response is for the operation at its `instance`. Responses while the server stops are for none. */
function isOfOperation({ path, operation, status, value }: ExampleAnswer): boolean {
  if (status === '5XX' || BESIDE_THE_APP.includes((value as Problem).status)) return false;
  return new RegExp(`^${operation.path.replaceAll(/\{.*?\}/g, '[^/]+')}$`).test(path);
}

/** Returns the request example with the same name. */
function getPairedRequest({ name, operation }: ExampleAnswer): ExampleRequest {
  const content = getMediaType(operation.requestBody);
  const body = content?.examples?.[name] ?? content?.['x-refused-examples']?.[name];
  const parameter = operation.parameters?.find(
    ({ in: place, examples = {} }) => place === 'query' && Object.hasOwn(examples, name),
  );
  const query = parameter && `?${new URLSearchParams({ [parameter.name]: String(parameter.examples?.[name]?.value) })}`;
  return { ...(body && { body: body.value }), ...(query && { query }) };
}

/** Sends the request of an example. Returns the response, and the one that the example expects. */
async function compareResponse(shop: TestShop, answer: ExampleAnswer) {
  const { title, path, operation, response, status, value } = answer;
  const { method = operation.method.toUpperCase(), ...request } = { ...getPairedRequest(answer), ...requests[title] };
  await request.before?.(shop);
  const reply = await createClient(shop)(method, path + (request.query ?? ''), request.body, request.headers);
  const headers = Object.entries(response.headers ?? {});
  return {
    seen: {
      status: reply.status,
      headers: headers.map(([name]) => reply.headers.get(name)),
      body: request.isPartial ? reply.body.slice(0, (value as unknown[]).length) : reply.body,
    },
    example: {
      status: status === '4XX' ? (value as Problem).status : Number(status),
      headers: headers.map(([, { example, examples }]) => {
        const shown = example ?? examples?.[answer.name]?.value;
        return shown === undefined ? null : String(shown);
      }),
      body: value,
    },
  };
}

describe('the response examples in the contract', () => {
  const operations = documentedOperations.map((operation) => {
    const answers = getResponseExamples(operation).filter(isOfOperation);
    return { operationId: operation.operationId, answers };
  });

  it('are more than thirty, and include all that need a request here', () => {
    const titles = operations.flatMap(({ answers }) => answers.map(({ title }) => title));
    expect(titles.length).toBeGreaterThan(30);
    expect(titles).toEqual(expect.arrayContaining(Object.keys(requests)));
  });

  it.each(operations)('are the actual responses of $operationId', async ({ operationId, answers }) => {
    const shop = await startStorefront(shops[operationId]);
    for (const answer of answers) {
      const { seen, example } = await compareResponse(shop, answer);
      expect.soft(seen, answer.title).toEqual(example);
      await shop.ask('POST', '/api/reset');
    }
  });
});
