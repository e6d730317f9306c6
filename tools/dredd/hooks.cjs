// What dredd does beside asking: resets the server before each transaction, leads up to the documented status, and gives dredd the schema that holds.
// All that it knows stands in the view (view.ts). It has to be CommonJS: dredd can't load another kind in this package, and passes without it.
const { isDeepStrictEqual } = require('node:util');
const hooks = require('hooks');

const ENDPOINT = hooks.configuration.endpoint.replace(/\/+$/, '');
const [description] = hooks.configuration.apiDescriptions;
const view = JSON.parse(description.content);
const judgements = judgementsIn(view);
const known = view['x-known-ids'];

/** Headers that all requests carry. */
const common = hooks.configuration.custom?.headers ?? {};

/** Whether a reset leads to the data that the examples speak of; undefined until that was looked at. */
let isAsKnown;

const RESET = { method: 'POST', path: '/api/reset' };

/** How long a server that is just being started is waited for, in ms. */
const START_MS = 20_000;

/** How long any one answer may take, in ms. */
const ANSWER_MS = 10_000;

/** How much of a refusal is told, in characters. */
const TOLD_LENGTH = 500;

hooks.beforeAll(
  whole(async (transactions) => {
    const [warning] = description.annotations;
    if (warning) throw new Error(`dredd's parser warns: ${warning.message}`);
    if (transactions.length !== judgements.size)
      throw new Error(`dredd made ${transactions.length} transactions for ${judgements.size} documented responses`);
    await serverAnswers();
  }),
);

hooks.beforeEach(
  each(async (transaction) => {
    const judgement = judgementOf(transaction);
    const { operationId, before, ask } = judgement;
    Object.assign(transaction.origin, { isHooked: true, operationId });
    expect(transaction.expected, judgement);
    if (!ask) throw new Error('No request is known for this response: add it to tools/parity/recipes.ts');
    const { steps, idFor } = await settled();
    const further = before.map((one) => translated(one, idFor));
    for (const step of further) await asked(step);
    transaction.origin.before = [...steps, ...further].map(sent);
    request(transaction, sent(translated(ask, idFor)));
  }),
);

hooks.beforeEachValidation(({ expected, real }) => {
  const type = real.headers['content-type'];
  // Parameters of a media type don't count: dredd compares the whole text.
  if (type && bare(type) === expected.headers['Content-Type']) expected.headers['Content-Type'] = type;
});

hooks.afterEach(
  each(async (transaction) => {
    if (!transaction.test?.valid) return;
    const { headers, allow } = judgementOf(transaction);
    const { real } = transaction;
    if (headers.includes('Location')) await locationLeadsTo(real.headers.location, real.body);
    if (allow) allowNames(real.headers.allow, allow);
  }),
);

/** What each documented answer is held to, by the name of its transaction and its status. */
function judgementsIn({ paths }) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item).filter(({ responses }) => responses));
  return new Map(
    operations.flatMap(({ summary, responses }) =>
      Object.entries(responses).map(([status, response]) => [`${summary} ${status}`, response['x-judged-by']]),
    ),
  );
}

function judgementOf({ origin, expected }) {
  return judgements.get(`${origin.actionName} ${expected.statusCode}`);
}

/** Puts the real expectations in place of dredd's own, which are the keys of an example, and of the header that stands for these hooks. */
function expect(expected, { type, schema, headers }) {
  delete expected.body;
  expected.headers = Object.fromEntries(headers.map((name) => [name, 'any']));
  if (type === undefined) return;
  expected.headers['Content-Type'] = type;
  expected.bodySchema = JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema });
}

/** Has dredd send this request. */
function request(transaction, { method, path, headers, body = '' }) {
  const { pathname, search } = new URL(ENDPOINT + path);
  transaction.fullPath = pathname + search;
  transaction.id = `${method} (${transaction.expected.statusCode}) ${path}`;
  const agent = { 'User-Agent': transaction.request.headers['User-Agent'] };
  Object.assign(transaction.request, { method, uri: path, body, headers: { ...agent, ...headers } });
}

/** Resets the server, sees to what the examples speak of, and tells which of its ids stand for theirs. */
async function settled() {
  const steps = [RESET];
  await asked(RESET);
  isAsKnown ??= holds(await stateOf());
  if (isAsKnown) return { steps, idFor: () => undefined };
  for (const step of missing(await stateOf())) {
    await asked(step);
    steps.push(step);
  }
  const { products, cart, orders, options } = await stateOf();
  const theirs = { cart, others: products.filter((id) => !cart.includes(id)), orders, options };
  return { steps, idFor: (kind, id) => inPlaceOf(known[kind], id, theirs[kind]) };
}

/** The id that stands for one of those of the examples; undefined where it is none of them. */
function inPlaceOf(knownOnes, id, theirs) {
  const place = knownOnes.findIndex((one) => String(one) === String(id));
  return place < 0 ? undefined : (theirs[place] ?? theirs.at(-1));
}

