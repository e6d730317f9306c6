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
import { isWriteOperation } from './selection.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** The maximum number of requests to an operation that differ from a valid request in a single edit. */
const MAX_EDITS = 600;

/** Statuses that mean that the request is invalid. */
const INVALID_STATUSES: readonly number[] = [400, 405, 406, 411, 413, 414, 415, 422, 428, 431];

/**
 * Sends valid and invalid requests to an operation, by the rules of Schemathesis. The server must not reject a valid request as invalid, but the request may
 * fail for another reason. The server must reject an invalid request. Each response must be documented. Sends a valid request, then copies of it with a single
 * edit, and then requests with random combinations of edits.
 */
export async function checkInput(context: CheckContext, route: Route): Promise<void> {
  const { session, requests, prepare, note } = context;
  await prepare();
  const seed = context.seed + toSeed(route.operationId);
  const base = requests.createValid(route, seed);
  if (!base)
    return note(
      `The input of ${route.operationId} was not checked: no valid request could be generated. Add an example of a valid request to the contract.`,
    );
  await examineAll(session, [...createSingleEdits(context, route, base)], {
    examine: ({ values, place }) => examine(context, route, values, place),
    prepare,
    // Requests that the server should reject, and requests that only read, can be sent concurrently.
    mustRunAlone: ({ values }) =>
      isWriteOperation(route) && validateValues(session.contract, route, values).kind === 'call',
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
  // Examples of errors are sent only if a behaviour model knows the expected response.
  for (const { value } of hasModel ? examples : examples.filter(isAcceptable(route)))
    yield { values: { ...base, body: value }, place: 'request example' };
  let count = 0;
  for (const part of findRequestParts(contract, route, base)) {
    for (const edit of createCoverageSet(contract, part, getValue(base, part))) {
      // OpenAPI does not define the meaning of a repeated parameter. So a parameter is repeated only if a behaviour model describes the contract.
      if (edit.kind === 'repeat' && !hasModel) continue;
      const values = applyEdit(base, part, edit);
      if (values && count++ < MAX_EDITS) yield { values, place: describePart(part) };
    }
  }
}

/**
 * Creates a function that returns whether the server should accept a request example. It should reject an example if an error response (4xx or 5xx) has an
 * example with the same name.
 */
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
 * A random request. `seed` generates a valid request, to which the `edits` are applied. `part` selects the part to edit: it is an index, modulo the number of
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

/** The generators of random requests, for checks with a behaviour model (true) and for checks of any API (false). */
const generators = new Map<boolean, Arbitrary<RandomRequest>>();

/** The number of Unicode code points (Unicode, section 2.4). */
const CODE_POINTS = 0x110000;

/** The number of surrogates. They are code points, but not characters. */
const SURROGATES = 0x800;

/** The first surrogate. */
const FIRST_SURROGATE = 0xd800;

/** Creates the generator of random requests. A request without edits is valid. */
function createCases(fc: FastCheckModule, hasModel: boolean): Arbitrary<RandomRequest> {
  // Generates the same characters as the unit `binary` of fast-check. That unit first creates a table of a million code points, which takes about 1 s.
  const anyCodePoint = fc
    .nat(CODE_POINTS - SURROGATES - 1)
    .map((index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES));
  const values = fc.oneof(
    fc.jsonValue({ depthSize: 'small', stringUnit: anyCodePoint }),
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

/** Returns a violation if the server accepts an invalid request, or rejects a valid request. `place`: the edited part of the request, for the message. */
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

/** Returns the JSON Pointer of the schema, parameter or operation that an invalid request violates. */
function findPointer(route: Route, violation: RequestViolations['violations'][number] | undefined): string {
  if (violation?.in === 'body') return getBodySchema(route) ?? `${route.pointer}/requestBody`;
  const [, name] = (violation?.pointer ?? '').split('/');
  const violated = route.parameters.find((parameter) => parameter.in === violation?.in && parameter.name === name);
  return (violated ?? route).pointer;
}
