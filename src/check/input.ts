import type { Arbitrary } from 'fast-check';
import { toNode } from '../openapi/document.ts';
import type { Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { RequestResult } from '../openapi/validate-request.ts';
import type { RequestViolations } from '../openapi/violations.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { toSeed } from '../util/random.ts';
import type { CheckContext } from './check-context.ts';
import { examineAll } from './confirm-findings.ts';
import { createCoverageSet } from './coverage-values.ts';
import type { Exchange, ReceivedResponse } from './exchange.ts';
import { explore, type FastCheckModule } from './explore.ts';
import type { Finding, Violation } from './findings.ts';
import { applyEdit, type Edit, findRequestParts, type RequestPart } from './request-edits.ts';
import {
  getBodySchema,
  getBodyType,
  getParameterValue,
  isAmbiguous,
  type RequestValues,
  toRequest,
  validateValues,
} from './requests.ts';
import { isWriting } from './selection.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** The maximum number of requests with a single edit for each operation. */
const MAX_EDITS = 600;

/** Statuses that mean that the request is invalid. */
const INVALID_STATUSES: readonly number[] = [400, 405, 406, 411, 413, 414, 415, 422, 428, 431];

/**
 * Checks how an operation handles valid and invalid input, by the rules of Schemathesis. A valid request must not be rejected as invalid, but may fail for
 * another reason. An invalid request must be rejected. Each response must be documented. Sends a valid request with single edits, and then with random
 * combinations of edits.
 */
export async function checkInput(context: CheckContext, route: Route): Promise<void> {
  const { session, requests, prepare, note } = context;
  await prepare();
  const seed = context.seed + toSeed(route.operationId);
  const base = requests.createValid(route, seed);
  if (!base) return note(`The input of ${route.operationId} was not checked: no valid request could be generated`);
  await examineAll(session, [...createSingleEdits(context, route, base)], {
    examine: ({ values, place }) => examine(context, route, values, place),
    prepare,
    // Requests that the server should reject, and requests that only read, can be sent concurrently.
    mustRunAlone: ({ values }) => isWriting(route) && validateValues(session.contract, route, values).kind === 'call',
  });
  if (route.parameters.length > 0 || getBodyType(route) !== undefined) await checkRandomInput(context, route, seed);
}

/** A request, and a description of the edited part for messages. */
interface EditedRequest {
  readonly values: RequestValues;
  readonly place: string;
}

function describePart(part: RequestPart): string {
  return part.kind === 'body'
    ? `body ${formatPointer(...part.path)}`.trim()
    : `${part.parameter.in} ${part.parameter.name}`;
}

function* createSingleEdits(
  { session, requests, seed }: CheckContext,
  route: Route,
  base: RequestValues,
): Generator<EditedRequest> {
  const { contract, hasModel } = session;
  yield { values: base, place: 'generated request' };
  const unknown = hasModel ? undefined : requests.withUnknownIds(route, base, seed);
  if (unknown) yield { values: unknown, place: 'path of a resource that does not exist' };
  const examples = Object.values(route.bodyMedia).flatMap((media) => media.examples);
  // A model knows the response to an example that is an error.
  for (const { value } of hasModel ? examples : examples.filter(isAcceptable(route)))
    yield { values: { ...base, body: value }, place: 'request example' };
  let count = 0;
  for (const part of findRequestParts(contract, route, base)) {
    for (const edit of createCoverageSet(contract, part, getValue(base, part))) {
      // OpenAPI does not define the meaning of a repeated parameter. Only a contract with a model forbids it.
      if (edit.kind === 'repeat' && !hasModel) continue;
      const values = applyEdit(base, part, edit);
      if (values && count++ < MAX_EDITS) yield { values, place: describePart(part) };
    }
  }
}

/** Returns a function that returns whether the contract has no error response for a request example: a response example with the same name. */
function isAcceptable({ responses }: Route): (example: Example) => boolean {
  const errors = responses.filter(({ name }) => /^[45]/.test(name)).flatMap(({ media }) => Object.values(media));
  const names = errors.flatMap(({ examples }) => examples.map(({ name }) => name));
  return ({ name }) => name === undefined || !names.includes(name);
}

function getValue(values: RequestValues, part: RequestPart): unknown {
  if (part.kind === 'parameter') return getParameterValue(values, part.parameter);
  return part.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], values.body);
}

