// The hooks of dredd, which run before and after each transaction (the test of one documented response). They reset the server, send the requests that lead to
// the documented status, and set the schema of the expected response. These requests and schemas are in the view, which view.ts creates from the contract. This
// file is CommonJS: dredd can't load an ES module, and would run without the hooks.
const { isDeepStrictEqual } = require('node:util');
const hooks = require('hooks');
const { hookForAll, hookForEach } = require('./async-hooks.cjs');

const ENDPOINT = hooks.configuration.endpoint.replace(/\/+$/, '');
const [description] = hooks.configuration.apiDescriptions;
const view = JSON.parse(description.content);
const expectations = getExpectations(view);
const exampleIds = view['x-known-ids'];

/** Headers that all requests contain. */
const common = hooks.configuration.custom?.headers ?? {};

/** Whether the server has the data in the examples of the contract after a reset; undefined until the hooks have checked this. */
let hasExampleData;

const RESET = { method: 'POST', path: '/api/reset' };

/** The maximum time to wait for a server that is starting, in ms. */
const START_MS = 20_000;

/** The timeout of a response, in ms. */
const RESPONSE_MS = 10_000;

/** The maximum length of an error response in a message, in characters. */
const MAX_BODY_LENGTH = 500;

hooks.beforeAll(
  hookForAll(async (transactions) => {
    const [warning] = description.annotations;
    if (warning) throw new Error(`dredd's parser warns: ${warning.message}`);
    if (transactions.length !== expectations.size)
      throw new Error(
        `dredd created ${transactions.length} transactions for ${expectations.size} documented responses`,
      );
    await waitForServer();
  }),
);

hooks.beforeEach(
  hookForEach(async (transaction) => {
    const expectation = getExpectation(transaction);
    const { operationId, before, request } = expectation;
    Object.assign(transaction.origin, { isHooked: true, operationId });
    setExpectation(transaction.expected, expectation);
    if (!request) throw new Error('No request is known for this response: add it to tools/parity/recipes.ts');
    const { steps, idFor } = await resetServer();
    const further = before.map((one) => translate(one, idFor));
    for (const step of further) await send(step);
    transaction.origin.before = [...steps, ...further].map(toSent);
    setRequest(transaction, toSent(translate(request, idFor)));
  }),
);

hooks.beforeEachValidation(({ expected, real }) => {
  const type = real.headers['content-type'];
  // Ignores parameters of the media type, such as the charset, because dredd compares the whole text.
  if (type && toBareType(type) === expected.headers['Content-Type']) expected.headers['Content-Type'] = type;
});

hooks.afterEach(
  hookForEach(async (transaction) => {
    if (!transaction.test?.valid) return;
    const { headers, allow } = getExpectation(transaction);
    const { real } = transaction;
    if (headers.includes('Location')) await checkLocation(real.headers.location, real.body);
    if (allow) checkAllow(real.headers.allow, allow);
  }),
);

/** Returns the expected response of each transaction, and the requests that cause it. The key is the name of the operation and the status. */
function getExpectations({ paths }) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item).filter(({ responses }) => responses));
  return new Map(
    operations.flatMap(({ summary, responses }) =>
      Object.entries(responses).map(([status, response]) => [`${summary} ${status}`, response['x-expectation']]),
    ),
  );
}

function getExpectation({ origin, expected }) {
  return expectations.get(`${origin.actionName} ${expected.statusCode}`);
}

/**
 * Replaces the response that dredd expects with the response in the contract. Removes the header X-Dredd-Hooks-Missing from the expected headers. No server
 * sends this header, so every transaction fails if the hooks are missing.
 */
function setExpectation(expected, { type, schema, headers }) {
  delete expected.body;
  expected.headers = Object.fromEntries(headers.map((name) => [name, 'any']));
  if (type === undefined) return;
  expected.headers['Content-Type'] = type;
  expected.bodySchema = JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema });
}

/** Sets the request that dredd sends. */
function setRequest(transaction, { method, path, headers, body = '' }) {
  const { pathname, search } = new URL(ENDPOINT + path);
  transaction.fullPath = pathname + search;
  transaction.id = `${method} (${transaction.expected.statusCode}) ${path}`;
  const agent = { 'User-Agent': transaction.request.headers['User-Agent'] };
  Object.assign(transaction.request, { method, uri: path, body, headers: { ...agent, ...headers } });
}

/**
 * Resets the server, and creates the data in the examples of the contract if the server lacks it. Returns the sent requests, and a function that converts an id
 * in the examples to an id on the server.
 */
async function resetServer() {
  const steps = [RESET];
  await send(RESET);
  hasExampleData ??= matchesExamples(await readState());
  if (hasExampleData) return { steps, idFor: () => undefined };
  for (const step of createMissing(await readState())) {
    await send(step);
    steps.push(step);
  }
  const { products, cart, orders, options } = await readState();
  const serverIds = { cart, others: products.filter((id) => !cart.includes(id)), orders, options };
  return { steps, idFor: (kind, id) => findReplacement(exampleIds[kind], id, serverIds[kind]) };
}

