/**
 * A typical handwritten Koa server with the routes of the shop and its data in memory. It parses and formats JSON for each request. It does not validate
 * requests against a contract, and writes nothing to the disk.
 *
 * Usage: `node koa.js PORT RESPONSES`. RESPONSES is the path of the file with the recorded responses of our server. The server reads its data from this
 * file.
 */
import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import Koa from 'koa';

const [, , port, responsesFile = ''] = process.argv;
const TAX_RATE = 0.1;

/** @type {import('../recorded-responses.ts').RecordedResponse[]} */
const responses = JSON.parse(readFileSync(responsesFile, 'utf8'));

/** @type {{ id: string, priceCents: number }[]} */
const products = recorded('/api/products');
/** @type {{ id: string, priceCents: number }[]} */
const deliveryOptions = recorded('/api/delivery-options');
/** @type {{ productId: string, quantity: number, deliveryOptionId: string }[]} */
let cart = recorded('/api/cart-items');
const orders = recorded('/api/orders');

/** @type {Record<string, (ctx: Koa.Context) => unknown>} */
const routes = {
  'GET /api/products': () => products,
  'GET /api/delivery-options': () => deliveryOptions,
  'GET /api/cart-items': () => cart,
  'GET /api/payment-summary': paymentSummary,
  'GET /api/orders': () => orders,
  'POST /api/cart-items': addCartItem,
  'POST /api/reset': resetData,
};

const app = new Koa();
app.use(async (ctx) => {
  const route = routes[`${ctx.method} ${ctx.path}`];
  if (route === undefined) return;
  ctx.set('Cache-Control', 'no-store');
  ctx.body = await route(ctx);
});
app.listen(Number(port), '127.0.0.1');

/** @param {string} path */
function recorded(path) {
  const response = responses.find(({ request }) => request.method === 'GET' && request.path === path);
  return JSON.parse(response?.body ?? 'null');
}

/** @param {Koa.Context} ctx */
async function addCartItem(ctx) {
  const { productId, quantity } = /** @type {{ productId: string, quantity: number }} */ (await json(ctx.req));
  ctx.status = 201;
  const item = cart.find((candidate) => candidate.productId === productId);
  if (item === undefined) {
    const added = { productId, quantity, deliveryOptionId: '1' };
    cart.push(added);
    return added;
  }
  item.quantity += quantity;
  return item;
}

function resetData() {
  cart = recorded('/api/cart-items');
  return null;
}

function paymentSummary() {
  const productCostCents = sum(cart.map((item) => priceCents(products, item.productId) * item.quantity));
  const shippingCostCents = sum(cart.map((item) => priceCents(deliveryOptions, item.deliveryOptionId)));
  const totalCostBeforeTaxCents = productCostCents + shippingCostCents;
  const taxCents = Math.round(totalCostBeforeTaxCents * TAX_RATE);
  const totalItems = sum(cart.map((item) => item.quantity));
  const totalCostCents = totalCostBeforeTaxCents + taxCents;
  return { totalItems, productCostCents, shippingCostCents, totalCostBeforeTaxCents, taxCents, totalCostCents };
}

/**
 * @param {{ id: string, priceCents: number }[]} priced
 * @param {string} id
 */
function priceCents(priced, id) {
  return priced.find((candidate) => candidate.id === id)?.priceCents ?? 0;
}

/** @param {number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