/**
 * A random request: the seed of a valid request, and the edits of this request. `part` selects the edited part. It is an index modulo the number of
 * parts.
 */
interface RandomRequest {
  readonly seed: number;
  readonly edits: readonly { readonly part: number; readonly edit: Edit }[];
}

async function checkRandomInput(context: CheckContext, route: Route, seed: number): Promise<void> {
  const { session, fc, requests, runs, prepare } = context;
  const toValues = ({ seed, edits }: RandomRequest): RequestValues | undefined =>
    edits.reduce<RequestValues | undefined>(
      (values, { part, edit }) => {
        if (!values) return undefined;
        const parts = findRequestParts(session.contract, route, values);
        const edited = parts[part % Math.max(1, parts.length)];
        return (edited && applyEdit(values, edited, edit)) ?? values;
      },
      requests.createValid(route, seed),
    );
  const examineRandom = async (one: RandomRequest) => {
    const values = toValues(one);
    if (values) await prepare();
    return values ? examine(context, route, values) : [];
  };
  const cases = generators.get(session.hasModel) ?? createCases(fc, session.hasModel);
  generators.set(session.hasModel, cases);
  await explore({ fc, results: session.results, cases, seed, runs, examine: examineRandom });
}

/** The generators of random requests by `hasModel`. fast-check prepares a generator of texts in about 100 ms. */
const generators = new Map<boolean, Arbitrary<RandomRequest>>();

/** Creates the generator of random requests. A request without edits is valid. */
function createCases(fc: FastCheckModule, hasModel: boolean): Arbitrary<RandomRequest> {
  const values = fc.oneof(
    fc.jsonValue({ depthSize: 'small', stringUnit: 'binary' }),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.string({ unit: 'grapheme' }),
  );
  const edit: Arbitrary<Edit> = fc.oneof(
    fc.constant<Edit>({ kind: 'remove' }),
    values.map((value): Edit => ({ kind: 'add property', value })),
    values.map((value): Edit => ({ kind: 'set', value })),
    ...(hasModel ? [fc.constant<Edit>({ kind: 'repeat' })] : []),
  );
  return fc.record({
    seed: fc.nat(1_000_000),
    edits: fc.array(fc.record({ part: fc.nat(200), edit }), { maxLength: 4 }),
  });
}

/** Sends a request. Returns the findings in the response. */
async function examine(
  { session }: CheckContext,
  route: Route,
  values: RequestValues,
  place = 'several changes',
): Promise<readonly Finding[]> {
  const result = validateValues(session.contract, route, values);
  const isClear = !isAmbiguous(session.contract, route, values);
  const { findings } = await session.send('input', route, toRequest(route, values), (_, exchange) =>
    isClear ? findStatusViolations(route, result, exchange, place) : [],
  );
  return findings;
}

/** Returns the violation if the status of a response contradicts the validation result of its request. */
function findStatusViolations(
  route: Route,
  result: RequestResult,
  { request, response }: Exchange,
  place: string,
): readonly Violation[] {
  if (result.kind === 'call') {
    const isExpected = route.successStatus >= 400 || isTooLarge(request, response);
    if (!INVALID_STATUSES.includes(response.status) || isExpected) return [];
    const message = `The server rejects a valid request with status ${response.status} (${place})${getDetail(response)}`;
    return [{ rule: `accepts valid requests: ${place}`, message, pointer: route.pointer }];
  }
  // Any error status is a rejection: a proxy or an access check may reject the request before it reaches the API.
  if (response.status >= 400) return [];
  const [first] = result.violations;
  const rule = `rejects invalid requests: ${first?.in} ${first?.pointer} ${first?.rule}`;
  const message = `The server accepts an invalid request with status ${response.status}: ${result.detail}`;
  return [{ rule, message, pointer: findPointer(route, first) }];
}

function getDetail({ body }: ReceivedResponse): string {
  const { detail } = toNode(body);
  return typeof detail === 'string' ? `: ${detail}` : '';
}

/** Returns the pointer of the schema, parameter or operation that an invalid request violates. */
function findPointer(route: Route, violation: RequestViolations['violations'][number] | undefined): string {
  if (violation?.in === 'body') return getBodySchema(route) ?? `${route.pointer}/requestBody`;
  const [, name] = (violation?.pointer ?? '').split('/');
  const violated = route.parameters.find((parameter) => parameter.in === violation?.in && parameter.name === name);
  return (violated ?? route).pointer;
}
