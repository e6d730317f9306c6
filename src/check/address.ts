import type { Contract } from '../openapi/contract.ts';
import { findMediaType } from '../openapi/media-types.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { Client } from './client.ts';
import { addCredentials } from './credentials.ts';
import { CheckStoppedError, type ReceivedResponse } from './exchange.ts';
import type { Hints } from './hints.ts';
import type { GetSettings } from './operation-settings.ts';
import { Pool, withDocumentedValues } from './pool.ts';
import { toRequest } from './requests.ts';
import { isWriteOperation } from './selection.ts';
import { NoResponseError } from './transport.ts';
import { createRequestGenerator } from './valid-requests.ts';

/** The server and the operations to find on it. */
interface AddressOptions {
  readonly contract: Contract;
  readonly client: Client;
  /** The operations to which the check may send requests. */
  readonly routes: readonly Route[];
  readonly seed: number;
  readonly getSettings?: GetSettings | undefined;
  /** Gets the responses. */
  readonly hints?: Hints | undefined;
  /** The name of the application of the contract, if the user has chosen no contract. */
  readonly defaultSubject: string | undefined;
}

/** The maximum time to wait for a response of an operation, in ms. A slow operation exists. */
const REQUEST_MS = 5_000;

/**
 * Statuses of responses to requests that a server does not know: the path is unknown, or the server supports no such
 * method.
 */
const UNKNOWN_STATUSES: readonly number[] = [404, 501];

/** The statuses of redirects. */
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Requests one operation after another until a response shows that the server has the operations of the contract.
 * Throws `CheckStoppedError` if no response shows this: for example, if all responses have status 404.
 */
export async function requireApi(options: AddressOptions): Promise<void> {
  const { contract, client, routes, seed } = options;
  const requests = createRequestGenerator(contract, new Pool(), options.getSettings);
  const isSimple = (route: Route) => route.pathNames.length === 0;
  const reading = routes.filter((route) => !isWriteOperation(route));
  const writing = routes.filter(isWriteOperation);
  const statuses = new Set<number>();
  for (const route of [reading, writing].flatMap((all) => [
    ...all.filter(isSimple),
    ...all.filter((one) => !isSimple(one)),
  ])) {
    const generated = requests.createValid(route, seed);
    if (!generated) continue;
    // Only the documented values can exist on the server.
    for (const values of [generated, withDocumentedValues(contract, route, generated) ?? []].flat()) {
      const plain = toRequest(route, values);
      const response = await request(client, route, plain);
      if (response) options.hints?.observe(route, { request: plain, response });
      if (!response || !isForeign(options, route, response)) return;
      statuses.add(response.status);
    }
  }
  if (statuses.size > 0) throw new CheckStoppedError(describe(options, [...statuses]), 'wrong-address');
}

/** Sends a request. Returns the response; undefined if there is none in time. */
async function request(client: Client, route: Route, plainRequest: ReturnType<typeof toRequest>) {
  try {
    return await client.send(addCredentials(route, client, plainRequest), REQUEST_MS);
  } catch (error) {
    if (error instanceof NoResponseError) return undefined;
    throw error;
  }
}

/**
 * Returns whether a server without this operation can send this response: an unknown path, a redirect, or a page of a
 * web site.
 */
function isForeign(
  { defaultSubject }: AddressOptions,
  { responses }: Route,
  { status, headers, text }: ReceivedResponse,
): boolean {
  if (UNKNOWN_STATUSES.includes(status)) return true;
  const documented = findResponse(responses, status);
  if (!documented && (status === 405 || REDIRECTS.includes(status))) return true;
  const types = Object.keys(documented?.media ?? {});
  const isDocumentedType = documented && (types.length === 0 || findMediaType(types, headers['content-type'] ?? ''));
  // A user who has chosen no contract can have an API that differs in every response.
  if (defaultSubject !== undefined && !isDocumentedType && status < 500) return true;
  return status < 400 && /^\s*<(!doctype html|html)\b/i.test(text) && (!isDocumentedType || types.length === 0);
}

function describe({ contract, client: { url }, defaultSubject }: AddressOptions, statuses: readonly number[]): string {
  const list = statuses.toSorted((a, b) => a - b).join(' or ');
  const path = new URL(url).pathname.replace(/\/+$/, '');
  const basePaths = [...new Set(contract.routes.flatMap((route) => route.basePaths))].filter((base) => base !== '');
  const missing = basePaths.filter((base) => !path.endsWith(base));
  const root = url.slice(0, url.length - path.length);
  return [
    `${url} does not have the operations of ${contract.path}: every response has status ${list}.`,
    ...(missing.length > 0
      ? [`The contract has the base path ${missing.join(' or ')} (servers): try ${root}${missing[0]}.`]
      : []),
    ...(path === '' ? [] : [`The URL has the path ${path}: try ${root} if the server has none.`]),
    ...(defaultSubject === undefined
      ? []
      : [
          `Without --contract, the check uses the contract of ${defaultSubject}. For another API, use --contract FILE.`,
        ]),
    'Check the host, the port and the path of the URL, and the contract.',
  ].join(' ');
}
