import { getNode, getTarget, isNode, parseReference, resolvePointer, toNode } from '../openapi/document.ts';
import { findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { CheckContext } from './check-context.ts';
import { examineAll } from './confirm-findings.ts';
import { type Exchange, isMocked, isSuccess, type RequestToSend } from './exchange.ts';
import type { Finding } from './findings.ts';
import { NO_VALUES, type RequestValues, toRequest, withParameter } from './requests.ts';
import type { Session } from './session.ts';

/** A link of a response to another operation (OpenAPI 3.0, Link Object). */
type Link = ReturnType<typeof getLinks>[number];

/**
 * Checks that the links of a successful response (OpenAPI Link Objects) lead to existing resources.
 * Sends the original request again for each link.
 */
export async function checkLinks(context: CheckContext, route: Route): Promise<void> {
  const { session, requests, seed, prepare, allowedRoutes } = context;
  await prepare();
  const values = requests.createValid(route, seed);
  if (!values) return;
  const examine = async (link: Link) => {
    const { exchange, findings } = await session.send('links', route, toRequest(route, values));
    const isFollowed = exchange && isSuccess(exchange.response) && !isMocked(exchange.response);
    if (isFollowed) session.results.coverage.countRule('link', route);
    const linkRequest = isFollowed && toLinkRequest(context, link, values, exchange);
    return linkRequest ? [...findings, ...(await followLink(session, link, linkRequest, exchange))] : findings;
  };
  const links = getLinks(session, route).filter(({ target }) => allowedRoutes.includes(target));
  await examineAll(session, links, { examine, prepare, mustRunAlone: () => true });
}

/** Sends the request that a link (OpenAPI Link Object) describes. Returns the findings in the response. */
async function followLink(
  session: Session,
  { name, pointer, target }: Link,
  request: RequestToSend,
  before: Exchange,
): Promise<readonly Finding[]> {
  const { findings } = await session.send('links', target, request, (_, { response: { status } }) => {
    const message = `The link ${name} leads to status ${status}: the target of a link must exist`;
    return [400, 404, 410, 422].includes(status) ? [{ rule: 'link', title: `link ${name}`, message, pointer }] : [];
  });
  return findings.map((finding) => ({ ...finding, exchanges: [before, ...finding.exchanges] }));
}

/** Returns the links of the success response of an operation to other operations. */
export function getLinks({ contract: { normalized: plain, routes } }: Pick<Session, 'contract'>, route: Route) {
  const success = findResponse(route.responses, route.successStatus);
  const holder = `${resolvePointer(plain, success?.pointer ?? '')}/links`;
  return Object.keys(toNode(getNode(plain, holder))).flatMap((name) => {
    const pointer = resolvePointer(plain, holder + formatPointer(name));
    const link = getNode(plain, pointer);
    if (!isNode(link)) return [];
    const target = routes.find(({ operationId, pointer: place }) =>
      link.operationId === undefined
        ? parseReference(String(link.operationRef)) === place
        : link.operationId === operationId,
    );
    const { requestBody } = link;
    return target ? [{ name, pointer, target, parameters: toNode(link.parameters), requestBody }] : [];
  });
}

/**
 * Creates the request that a link (OpenAPI Link Object) describes.
 * Returns undefined if the link refers to a value that the response does not have.
 */
function toLinkRequest(
  { session, requests, seed }: CheckContext,
  link: Link,
  sent: RequestValues,
  exchange: Exchange,
): RequestToSend | undefined {
  const { target, parameters, requestBody } = link;
  const { normalized: plain } = session.contract;
  const isBodyRequired = toNode(getTarget(plain, `${target.pointer}/requestBody`)).required === true;
  let values: RequestValues = NO_VALUES;
  if (requestBody === undefined && isBodyRequired)
    values = { ...values, body: requests.createValid(target, seed)?.body };
  for (const [key, expression] of Object.entries(parameters)) {
    const name = key.replace(/^(path|query|header|cookie)\./, '');
    const parameter = target.parameters.find((one) => one.name === name && (key === name || key.startsWith(one.in)));
    const value = evaluateExpression(expression, sent, exchange);
    const updated = parameter && value !== undefined ? withParameter(values, parameter, value) : undefined;
    if (!updated) return undefined;
    values = updated;
  }
  if (target.pathNames.some((name) => values.path[name] === undefined)) return undefined;
  if (requestBody === undefined) return toRequest(target, values);
  const body = evaluateDeep(requestBody, sent, exchange);
  return body === undefined ? undefined : toRequest(target, { ...values, body });
}

/**
 * Evaluates all runtime expressions in a value, including those in array entries and properties.
 * Returns undefined if an expression has no value.
 */
function evaluateDeep(value: unknown, sent: RequestValues, exchange: Exchange): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one) => evaluateDeep(one, sent, exchange));
    return list.includes(undefined) ? undefined : list;
  }
  if (!isNode(value)) return evaluateExpression(value, sent, exchange);
  const entries = Object.entries(value).map(([key, one]) => [key, evaluateDeep(one, sent, exchange)] as const);
  return entries.some(([, one]) => one === undefined) ? undefined : Object.fromEntries(entries);
}

/** Matches a runtime expression within a text, such as `{$response.body#/id}`. */
const EMBEDDED_EXPRESSION = /\{(\$[^}]*)\}/g;

/**
 * Evaluates a runtime expression such as `$response.body#/id` (OpenAPI 3.0, Runtime Expressions).
 * Returns undefined if the expression has no value.
 * Returns any other value unchanged.
 */
function evaluateExpression(expression: unknown, sent: RequestValues, { request, response }: Exchange): unknown {
  if (typeof expression !== 'string') return expression;
  if (!expression.startsWith('$')) {
    const inner = [...expression.matchAll(EMBEDDED_EXPRESSION)].map(([, one = '']) =>
      evaluateExpression(one, sent, { request, response }),
    );
    return inner.includes(undefined)
      ? undefined
      : expression.replaceAll(EMBEDDED_EXPRESSION, () => String(inner.shift()));
  }
  const [, from, part = '', name = ''] =
    /^\$(request|response)\.(body|path|query|header)(?:[.#](.*))?$/.exec(expression) ?? [];
  if (expression === '$statusCode') return response.status;
  if (expression === '$method') return request.method;
  if (part === 'body') return getNode(from === 'request' ? sent.body : response.body, name);
  if (part === 'header') return (from === 'request' ? sent.headers : response.headers)[name.toLowerCase()];
  return from === 'request' ? { path: sent.path, query: sent.query }[part as 'path' | 'query']?.[name] : undefined;
}
