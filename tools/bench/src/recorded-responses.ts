import { isDeepStrictEqual } from 'node:util';
import { BenchError } from './measurement.ts';
import { addCartItem, gets, products, reset, type ShopRequest } from './requests.ts';
import { type BenchResponse, sendRequest } from './send-request.ts';

/** The response of our server to a request on the default data. The peer `bare` sends the recorded responses, and the peer `koa` reads its data from them. */
export interface RecordedResponse extends BenchResponse {
  readonly request: ShopRequest;
}

/** Sends all requests of the measurements to the server at a port, the reset last. Returns the responses. */
export async function recordResponses(port: number): Promise<RecordedResponse[]> {
  const requests = [...gets, addCartItem(await firstProductId(port)), reset];
  const responses: RecordedResponse[] = [];
  // One after the other: the POST must come after the GETs, and the reset after the POST.
  for (const request of requests) responses.push({ request, ...(await sendRequest(port, request)) });
  return responses;
}

/** Throws a `BenchError` if the server at a port sends other responses than the recorded ones, because then it does other work than our server. */
export async function checkResponses(port: number, responses: readonly RecordedResponse[]): Promise<void> {
  for (const { request, body } of responses) {
    const reply = await sendRequest(port, request);
    if (!isDeepStrictEqual(parsed(reply.body), parsed(body))) {
      throw new BenchError(`${request.name} returned ${reply.body.slice(0, 500)} instead of ${body.slice(0, 500)}`);
    }
  }
}

async function firstProductId(port: number): Promise<string> {
  const list: unknown = parsed((await sendRequest(port, products)).body);
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  if (typeof first === 'object' && first !== null && 'id' in first && typeof first.id === 'string') return first.id;
  throw new BenchError(`${products.name} returned no product with an id`);
}

function parsed(body: string): unknown {
  return body === '' ? undefined : JSON.parse(body);
}
