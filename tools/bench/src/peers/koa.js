/**
 * A typical handwritten Koa server with @koa/router and koa-bodyparser, with the routes of the shop and its data in memory. It parses and formats JSON for
 * each request, and validates by hand. It has no contract, and writes nothing to the disk.
 *
 * Usage: `node koa.js PORT RESPONSES`. RESPONSES is the path of the file with the recorded responses of our server. The server reads its data from this
 * file.
 */
import { readFileSync } from 'node:fs';
import Router from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';

const [, , port, responsesFile = ''] = process.argv;
const TAX_RATE = 0.1;

/** @type {import('../recorded-responses.ts').RecordedResponse[]} */
const responses = JSON.parse(readFileSync(responsesFile, 'utf8'));

/** @type {{ id: string, priceCents: number }[]} */
const products = recorded('/api/products');
/** @type {{ id: string, priceCents: number }[]} */
const deliveryOptions = recorded('/api/delivery-options');
/** @type {{ id: number, productId: string, quantity: number, deliveryOptionId: string }[]} */
let cart = recorded('/api/cart-items');
const orders = recorded('/api/orders');

const router = new Router();
router.use((ctx, next) => {
  ctx.set('Cache-Control', 'no-store');
  return next();
});
router.get(
  '/api/products',
  send(() => products),
);
router.get(
  '/api/delivery-options',
  send(() => deliveryOptions),
);
router.get(
  '/api/cart-items',
  send(() => cart),
);
router.get('/api/payment-summary', send(paymentSummary));
router.get(
  '/api/orders',
  send(() => orders),
);
router.post('/api/cart-items', addCartItem);
router.put('/api/cart-items/:id', changeQuantity);
router.post('/api/reset', (ctx) => {
  cart = recorded('/api/cart-items');
  ctx.body = null;
});

const app = new Koa();
app.use(bodyParser());
app.use(router.routes());
app.listen(Number(port), '127.0.0.1');

/**
 * Returns a handler that responds with a value.
 * @param {() => unknown} getBody
 * @returns {(ctx: Koa.Context) => void}
 */
function send(getBody) {
  return (ctx) => {
    ctx.body = getBody();
  };
}

/** @param {string} path */
function recorded(path) {
  const response = responses.find(({ request }) => request.method === 'GET' && request.path === path);
  return JSON.parse(response?.body ?? 'null');
}

/**
 * Responds with 400 and a list of errors.
 * @param {Koa.Context} ctx
 * @param {string[]} errors
 */
function refuse(ctx, errors) {
  ctx.status = 400;
  ctx.body = { code: 'invalid-request', message: errors.join('; '), errors };
}

/** @param {unknown} quantity */
function isQuantity(quantity) {
  return Number.isInteger(quantity) && Number(quantity) >= 1 && Number(quantity) <= 10_000;
}

/** @param {Koa.Context} ctx */
function addCartItem(ctx) {
  const { productId, quantity } = /** @type {{ productId?: unknown, quantity?: unknown }} */ (ctx.request.body);
  const errors = [];
  if (typeof productId !== 'string' || !products.some(({ id }) => id === productId))
    errors.push('productId must be the id of a product');
  if (!isQuantity(quantity)) errors.push('quantity must be an integer from 1 to 10,000');
  if (errors.length > 0) return refuse(ctx, errors);
  ctx.status = 201;
  const item = cart.find((candidate) => candidate.productId === productId);
  if (item === undefined) {
    const id = Math.max(0, ...cart.map((other) => other.id)) + 1;
    const added = { id, productId: String(productId), quantity: Number(quantity), deliveryOptionId: '1' };
    cart.push(added);
    ctx.body = added;
  } else {
    item.quantity += Number(quantity);
    ctx.body = item;
  }
}

/** @param {Koa.Context & { params: Record<string, string> }} ctx */
function changeQuantity(ctx) {
  const { quantity } = /** @type {{ quantity?: unknown }} */ (ctx.request.body);
  const item = cart.find((candidate) => candidate.productId === ctx.params.id);
  if (!item) {
    ctx.status = 404;
    ctx.body = { code: 'not-found' };
  } else if (!isQuantity(quantity)) refuse(ctx, ['quantity must be an integer from 1 to 10,000']);
  else {
    item.quantity = Number(quantity);
    ctx.body = item;
  }
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