async function stateOf() {
  return {
    products: await idsAt('/api/products', 'id'),
    cart: await idsAt('/api/cart-items', 'productId'),
    orders: await idsAt('/api/orders', 'id'),
    options: await idsAt('/api/delivery-options', 'id'),
  };
}

/** The ids in a list of the server; undefined where it doesn't give one: the transaction that is about this list says so. */
async function idsAt(path, key) {
  const list = await asked({ method: 'GET', path }).catch(() => undefined);
  return Array.isArray(list) ? list.map((entry) => entry?.[key]) : undefined;
}

/** Whether what the examples speak of is there, as far as can be seen. */
function holds({ products, cart, orders, options }) {
  const hasAll = (list, ids) => list === undefined || ids.every((id) => list.includes(id));
  return (
    (cart === undefined || isDeepStrictEqual(cart, known.cart)) &&
    hasAll(products, known.others) &&
    hasAll(orders, known.orders) &&
    hasAll(options, known.options)
  );
}

/** What leads to an order, two items in the cart and a product that isn't in it. */
function missing({ products = [], cart = [], orders = [] }) {
  if (products.length < 3) throw new Error('The server must have at least three products');
  const add = (productId) => ({ method: 'POST', path: '/api/cart-items', body: { productId, quantity: 2 } });
  const empty = cart.map((id) => ({ method: 'DELETE', path: `/api/cart-items/${id}` }));
  const order = orders.length > 0 ? [] : [add(products[0]), { method: 'POST', path: '/api/orders' }];
  return [...empty, ...order, add(products[0]), add(products[1])];
}

/** A request of the examples with the ids of this server. */
function translated({ path, body, ...rest }, idFor) {
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

/** A request as it is sent: its body as a text, with a content type where it has one. */
function sent({ method, path, body, headers = {} }) {
  if (body === undefined) return { method, path, headers: { ...common, ...headers } };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { method, path, headers: { ...common, 'content-type': 'application/json', ...headers }, body: text };
}

/** What the server answers; throws where it refuses. */
async function asked(ask) {
  const { method, path, headers, body } = sent(ask);
  const response = await fetch(ENDPOINT + path, { method, headers, body, signal: AbortSignal.timeout(ANSWER_MS) });
  const text = await response.text();
  if (!response.ok)
    throw new Error(
      `The preceding request ${method} ${path} received status ${response.status}: ${text.slice(0, TOLD_LENGTH)}`,
    );
  return parsed(text);
}

/** Where something was made, it has to be found (RFC 9110, section 15.3.2). */
async function locationLeadsTo(location, body) {
  const url = new URL(location, `${ENDPOINT}/`);
  // Headers may hold secrets, which are nobody else's.
  const headers = url.origin === new URL(ENDPOINT).origin ? common : {};
  const response = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
  const text = await response.text();
  if (!response.ok) throw new Error(`Location ${location} leads to status ${response.status}`);
  if (!isDeepStrictEqual(parsed(text), parsed(body))) throw new Error(`Location ${location} leads to a different body`);
}

/** An `Allow` names the methods that the path has (RFC 9110, section 15.5.6); HEAD and OPTIONS go without saying. */
function allowNames(allow, methods) {
  const told = allow.split(',').map((method) => method.trim());
  const wrong = [
    ...methods.filter((method) => !told.includes(method)),
    ...told.filter((method) => ![...methods, 'HEAD', 'OPTIONS'].includes(method)),
  ];
  if (wrong.length > 0) throw new Error(`Allow is "${allow}", but the path supports ${methods.join(', ')}`);
}

async function serverAnswers() {
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      return await fetch(ENDPOINT, { signal: AbortSignal.timeout(ANSWER_MS) });
    } catch (error) {
      if (Date.now() > deadline)
        throw new Error(`No server responds at ${ENDPOINT}: ${error.cause?.message ?? error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A text as JSON, or as it stands where it is none. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function bare(type) {
  return type.split(';')[0].trim().toLowerCase();
}

/** A hook for one transaction, which fails where the work does. */
function each(work) {
  const failOne = (transaction) => (said) => {
    transaction.fail = said;
  };
  return (transaction, done) => goOn(work(transaction), failOne(transaction), done);
}

/** A hook for all transactions, each of which fails where the work does. */
function whole(work) {
  const failAll = (transactions) => (said) => {
    for (const transaction of transactions) transaction.fail = said;
  };
  return (transactions, done) => goOn(work(transactions), failAll(transactions), done);
}

/** Dredd awaits no promises, and what is thrown while it goes on is no fault of the work. */
function goOn(working, fail, done) {
  working.catch((error) => fail(error.message)).then(() => setImmediate(done));
}
