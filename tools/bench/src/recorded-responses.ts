import { isDeepStrictEqual } from 'node:util';
import { BenchError } from './measurement.ts';
import {
  addCartItem,
  changeQuantity,
  expandedCart,
  gets,
  products,
  refused,
  reset,
  type ShopRequest,
  searchProducts,
  withVariants,
} from './requests.ts';
import { type BenchResponse, sendRequest } from './send-request.ts';

/**
 * A response of our server to a request, with the default data. The server with only `node:http` sends the recorded responses. The Koa server reads its data
 * from them.
 */
export interface RecordedResponse extends BenchResponse {
  readonly request: ShopRequest;
}

/** Returns the requests that the measurements send. Our server must be running at `port` with the default data. */
export async function listRequests(port: number): Promise<ShopRequest[]> {
  const list = await readList<{ id: string; name: string; keywords: string[] }>(port, products);
  const [cartItem] = await readList<{ productId: string }>(port, gets[2] as ShopRequest);
  const [product] = list;
  if (!product || !cartItem) throw new BenchError('the default data must have a product and a cart item');
  const words = list.flatMap(({ name, keywords }) => [...name.split(/[^A-Za-z]+/), ...keywords]).map(toWord);
  const changes = [addCartItem(product.id), changeQuantity(cartItem.productId)];
  return [...gets, expandedCart, searchProducts(words), ...changes, ...refused];
}

function toWord(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** Sends requests and their variants to the server at a port, and then the requests in `last`. Returns all responses. */
export async function recordResponses(
  port: number,
  requests: readonly ShopRequest[],
  last: readonly ShopRequest[] = [reset],
): Promise<RecordedResponse[]> {
  const responses: RecordedResponse[] = [];
  // The requests are sent one after the other: first the GET requests, then the changes, then the reset.
  for (const { variants: _, ...request } of [...requests.flatMap(withVariants), ...last])
    responses.push({ request, ...(await sendRequest(port, request)) });
  return responses;
}

/**
 * Sends requests to the server at a port. Throws a `BenchError` if a response differs from the recorded response of our server, because the measurements
 * would then compare different work.
 */
export async function checkResponses(port: number, responses: readonly RecordedResponse[]): Promise<void> {
  for (const { request, body } of responses) {
    const reply = await sendRequest(port, request);
    if (!isDeepStrictEqual(parsed(reply.body), parsed(body))) {
      throw new BenchError(`${request.name} returned ${reply.body.slice(0, 500)} instead of ${body.slice(0, 500)}`);
    }
  }
}

async function readList<Item>(port: number, request: ShopRequest): Promise<Item[]> {
  return parsed((await sendRequest(port, request)).body) as Item[];
}

function parsed(body: string): unknown {
  return body === '' ? undefined : JSON.parse(body);
}
