import { describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import type { Problem } from '../../src/shop/types.ts';
import {
  type DocumentedOperation,
  documentedOperations,
  examplePath,
  onlyContent,
} from '../support/fixtures/contract-document.ts';
import { defaults, productId } from '../support/fixtures/default-data.ts';
import { asking } from '../support/harness/sandboxes.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';

/** How an example of an answer is asked for, where that isn't said by the contract itself. */
interface Asked {
  readonly method?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** What is done before. */
  readonly before?: (shop: TestShop) => Promise<unknown>;
  /** Whether the example has only the first of the entries. */
  readonly isBeginning?: boolean;
}

const [SOCKS, LAMP] = [productId('Cushioned Merino'), productId('Stoneware Bedside Lamp')];
const [PAN, SHIRT] = [productId('Pre-Seasoned Cast Iron'), productId('Organic Cotton Crew-Neck')];
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

const asked: Readonly<Record<string, Asked>> = {
  'listProducts repeatedSearch': { query: '?search=socks&search=towels' },
  'listDeliveryOptions unknownExpand': { query: '?expand=price' },
  'listCartItems unknownExpand': { query: '?expand=products' },
  'addCartItem quantityLimit': {
    before: (shop) => shop.ask('PUT', `/api/cart-items/${LAMP}`, { quantity: 1_000_000 }),
  },
  'addCartItem bodyTooLarge': { body: ' '.repeat(102_401) },
  'addCartItem unsupportedMediaType': { body: 'quantity: 1', headers: { 'content-type': 'text/plain' } },
  'updateCartItem unknownCartItem': { body: { deliveryOptionId: '9' } },
  'listOrders plain': { isBeginning: true },
  'listOrders expanded': { isBeginning: true },
  'listOrders unknownExpand': { query: '?expand=product' },
  'listOrders methodNotAllowed': { method: 'PATCH' },
  'listOrders foreignOrigin': { method: 'POST', headers: { origin: 'https://app.example' } },
  'createOrder foreignOrigin': { headers: { origin: 'https://app.example' } },
  'listOrders foreignHost': { headers: { host: 'shop.example' } },
  'createOrder foreignHost': { headers: { host: 'shop.example' } },
  'createOrder methodNotAllowed': { method: 'PATCH' },
  'createOrder created': { before: putPanAndShirts },
  'createOrder emptyCart': { before: emptyCart },
};

/** The shop in which the examples of an operation are true, where it is not that of all tests. */
const shops: Partial<Record<string, Options>> = {
  createOrder: { nowMs: () => newestOrder?.orderTimeMs ?? 0, newId: () => newestOrder?.id ?? '' },
};

/** The examples of an operation's answers, with the path each answers for. */
function answersOf(operation: DocumentedOperation) {
  const { operationId, responses } = operation;
  return Object.entries(responses).flatMap(([status, response]) =>
    Object.entries(onlyContent(response)?.examples ?? {}).map(([name, { value }]) => {
      const path = (value as Problem).instance ?? examplePath(operation, name);
      return { title: `${operationId} ${name}`, status, response, name, value, path, operation };
    }),
  );
}

type ExampleAnswer = ReturnType<typeof answersOf>[number];

/** What is answered to a request that never reaches the app: tests of their own provoke these. */
const BESIDE_THE_APP = [408, 417, 431];

/** Responses that operations share have examples for one of them: the one at their `instance`. Answers while stopping are the server's, not an operation's. */
function isOfOperation({ path, operation, status, value }: ExampleAnswer): boolean {
  if (status === '5XX' || BESIDE_THE_APP.includes((value as Problem).status)) return false;
  return new RegExp(`^${operation.path.replaceAll(/\{.*?\}/g, '[^/]+')}$`).test(path);
}

/** What the contract itself says of the request: the example of the same name, of a query parameter or of the body. */
function pairedRequest({ name, operation }: ExampleAnswer): Asked {
  const content = onlyContent(operation.requestBody);
  const body = content?.examples?.[name] ?? content?.['x-refused-examples']?.[name];
  const parameter = operation.parameters?.find(
    ({ in: place, examples = {} }) => place === 'query' && Object.hasOwn(examples, name),
  );
  const query = parameter && `?${new URLSearchParams({ [parameter.name]: String(parameter.examples?.[name]?.value) })}`;
  return { ...(body && { body: body.value }), ...(query && { query }) };
}

/** What the server answers, and what by the example it should. */
async function answered(shop: TestShop, answer: ExampleAnswer) {
  const { title, path, operation, response, status, value } = answer;
  const { method = operation.method.toUpperCase(), ...request } = { ...pairedRequest(answer), ...asked[title] };
  await request.before?.(shop);
  const reply = await asking(shop)(method, path + (request.query ?? ''), request.body, request.headers);
  const headers = Object.entries(response.headers ?? {});
  return {
    seen: {
      status: reply.status,
      headers: headers.map(([name]) => reply.headers.get(name)),
      body: request.isBeginning ? reply.body.slice(0, (value as unknown[]).length) : reply.body,
    },
    example: {
      status: status === '4XX' ? (value as Problem).status : Number(status),
      headers: headers.map(([, { example, examples }]) => example ?? examples?.[answer.name]?.value ?? null),
      body: value,
    },
  };
}

describe('the examples in the contract', () => {
  const operations = documentedOperations.map((operation) => {
    const answers = answersOf(operation).filter(isOfOperation);
    return { operationId: operation.operationId, answers };
  });

  it('are more than thirty, and all that are named here', () => {
    const titles = operations.flatMap(({ answers }) => answers.map(({ title }) => title));
    expect(titles.length).toBeGreaterThan(30);
    expect(titles).toEqual(expect.arrayContaining(Object.keys(asked)));
  });

  it.each(operations)('are what the server answers: $operationId', async ({ operationId, answers }) => {
    const shop = await startStorefront(shops[operationId]);
    for (const answer of answers) {
      const { seen, example } = await answered(shop, answer);
      expect.soft(seen, answer.title).toEqual(example);
      await shop.ask('POST', '/api/reset');
    }
  });
});
