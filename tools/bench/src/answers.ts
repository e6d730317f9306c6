import { isDeepStrictEqual } from 'node:util';
import { ask, type Reply } from './ask.ts';
import { Fault } from './measurement.ts';
import { addCartItem, gets, products, reset, type ShopRequest } from './requests.ts';

/** What our server answers to a request on the default data: what bare sends as it is, and koa takes its data from. */
export interface RecordedAnswer extends Reply {
  readonly request: ShopRequest;
}

/** The answers of the server at this port to all requests of the measurements, the reset last. */
export async function recordAnswers(port: number): Promise<RecordedAnswer[]> {
  const requests = [...gets, addCartItem(await firstProductId(port)), reset];
  const answers: RecordedAnswer[] = [];
  // One after the other: the POST must come after the GETs, and the reset after the POST.
  for (const request of requests) answers.push({ request, ...(await ask(port, request)) });
  return answers;
}

/** Throws a Fault unless the server at this port gives the recorded answers: only then does it do the same work. */
export async function checkAnswers(port: number, answers: readonly RecordedAnswer[]): Promise<void> {
  for (const { request, body } of answers) {
    const reply = await ask(port, request);
    if (!isDeepStrictEqual(parsed(reply.body), parsed(body))) {
      throw new Fault(`${request.name} was answered ${reply.body.slice(0, 500)} instead of ${body.slice(0, 500)}`);
    }
  }
}

async function firstProductId(port: number): Promise<string> {
  const list: unknown = parsed((await ask(port, products)).body);
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  if (typeof first === 'object' && first !== null && 'id' in first && typeof first.id === 'string') return first.id;
  throw new Fault(`${products.name} was answered without a product that has an id`);
}

function parsed(body: string): unknown {
  return body === '' ? undefined : JSON.parse(body);
}