/** Returns the id on the server that replaces an id in the examples; undefined if the examples do not have the id. */
function findReplacement(ids, id, serverIds) {
  const index = ids.findIndex((other) => String(other) === String(id));
  return index < 0 ? undefined : (serverIds[index] ?? serverIds.at(-1));
}

async function readState() {
  return {
    products: await readIds('/api/products', 'id'),
    cart: await readIds('/api/cart-items', 'productId'),
    orders: await readIds('/api/orders', 'id'),
    options: await readIds('/api/delivery-options', 'id'),
  };
}

/** Returns the ids in a list of the server; undefined if the request fails. The test of this list then reports the failure. */
async function readIds(path, key) {
  const list = await send({ method: 'GET', path }).catch(() => undefined);
  return Array.isArray(list) ? list.map((entry) => entry?.[key]) : undefined;
}

/** Returns whether the server has the data in the examples of the contract. Ignores lists that could not be read. */
function matchesExamples({ products, cart, orders, options }) {
  const hasAll = (list, ids) => list === undefined || ids.every((id) => list.includes(id));
  return (
    (cart === undefined || isDeepStrictEqual(cart, exampleIds.cart)) &&
    hasAll(products, exampleIds.others) &&
    hasAll(orders, exampleIds.orders) &&
    hasAll(options, exampleIds.options)
  );
}

/** Returns the requests that create an order, and a cart with two items. A third product stays outside the cart. */
function createMissing({ products = [], cart = [], orders = [] }) {
  if (products.length < 3) throw new Error('The server must have at least three products');
  const add = (productId) => ({ method: 'POST', path: '/api/cart-items', body: { productId, quantity: 2 } });
  const empty = cart.map((id) => ({ method: 'DELETE', path: `/api/cart-items/${id}` }));
  const order = orders.length > 0 ? [] : [add(products[0]), { method: 'POST', path: '/api/orders' }];
  return [...empty, ...order, add(products[0]), add(products[1])];
}

/** Returns a request from the examples with ids of the server in place of the ids of the examples. */
function translate({ path, body, ...rest }, idFor) {
  const inPath = path.replace(/(cart-items|orders)\/([^/?]+)/, (all, place, id) => {
    const other = place === 'orders' ? idFor('orders', id) : productFor(id, idFor);
    return other === undefined ? all : `${place}/${other}`;
  });
  if (typeof body !== 'object' || body === null) return { ...rest, path: inPath, body };
  const productId = productFor(body.productId, idFor);
  const deliveryOptionId = idFor('options', body.deliveryOptionId);
  return {
    ...rest,
    path: inPath,
    body: { ...body, ...(productId && { productId }), ...(deliveryOptionId && { deliveryOptionId }) },
  };
}

function productFor(id, idFor) {
  return idFor('cart', id) ?? idFor('others', id);
}

/** Adds the common headers to a request, and converts its body to text. Adds a content type if there is a body. */
function toSent({ method, path, body, headers = {} }) {
  if (body === undefined) return { method, path, headers: { ...common, ...headers } };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method, path, headers: { ...common, 'content-type': 'application/json', ...headers }, body: text };
}

/** Sends a request. Returns the body of the response; throws if the status is not 2xx. */
async function send(request) {
  const { method, path, headers, body } = toSent(request);
  const response = await fetch(ENDPOINT + path, { method, headers, body, signal: AbortSignal.timeout(RESPONSE_MS) });
  const text = await response.text();
  if (!response.ok)
    throw new Error(
      `The preceding request ${method} ${path} received status ${response.status}: ${text.slice(0, MAX_BODY_LENGTH)}`,
    );
  return parseBody(text);
}

/** Throws if a `Location` does not lead to the created resource (RFC 9110, section 15.3.2). */
async function checkLocation(location, body) {
  const url = new URL(location, `${ENDPOINT}/`);
  // Headers may have secrets, which other servers must not receive.
  const headers = url.origin === new URL(ENDPOINT).origin ? common : {};
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(RESPONSE_MS) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Location ${location} leads to status ${response.status}`);
  if (!isDeepStrictEqual(parseBody(text), parseBody(body)))
    throw new Error(`Location ${location} leads to a resource with a different body`);
}

/** Throws if an `Allow` does not list the methods of the path (RFC 9110, section 15.5.6); HEAD and OPTIONS are optional. */
function checkAllow(allow, methods) {
  const listed = allow.split(',').map((method) => method.trim());
  const wrong = [
    ...methods.filter((method) => !listed.includes(method)),
    ...listed.filter((method) => ![...methods, 'HEAD', 'OPTIONS'].includes(method)),
  ];
  if (wrong.length > 0) throw new Error(`Allow is "${allow}", but the path supports ${methods.join(', ')}`);
}

async function waitForServer() {
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      return await fetch(ENDPOINT, { signal: AbortSignal.timeout(RESPONSE_MS) });
    } catch (error) {
      if (Date.now() > deadline)
        throw new Error(`No server responds at ${ENDPOINT}: ${error.cause?.message ?? error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Parses JSON; returns the text if it is not valid JSON. */
function parseBody(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toBareType(type) {
  return type.split(';')[0].trim().toLowerCase();
}
