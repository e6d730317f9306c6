import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults, getProductId } from '../support/fixtures/default-data.ts';
import { sendRaw } from '../support/harness/raw-client.ts';
import { startAlike } from '../support/harness/start-alike.ts';
import { NOW_MS, type TestShop } from '../support/harness/start-storefront.ts';

const SEQUENCES = 2_000;
const SEQUENCES_PER_CALL = 100;
const KETTLE = getProductId('Cordless Electric Kettle');
const [IN_CART] = defaults.cartItems.map((item) => item.productId) as [string];
const SANDBOX = '/_control/sandboxes/default';
const [PRODUCT] = defaults.products;

/** Requests whose responses can be cached, and similar requests. */
const READS = [
  'GET /api/products',
  'GET /api/products?search=socks',
  'GET /api/products?search=caf%C3%A9',
  'GET /api/cart-items',
  'GET /api/cart-items?expand=product',
  'GET /api/cart-items?expand=a&expand=b',
  'GET /api/orders',
  'GET /api/orders?expand=products',
  'GET /api/delivery-options',
  'GET /api/delivery-options?expand=estimatedDeliveryTime',
  'GET /api/payment-summary',
  'GET /_sandbox/w1/api/cart-items',
];

/** Headers of the reads. Some select another response, and some change only the headers of the response. */
const HEADERS = [
  '',
  'Origin: http://localhost:5173',
  'Origin: https://foreign.example',
  'X-Sandbox: w1',
  'Prefer: code=404',
  'Prefer: mock=true',
  'If-None-Match: "1"',
];

/** Requests that change a response: through the API, and through the control API. */
const CHANGES: readonly (readonly [start: string, body?: object])[] = [
  ['POST /api/cart-items', { productId: KETTLE, quantity: 1 }],
  ['POST /api/cart-items', { productId: KETTLE, quantity: 0 }],
  [`PUT /api/cart-items/${IN_CART}`, { quantity: 3 }],
  [`DELETE /api/cart-items/${IN_CART}`],
  ['POST /api/orders'],
  ['POST /_sandbox/w1/api/orders'],
  ['POST /api/reset'],
  [`PUT ${SANDBOX}/state`, { ...defaults, products: [{ ...PRODUCT, name: 'Café ☕' }, ...defaults.products.slice(1)] }],
  [`PUT ${SANDBOX}/clock`, { nowMs: NOW_MS + 1_000, isFrozen: true }],
  [`PUT ${SANDBOX}/operations/listProducts`, { mocked: true }],
  [`PUT ${SANDBOX}/operations/listProducts`, { mocked: false }],
  [`POST ${SANDBOX}/faults`, { status: 503, times: 1 }],
  [`DELETE ${SANDBOX}/faults`],
  [`PUT ${SANDBOX}/snapshots/a`],
  [`POST ${SANDBOX}/snapshots/a/restore`],
];

/** Formats a request on a persistent connection. */
function formatRequest(start: string, body?: object, header = ''): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? '' : 'Content-Type: application/json\r\n';
  const other = header === '' ? '' : `${header}\r\n`;
  const length = start.startsWith('GET') ? '' : `Content-Length: ${Buffer.byteLength(text)}\r\n`;
  return `${start} HTTP/1.1\r\nHost: localhost\r\n${type}${other}${length}\r\n${text}`;
}

/** The requests by a short name, which a failure report shows. The second response to a read can come from the cache. */
const STEPS = new Map([
  ...READS.flatMap((start) =>
    HEADERS.map((header) => [`${start} ${header}`, formatRequest(start, undefined, header).repeat(2)] as const),
  ),
  ...CHANGES.map(
    ([start, body]) => [`${start} ${JSON.stringify(body)?.slice(0, 50)}`, formatRequest(start, body)] as const,
  ),
]);
const NAMES = [...STEPS.keys()];
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...NAMES.slice(0, -CHANGES.length)) },
    { weight: 1, arbitrary: fc.constantFrom(...NAMES.slice(-CHANGES.length)) },
  ),
  { minLength: 5, maxLength: 25 },
);

/** Requests that undo all changes. */
const UNDO = [
  formatRequest('POST /api/reset'),
  formatRequest(`PUT ${SANDBOX}/operations/listProducts`, { mocked: false }),
  formatRequest(`DELETE ${SANDBOX}/faults`),
  formatRequest('DELETE /_control/sandboxes/w1'),
  formatRequest(`DELETE ${SANDBOX}/clock`),
];
const LAST = 'GET /api/products HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

/** Sends requests on one connection. Returns the status, the headers except the date, and the text of each response. */
async function sendAll({ port }: TestShop, texts: string) {
  const responses = await sendRaw(port, Buffer.from(texts));
  return responses.map(({ status, headers, text }) => ({ status, headers: { ...headers, date: [] }, text }));
}

describe('the response cache', () => {
  it.each(Array.from({ length: SEQUENCES / SEQUENCES_PER_CALL }, (_, index) => index + 1))(
    `sends the same status, headers and bytes as the normal path after ${SEQUENCES_PER_CALL} random sequences of requests (seed %i)`,
    async (seed) => {
      const [cached, normal] = await Promise.all([startAlike(true), startAlike(false)]);
      await fc.assert(
        fc.asyncProperty(steps, async (names) => {
          const texts = [...UNDO, ...names.map((name) => STEPS.get(name)), LAST].join('');
          const [actual, expected] = await Promise.all([sendAll(cached, texts), sendAll(normal, texts)]);
          expect(actual).toEqual(expected);
          expect(actual).toHaveLength(texts.split(' HTTP/1.1\r\n').length - 1);
        }),
        { numRuns: SEQUENCES_PER_CALL, seed },
      );
    },
    60_000,
  );
});
