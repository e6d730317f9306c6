import { readParameters } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { keepTexts } from '../openapi/typed-values.ts';
import { getAcceptedTypes } from './accept.ts';
import type { CheckContext } from './check-context.ts';
import { sendIfAvailable } from './confirm-findings.ts';
import { createCoverageSet } from './coverage-values.ts';
import { isAcceptable, withDocumentedValues } from './documented-values.ts';
import { isSuccess } from './exchange.ts';
import type { EditedAnswer } from './refusals.ts';
import { applyEdit, findRequestParts, type RequestPart } from './request-edits.ts';
import { getBodyFormat, getBodyType, isSendable, type RequestValues, toRequest } from './requests.ts';
import { describePart } from './value-classes.ts';

/** The maximum number of requests to an operation that differ from a valid request in a single edit, for each media type of the body. */
const MAX_EDITS = 600;

/** A request, and a description of the edited part for messages. `edited`: the edit, if the request differs from a valid request in one part. */
export interface EditedRequest {
  readonly values: RequestValues;
  readonly place: string;
  readonly edited?: Pick<EditedAnswer, 'part' | 'edit'>;
}

/**
 * Creates requests that differ from a valid request in a single edit. Also creates the valid requests themselves: with each media type of the body, with the
 * documented examples and defaults, and with each documented media type of the response in the header `Accept`.
 */
export function* createSingleEdits(context: CheckContext, route: Route, base: RequestValues): Generator<EditedRequest> {
  const { session, requests, seed } = context;
  const { contract, hasModel } = session;
  yield { values: base, place: 'generated request' };
  const unknown = hasModel ? undefined : requests.withUnknownIds(route, base, seed);
  if (unknown) yield { values: unknown, place: 'path of a resource that does not exist' };
  if (!hasModel) yield* createVariants(context, route, base);
  for (const [type, media] of Object.entries(route.bodyMedia)) {
    const format = getBodyFormat(contract, route, type);
    // Examples of errors are sent only if a behaviour model knows the expected response.
    for (const { value } of hasModel ? media.examples : media.examples.filter(isAcceptable(route)))
      yield { values: { ...base, body: value, format }, place: 'request example' };
  }
  yield* createEdits(context, findRequestParts(contract, route, base), base, route);
  const otherTypes = hasModel ? [] : Object.keys(route.bodyMedia).filter((type) => type !== base.format?.type);
  for (const type of otherTypes) {
    const values = requests.createValid(route, seed, type);
    if (!values || values.body === undefined) continue;
    yield { values, place: `generated request with the content type ${type}` };
    const parts = findRequestParts(contract, route, values).filter(({ kind }) => kind === 'body');
    yield* createEdits(context, parts, values, route);
  }
}

/** Creates valid requests with documented values, and with each media type of the response in the header `Accept`. */
function* createVariants(
  { session, seed, requests }: CheckContext,
  route: Route,
  base: RequestValues,
): Generator<EditedRequest> {
  const { contract, client } = session;
  const generated = requests.createValid(route, seed);
  const documented = withDocumentedValues(contract, route, base);
  for (const values of [generated, documented])
    if (values && !isSameRequest(route, values, base))
      yield { values, place: values === documented ? 'documented examples' : 'generated request' };
  const types = client.headers.accept === undefined ? getAcceptedTypes(route) : [];
  for (const accept of types)
    yield { values: { ...base, headers: { ...base.headers, accept } }, place: `header Accept: ${accept}` };
}

function* createEdits(
  { session }: CheckContext,
  parts: readonly RequestPart[],
  base: RequestValues,
  route: Route,
): Generator<EditedRequest> {
  let count = 0;
  for (const part of parts) {
    for (const edit of createCoverageSet(session.contract, part, getValue(route, base, part))) {
      // OpenAPI does not define the meaning of a repeated parameter. So a parameter is repeated only if a behaviour model describes the contract.
      if (edit.kind === 'repeat' && !session.hasModel) continue;
      const values = applyEdit(base, part, edit);
      if (!values || !isSendable(values) || count++ >= MAX_EDITS) continue;
      // Refusals are compared with other requests, which have the main media type.
      const edited = base.format?.type === getBodyType(route) ? { edited: { part, edit } } : {};
      yield { values, place: describePart(part), ...edited };
    }
  }
}

/**
 * Returns a valid request to an operation. If only a request with the examples of the contract succeeds, returns this one, and makes the generator use them from
 * now on. Returns undefined if no valid request can be generated.
 */
export async function findWorkingRequest(
  { session, requests }: Pick<CheckContext, 'session' | 'requests'>,
  route: Route,
  seed: number,
): Promise<RequestValues | undefined> {
  const generated = requests.createValid(route, seed);
  const documented = generated && withDocumentedValues(session.contract, route, generated);
  if (!generated || !documented || session.hasModel || isSameRequest(route, generated, documented)) return generated;
  for (const values of [generated, documented]) {
    const exchange = await sendIfAvailable(session, 'input', route, toRequest(route, values));
    if (!exchange || !isSuccess(exchange.response)) continue;
    if (values === documented) requests.useDocumentedValues(route);
    return values;
  }
  return generated;
}

function getValue(route: Route, values: RequestValues, part: RequestPart): unknown {
  if (part.kind === 'parameter') {
    const { parameter } = part;
    const name = parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name;
    return readParameters(keepTexts, route, values.headers, values).values[parameter.in][name];
  }
  return part.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], values.body);
}

function isSameRequest(route: Route, one: RequestValues, other: RequestValues): boolean {
  return JSON.stringify(toRequest(route, one)) === JSON.stringify(toRequest(route, other));
}
