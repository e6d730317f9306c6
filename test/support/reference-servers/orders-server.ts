import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Contract, loadContract } from '../../../src/openapi/contract.ts';
import { folderWith } from '../harness/folder-with.ts';
import { type ReceivedRequest, type Recorder, startRecorder } from './echo-server.ts';

/**
 * A contract for tests with features that many contracts have: error responses without `content`, prices with decimals, an optional form body, and API keys.
 */
export const ORDERS_CONTRACT = `openapi: 3.0.3
info: { title: Orders, version: "1" }
security: [{ key: [] }]
paths:
  /orders:
    get:
      operationId: listOrders
      parameters: [{ name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 50 } }]
      responses:
        "200": { $ref: "#/components/responses/Orders" }
        "400": { description: Invalid request }
    post:
      operationId: addOrder
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/NewOrder" }
      responses:
        "201":
          description: The order
          content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
        "400": { description: Invalid request }
  /orders/{orderId}:
    parameters: [{ name: orderId, in: path, required: true, schema: { type: string } }]
    get:
      operationId: readOrder
      responses:
        "200":
          description: The order
          content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
        "404": { description: No such order }
    post:
      operationId: markOrder
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { status: { type: string }, color: { type: string } } }
      responses:
        "204": { description: Marked }
        "400": { description: Invalid request }
        "404": { description: No such order }
components:
  securitySchemes: { key: { type: apiKey, in: header, name: x-key } }
  schemas:
    NewOrder:
      type: object
      required: [price, note]
      properties: { note: { type: string, maxLength: 50000 }, price: { type: number, minimum: 0, example: 165.39 } }
    Order:
      type: object
      required: [orderId, price]
      properties: { orderId: { type: string }, price: { type: number }, note: { type: string } }
  responses:
    Orders:
      description: All orders
      content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Order" } } } }
`;

/** Correct variants of the server of `startOrdersServer`. */
export interface OrdersVariants {
  /** The server checks the API key before it checks anything else. */
  readonly isSecured?: boolean;
  /** The number of requests that the server accepts before each 429 response. */
  readonly letsThrough?: number;
  /** A proxy in front of the server checks paths and sizes, and rejects requests with HTML pages. */
  readonly hasProxy?: boolean;
}

/** Loads the contract of the orders for one test. `isSecured`: false for a contract that requires no API key. */
export async function loadOrdersContract({ isSecured = true }: OrdersVariants = {}): Promise<Contract> {
  const text = isSecured ? ORDERS_CONTRACT : ORDERS_CONTRACT.replace('security: [{ key: [] }]\n', '');
  const path = join(await folderWith({ 'orders.yaml': text }), 'orders.yaml');
  return loadContract({ path, strict: false });
}

/** Starts a correct server for orders, and stops it when the test ends. `ways`: the variants of the server. */
export async function startOrdersServer(ways: OrdersVariants = {}): Promise<Recorder> {
  const orders = new Map<string, Order>([['first', { orderId: 'first', price: 165.39, note: 'say "size":12' }]]);
  let left = ways.letsThrough ?? Number.POSITIVE_INFINITY;
  return startRecorder((seen, response) => {
    if (left-- <= 0) {
      left = ways.letsThrough ?? 0;
      refuse(response, 429, { 'retry-after': '0' });
    } else if (ways.hasProxy && isRefusedByProxy(seen)) page(response, seen);
    else if (ways.isSecured && seen.headers['x-key'] !== 'right') refuse(response, 401);
    else answer(orders, seen, response, ways);
  });
}

interface Order {
  readonly orderId: string;
  readonly price: number;
  readonly note: string;
}

function isRefusedByProxy({ target, body }: ReceivedRequest): boolean {
  const [path = ''] = target.split('?');
  return target.length > 4_000 || body.length > 10_000 || /%(2f|00|0d|25|ff|ed|e0)|%(?![0-9a-f]{2})/i.test(path);
}

function page(response: ServerResponse, { target, body }: ReceivedRequest): void {
  const status = target.length > 4_000 ? 414 : body.length > 10_000 ? 413 : 404;
  response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${status}</h1>`);
}

/** Handles a request like a router that matches method and path together: an unsupported method gets the same response as an unknown path. */
function answer(
  orders: Map<string, Order>,
  seen: ReceivedRequest,
  response: ServerResponse,
  { hasProxy }: OrdersVariants,
): void {
  const url = new URL(seen.target.replace(/^\/\/+/, '/'), 'http://localhost');
  const id = /^\/orders\/([^/]+)$/.exec(url.pathname)?.[1];
  const known = id === undefined ? undefined : orders.get(unescaped(id));
  const route = `${seen.method} ${id === undefined ? url.pathname : '/orders/ID'}`;
  if (route === 'GET /orders') list(orders, url.searchParams, response);
  else if (route === 'POST /orders') add(orders, seen, response);
  else if (!['GET /orders/ID', 'POST /orders/ID'].includes(route))
    refuse(response, hasProxy ? 404 : 405, ALLOW[id === undefined ? 'all' : 'one']);
  else if (!known) refuse(response, 404);
  else if (route === 'GET /orders/ID') give(response, 200, known);
  else mark(seen, response);
}

const ALLOW = { all: { allow: 'GET, POST' }, one: { allow: 'GET, POST' } } as const;

function list(orders: Map<string, Order>, query: URLSearchParams, response: ServerResponse): void {
  const limit = query.get('limit');
  if (limit !== null && !/^([1-9]|[1-4]\d|50)$/.test(limit)) refuse(response, 400);
  else give(response, 200, [...orders.values()].slice(0, Number(limit ?? 50)));
}

function add(orders: Map<string, Order>, { headers, body }: ReceivedRequest, response: ServerResponse): void {
  const isJson = /^application\/json\b/.test(headers['content-type'] ?? '');
  const { price, note } = (parsed(body) ?? {}) as Partial<Order>;
  const holds = typeof price === 'number' && price >= 0 && typeof note === 'string' && [...note].length <= 50_000;
  if (!isJson || !holds) refuse(response, isJson ? 400 : 415);
  else {
    const order = { orderId: `order-${orders.size}`, price: Math.min(price, Number.MAX_VALUE), note };
    orders.set(order.orderId, order);
    give(response, 201, order);
  }
}

/** Handles a form. The form is optional, but a request with the content type of a form must contain one. */
function mark({ headers, body }: ReceivedRequest, response: ServerResponse): void {
  const type = headers['content-type'];
  if (type === undefined && body.length === 0) response.writeHead(204).end();
  else if (!type?.startsWith('application/x-www-form-urlencoded')) refuse(response, 415);
  else if (body.length === 0) refuse(response, 400);
  else response.writeHead(204).end();
}

/** Sends a JSON body in chunks, as a server does that does not know the length in advance. */
function give(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.write(text.slice(0, 1));
  response.end(text.slice(1));
}

/** Rejects a request with a body that the contract does not describe. */
function refuse(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(`refused with ${status}`);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
