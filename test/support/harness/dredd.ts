import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type AnyHandler, type AnyResponse, createStorefront, type Options } from '../../../src/index.ts';
import { handlers as own } from '../../../src/shop/operations/handlers.ts';
import { type DreddVerdict, runDredd } from '../../../tools/dredd/dredd.ts';
import type { DreddTransaction } from '../../../tools/dredd/transaction.ts';
import { documentedOperations } from '../fixtures/contract-document.ts';
import { projectFile } from '../fixtures/default-data.ts';
import { folderWith } from './folder-with.ts';

/** The absolute path of the shop's contract. */
export const contractFile: string = projectFile('openapi.yaml');

/**
 * The names of all responses that the shop's contract documents, such as `listOrders 200`. Includes a 405 response for each path, such as `/api/orders 405`.
 */
export const documented: readonly string[] = [
  ...documentedOperations.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((name) => /^\d+$/.test(name))
      .map((status) => `${operationId} ${status}`),
  ),
  ...[...new Set(documentedOperations.map(({ path }) => path))].map((path) => `${path} 405`),
].sort();

/** Returns the name of a dredd transaction: the operationId and the status. For a transaction without an operation, returns the path and the status. */
export function getName({ operationId, path, status }: DreddTransaction): string {
  return `${operationId ?? path} ${status}`;
}

/** Returns the name of each failed transaction, and the reason of the failure. */
export function getFailures({ transactions }: DreddVerdict): readonly (readonly [name: string, message: string])[] {
  return transactions.filter(({ isPassed }) => !isPassed).map((one) => [getName(one), one.failure]);
}

/** Starts a shop for one test that does not verify its own responses. Returns its URL. */
export async function startShop(options: Options = {}): Promise<string> {
  const shop = await createStorefront({ verify: 'off', logTo: { write: () => {} }, ...options });
  onTestFinished(() => shop.close());
  return shop.url;
}

/** Starts a shop with these options for one test, and runs dredd against the shop. Returns the result. */
export async function runWith(options: Options = {}): Promise<DreddVerdict> {
  return runDredd({ url: await startShop(options), contractFile });
}

/** Returns the options for a shop that uses this handler for one operation. */
export function withHandler(operationId: keyof typeof own, handler: AnyHandler): Options {
  return { handlers: { [operationId]: handler } };
}

/** Returns the options for a shop that changes the correct responses of one operation. `change`: returns the changed response. */
export function withChangedResponse(
  operationId: keyof typeof own,
  change: (answer: AnyResponse) => AnyResponse,
): Options {
  const right = own[operationId] as unknown as AnyHandler;
  return withHandler(operationId, async (input, shop) => change(await right(input, shop)));
}

/** Returns a function that replaces the body of a response by the result of `change`. */
export function withBody(change: (body: never) => unknown): (answer: AnyResponse) => AnyResponse {
  return (answer) => ({ ...answer, body: change(answer.body as never) });
}

/**
 * Writes a copy of the shop's contract in which `from` is replaced by `to`. Returns the path of the copy. Throws an error if the contract does not contain
 * `from`.
 */
export async function writeContract(from: string, to: string): Promise<string> {
  const text = await readFile(contractFile, 'utf8');
  if (!text.includes(from)) throw new Error(`openapi.yaml has no ${from}`);
  return join(await folderWith({ 'openapi.yaml': text.replace(from, to) }), 'openapi.yaml');
}

/** Starts a proxy for the server at `url` that changes the headers of its responses. Stops the proxy when the test ends. Returns the URL of the proxy. */
export async function startProxy(url: string, change: (headers: Record<string, string>) => void): Promise<string> {
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const headers = { 'content-type': req.headers['content-type'] ?? '' };
    const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {};
    const answer = await fetch(url + req.url, { method: req.method ?? 'GET', headers, ...body });
    const headerValues = Object.fromEntries(answer.headers);
    change(headerValues);
    res.writeHead(answer.status, headerValues).end(Buffer.from(await answer.arrayBuffer()));
  });
  return listen(server);
}

/** Starts an HTTP server on a free port and stops it when the test ends. Returns its URL. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
