import type { Arbitrary } from 'fast-check';
import { toNode } from '../openapi/document.ts';
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
import { getBodySchema, getBodyType, isAmbiguous, type RequestValues, toRequest, validateValues } from './requests.ts';
import { isWriting } from './selection.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** The maximum number of single edits for each operation. */
const MAX_EDITS = 600;

/** Statuses that declare a request invalid. */
const INVALID_STATUSES: readonly number[] = [400, 405, 406, 411, 413, 414, 415, 422, 428, 431];

/**
 * Checks how an operation handles valid and invalid input, by the rules of Schemathesis: valid requests succeed or are declined by a rule of the API,
 * but never called invalid; invalid requests are rejected; all responses are documented. It sends a valid request with each single edit, then with random
 * combinations of edits.
 */
export async function checkInput(context: CheckContext, route: Route): Promise<void> {
  const { session, requests, prepare, note } = context;
  await prepare();
  const seed = context.seed + toSeed(route.operationId);
  const base = requests.createValid(route, seed);
  if (!base) return note(`The input of ${route.operationId} was not checked: no valid request could be generated`);
  await examineAll(session, [...singleEdits(context, route, base)], {
    examine: ({ values, place }) => examine(context, route, values, place),
    prepare,
    // Requests that are rejected, or only read, can be sent concurrently.
    mustRunAlone: ({ values }) => isWriting(route) && validateValues(session.contract, route, values).kind === 'call',
  });
  if (route.parameters.length > 0 || getBodyType(route) !== undefined) await checkRandomInput(context, route, seed);
}

/** A request, and the place that was changed. */
interface Variation {
  readonly values: RequestValues;
  readonly place: string;
}

function describePart(place: RequestPart): string {
  return place.kind === 'body'
    ? `body ${formatPointer(...place.path)}`.trim()
    : `${place.parameter.in} ${place.parameter.name}`;
}

function* singleEdits({ session }: CheckContext, route: Route, base: RequestValues): Generator<Variation> {
  const { contract, hasModel } = session;
  yield { values: base, place: 'generated request' };
  for (const { value } of Object.values(route.bodyMedia).flatMap(({ examples }) => examples))
    yield { values: { ...base, body: value }, place: 'request example' };
  let count = 0;
  for (const place of findRequestParts(contract, route, base)) {
    for (const edit of createCoverageSet(contract, place, currentAt(base, place))) {
      // OpenAPI does not define the meaning of a repeated parameter; the contract of a model does.
      if (edit.kind === 'repeat' && !hasModel) continue;
      const values = applyEdit(base, place, edit);
      if (values && count++ < MAX_EDITS) yield { values, place: describePart(place) };
    }
  }
}

function currentAt({ path, query, headers, body }: RequestValues, place: RequestPart): unknown {
  if (place.kind === 'body')
    return place.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], body);
  const { in: where, name } = place.parameter;
  if (where === 'header') return headers[name.toLowerCase()];
  return where === 'cookie' ? undefined : { path, query }[where][name];
}

/** A random request: its seed, and the edits of it, by index of their places modulo the number of places. */
interface Drawn {
  readonly seed: number;
  readonly edits: readonly { readonly place: number; readonly edit: Edit }[];
}

async function checkRandomInput(context: CheckContext, route: Route, seed: number): Promise<void> {
  const { session, fc, requests, runs, prepare } = context;
  const applyDraw = ({ seed, edits }: Drawn): RequestValues | undefined =>
    edits.reduce<RequestValues | undefined>(
      (values, { place, edit }) => {
        if (!values) return undefined;
        const places = findRequestParts(session.contract, route, values);
        const chosen = places[place % Math.max(1, places.length)];
        return (chosen && applyEdit(values, chosen, edit)) ?? values;
      },
      requests.createValid(route, seed),
    );
  const examineDrawn = async (one: Drawn) => {
    const values = applyDraw(one);
    if (values) await prepare();
    return values ? examine(context, route, values) : [];
  };
  const cases = createCases(fc, session.hasModel);
  await explore({ fc, ledger: session.ledger, cases, seed, runs, examine: examineDrawn });
}

/** Returns random requests; without edits they are valid. */
function createCases(fc: FastCheckModule, hasModel: boolean): Arbitrary<Drawn> {
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
    edits: fc.array(fc.record({ place: fc.nat(200), edit }), { maxLength: 4 }),
  });
}

/** Sends a request. Returns the findings in its response. */
async function examine(
  { session }: CheckContext,
  route: Route,
  values: RequestValues,
  place = 'several changes',
): Promise<readonly Finding[]> {
  const received = validateValues(session.contract, route, values);
  const isClear = !isAmbiguous(session.contract, route, values);
  const { findings } = await session.send('input', route, toRequest(route, values), (_, exchange) =>
    isClear ? findStatusViolations(route, received, exchange, place) : [],
  );
  return findings;
}

/** Returns the violation in the status of a response to a valid or invalid request. */
function findStatusViolations(
  route: Route,
  received: RequestResult,
  { request, response }: Exchange,
  place: string,
): readonly Violation[] {
  if (received.kind === 'call') {
    if (!INVALID_STATUSES.includes(response.status) || isTooLarge(request, response)) return [];
    const message = `The server rejects a valid request with ${response.status} (${place})${getDetail(response)}`;
    return [{ rule: `accepts valid requests: ${place}`, message, pointer: route.pointer }];
  }
  // The status of the rejection depends on what reads the request first: a proxy, an access check, or the API.
  if (response.status >= 400) return [];
  const [first] = received.violations;
  const rule = `rejects invalid requests: ${first?.in} ${first?.pointer} ${first?.rule}`;
  const message = `The server accepts an invalid request with ${response.status}: ${received.detail}`;
  return [{ rule, message, pointer: findPointer(route, first) }];
}

function getDetail({ body }: ReceivedResponse): string {
  const { detail } = toNode(body);
  return typeof detail === 'string' ? `: ${detail}` : '';
}

/** Returns the place in the contract that an invalid request violates. */
function findPointer(route: Route, violation: RequestViolations['violations'][number] | undefined): string {
  if (violation?.in === 'body') return getBodySchema(route) ?? `${route.pointer}/requestBody`;
  const [, name] = (violation?.pointer ?? '').split('/');
  const violated = route.parameters.find((parameter) => parameter.in === violation?.in && parameter.name === name);
  return (violated ?? route).pointer;
}
