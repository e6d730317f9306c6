import type { Contract } from '../openapi/contract.ts';
import { type Document, getNode, isNode, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';
import { fillPath } from '../util/path-template.ts';
import { toSeed } from '../util/random.ts';
import { getMethodsAtPath } from './status-problem.ts';

/** The parts of a response on which the values of its headers depend. */
interface ResponseParts {
  readonly route: Route;
  readonly status: number;
  readonly input: Pick<OperationInput, 'path'>;
  readonly body: unknown;
}

type ListValues = (
  parts: ResponseParts,
  contract: Pick<Contract, 'normalized' | 'routes'>,
) => readonly (string | number)[];

/** A time in the past, in the format of HTTP (RFC 9110, section 5.6.7). */
const PAST = 'Wed, 01 Jan 2025 00:00:00 GMT';

/** The values of headers that browsers and HTTP clients interpret, by the lower-case name of the header. A generated text could have any effect there. */
const USUAL_VALUES: Readonly<Record<string, ListValues>> = {
  'accept-ranges': () => ['none'],
  age: () => [0, '0'],
  allow: ({ route }, contract) => [getMethodsAtPath(contract, route).join(', ')],
  'cache-control': () => ['no-store'],
  'content-disposition': () => ['attachment'],
  'content-language': () => ['en'],
  'content-location': ({ route, input }) => [fillPath(route.path, input.path)],
  etag: ({ route, body }) => [`"${toSeed(route.operationId + JSON.stringify(body)).toString(16)}"`],
  expires: () => [PAST],
  'last-modified': () => [PAST],
  link: ({ route, input }) => [`<${fillPath(route.path, input.path)}>; rel="self"`],
  location: listLocations,
  pragma: () => ['no-cache'],
  'retry-after': () => [1, '1'],
  'set-cookie': (_parts, { normalized }) => [`${findCookieName(normalized)}=mock; Path=/`],
  vary: () => ['Origin'],
  'www-authenticate': () => ['Bearer'],
  'x-total': listCounts,
  'x-total-count': listCounts,
};

/** Returns the values that a header usually has, best first. The list is empty if the header has no usual value. */
export function listUsualValues(
  contract: Pick<Contract, 'normalized' | 'routes'>,
  name: string,
  parts: ResponseParts,
): readonly (string | number)[] {
  const key = name.toLowerCase();
  return Object.hasOwn(USUAL_VALUES, key) ? (USUAL_VALUES[key]?.(parts, contract) ?? []) : [];
}

/** Returns the path of the created entry. A redirect must not lead to the same path again, so it leads to another host. */
function listLocations({ route, input, status, body }: ResponseParts): readonly string[] {
  if (status >= 300 && status < 400) return ['https://example.com/'];
  const own = fillPath(route.path, input.path);
  const { id } = toNode(body);
  const isCreated = status === 201 && route.method === 'POST' && (typeof id === 'string' || typeof id === 'number');
  return [isCreated ? `${own}/${encodeURIComponent(id)}` : own];
}

function listCounts({ body }: ResponseParts): readonly number[] {
  return Array.isArray(body) ? [body.length] : [];
}

/** Returns the name of the cookie that the document uses for credentials; `session` if there is none. */
function findCookieName(document: Document): string {
  const schemes = Object.values(toNode(getNode(document, '/components/securitySchemes')));
  const scheme = schemes.find((candidate) => isNode(candidate) && candidate.in === 'cookie');
  return String(toNode(scheme).name ?? 'session').replaceAll(/[^\w.-]/g, '') || 'session';
}
