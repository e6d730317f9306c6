import type { Arbitrary } from 'fast-check';
import { isNode, toNode } from '../openapi/document.ts';
import { MAX_FLOAT } from '../openapi/formats.ts';
import type { Route } from '../openapi/routes.ts';
import type { RequestResult } from '../openapi/validate-request.ts';
import type { RequestViolations } from '../openapi/violations.ts';
import { toSeed } from '../util/random.ts';
import { sendAccepted } from './accepted-requests.ts';
import { canBeRefused, isAmbiguous } from './ambiguity.ts';
import type { CheckContext } from './check-context.ts';
import { distribute, examineAll, getConcurrency, isTimeOver, sendConfirmed } from './confirm-findings.ts';
import { changesPassword } from './credentials.ts';
import { type Exchange, INVALID_STATUSES, type ReceivedResponse } from './exchange.ts';
import { explore, type FastCheckModule } from './explore.ts';
import type { Finding } from './findings.ts';
import { type EditedAnswer, examineRefusals, isDocumentedRefusal } from './refusals.ts';
import { applyEdit, type Edit, findRequestParts } from './request-edits.ts';
import { isConditionStatus } from './request-headers.ts';
import { createAcceptedInvalid } from './request-places.ts';
import { getBodyType, type RequestValues, toRequest, validateValues } from './requests.ts';
import type { Violation } from './rules.ts';
import { isWriteOperation } from './selection.ts';
import type { Session } from './session.ts';
import { createSingleEdits, type EditedRequest, findWorkingRequest } from './single-edits.ts';
import { hasAmbiguousPath, isTooLarge } from './undocumented-responses.ts';
import { isFreeText } from './unique-values.ts';

/**
 * Sends valid and invalid requests to an operation, by the rules of Schemathesis.
 * The server must not refuse a valid request as invalid, but the request may fail for another reason.
 * The server must refuse an invalid request.
 * Each response must be documented.
 * Sends a valid request, then copies of it with a single edit, and then requests with random combinations of edits.
 */
export async function checkInput(context: CheckContext, route: Route): Promise<void> {
  await examineInput(context, route, MAX_REQUESTS);
}

/** The maximum number of requests that `checkInput` sends before those with random combinations of edits. */
const MAX_REQUESTS = 700;

/** The number of requests to each operation of a large contract, before any operation gets more. */
const CORE_REQUESTS = 12;

/** Sends the first few requests of `checkInput`. */
export async function checkCoreInput(context: CheckContext, route: Route): Promise<void> {
  await examineInput(context, route, CORE_REQUESTS);
}

async function examineInput(context: CheckContext, route: Route, maxRequests: number): Promise<void> {
  const { session, prepare, note } = context;
  await prepare();
  const seed = context.seed + toSeed(route.operationId);
  const base = await findAcceptedRequest({ ...context, seed }, route, await findWorkingRequest(context, route, seed));
  if (!base)
    return note(
      `The input of ${route.operationId} was not checked: no valid request could be generated. Add an example of a valid request to the contract.`,
    );
  const answers: EditedAnswer[] = [];
  const refresh = await createRefresher(context, route, base);
  await examineAll(session, takeFirst(createSingleEdits(context, route, base), maxRequests), {
    examine: async (request) => {
      const { place, edited } = request;
      const values = refresh(request);
      const { exchange, findings, isValid } = await examine(context, route, values, place);
      if (edited && exchange && isValid) answers.push({ ...edited, response: exchange.response });
      return findings;
    },
    prepare,
    // Requests that the server should refuse, and requests that only read, can be sent concurrently.
    mustRunAlone: ({ values }) =>
      isWriteOperation(route) && validateValues(session.contract, route, values).kind === 'call',
  });
  if (maxRequests === CORE_REQUESTS) return;
  if (!session.hasModel) {
    await examineRefusals(context, route, answers);
    session.results.coverage.countRule('kind-accepted', route, answers.length);
  }
  if (route.parameters.length > 0 || getBodyType(route) !== undefined) await checkRandomInput(context, route, seed);
}

/** Returns the first values of a generator. Does not generate further values. */
function takeFirst<Value>(values: Iterable<Value>, max: number): readonly Value[] {
  const taken: Value[] = [];
  for (const value of values) {
    if (taken.push(value) === max) break;
  }
  return taken;
}

/**
 * Returns a valid request that the server accepts, so that a refusal of an edited copy shows the effect of the edit.
 * Returns `first` if the server refuses all that it tries.
 */
async function findAcceptedRequest(
  context: CheckContext,
  route: Route,
  first: RequestValues | undefined,
): Promise<RequestValues | undefined> {
  const { session, prepare } = context;
  const hasInput = route.parameters.length > 0 || getBodyType(route) !== undefined;
  if (!first || session.hasModel || !hasInput) return first;
  const accepted = await sendAccepted(context, route, async (values) => {
    const { exchange } = await sendConfirmed(session, 'input', route, toRequest(route, values));
    await prepare();
    return exchange?.response;
  });
  return accepted?.values ?? first;
}

/** The difference between the seeds of two requests with other unique values. */
const UNIQUE_STEP = 3_571;

/**
 * Returns a function that gives an edited request other unique values, because a server refuses those of an accepted
 * request with 409, and would hide whether it accepts the edit.
 * Replaces the texts of the body other than dates and values of an `enum`, and keeps the edited part.
 * The function returns its argument if the server accepts the same request twice.
 */
async function createRefresher(context: CheckContext, route: Route, base: RequestValues) {
  const { session, requests, seed } = context;
  const documentsConflict = route.responses.some(({ name }) => name === '409');
  const keep = ({ values }: EditedRequest) => values;
  if (session.hasModel || route.method !== 'POST' || !documentsConflict || !isNode(base.body)) return keep;
  const { exchange } = await session.send('input', route, toRequest(route, base));
  if (exchange?.response.status !== 409) return keep;
  let count = 0;
  return ({ values, edited }: EditedRequest): RequestValues => {
    const { body } = values;
    const part = edited?.part.kind === 'body' ? edited.part.path[0] : undefined;
    const other = requests.createValid(route, seed + ++count * UNIQUE_STEP);
    if (!isNode(body) || !isNode(other?.body)) return values;
    const fresh = Object.entries(other.body).filter(
      ([name, value]) => name !== part && typeof value === 'string' && typeof body[name] === 'string',
    );
    const isFree = ([name]: readonly [string, unknown]) => isFreeText(session.contract, route, name);
    return { ...values, body: { ...body, ...Object.fromEntries(fresh.filter(isFree)) } };
  };
}

/**
 * A random request.
 * `seed` generates a valid request, to which the `edits` are applied.
 * `part` selects the part to edit: it is an index, modulo the number of parts.
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
    if (isTimeOver(session)) return [];
    const values = toValues(one);
    if (values) await prepare();
    return values ? (await examine(context, route, values)).findings : [];
  };
  const cases = generators.get(session.hasModel) ?? createCases(fc, session.hasModel);
  generators.set(session.hasModel, cases);
  const workers = Array.from({ length: getConcurrency(session) });
  if (workers.length > 1) {
    let hasFindings = false;
    await distribute(fc.sample(cases, { seed, numRuns: runs }), workers, async (one) => {
      hasFindings ||= (await examineRandom(one)).some((finding) => !session.results.has(finding));
    });
    if (!hasFindings) return;
  }
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
  // Generates the same characters as the unit `binary` of fast-check.
  // That unit first creates a table of a million code points, which takes about 1 s.
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

/**
 * Returns whether a request is invalid only because of numbers that are too large for the format `float`.
 * Many servers read them with double precision.
 */
function isOnlyImprecise(result: RequestResult): boolean {
  const isImprecise = ({ rule, value, remedy }: RequestViolations['violations'][number]) =>
    rule === 'format' &&
    typeof value === 'number' &&
    Math.abs(value) > MAX_FLOAT &&
    remedy.includes('single precision');
  return result.kind === 'violations' && result.violations.every(isImprecise);
}

/**
 * Sends a request.
 * Returns its exchange and the findings in the response.
 * `isValid`: whether every server should accept the values of the request.
 */
async function examine({ session }: CheckContext, route: Route, values: RequestValues, place = 'several changes') {
  const result = validateValues(session.contract, route, values);
  const canRefuse = !session.hasModel && result.kind === 'call' && canBeRefused(route, toRequest(route, values));
  const isClear = !canRefuse && !isAmbiguous(session.contract, route, values) && !isOnlyImprecise(result);
  const { exchange, findings } = await session.send('input', route, toRequest(route, values), (_, received) =>
    isClear ? findStatusViolations(session, route, result, received, place) : [],
  );
  const isValid = isClear && result.kind === 'call';
  if (exchange && isClear) session.results.coverage.countRule(isValid ? 'valid-accepted' : 'invalid-refused', route);
  if (exchange && isValid && isDocumentedRefusal(session, route, exchange.response))
    session.results.countRefusal(route, exchange);
  return { exchange, findings: removeEffects(findings), isValid };
}

/**
 * Removes the finding about a refused valid request if the status of the refusal is itself a finding, because both have
 * one cause.
 */
function removeEffects(findings: readonly Finding[]): readonly Finding[] {
  const isUndocumented = findings.some(({ title }) => title === 'status documented');
  return isUndocumented ? findings.filter(({ title }) => !title.startsWith(ACCEPTS_VALID)) : findings;
}

/** The start of the name of the rule that the server accepts valid requests. */
const ACCEPTS_VALID = 'accepts valid requests';

/**
 * Returns a violation if the server accepts an invalid request, or refuses a valid request.
 * `place`: the edited part of the request, for the message.
 * A documented refusal of a valid request is examined later, with the other refusals.
 */
function findStatusViolations(
  session: Session,
  route: Route,
  result: RequestResult,
  { request, response }: Exchange,
  place: string,
): readonly Violation[] {
  if (result.kind === 'call') {
    const isExpected =
      route.successStatus >= 400 ||
      isTooLarge(request, response) ||
      isConditionStatus(route, request, response.status) ||
      // The old password of the request is wrong.
      changesPassword(route) ||
      // A proxy can refuse a path such as `/things/a%2Fb`.
      (!session.hasModel && hasAmbiguousPath(request));
    if (!INVALID_STATUSES.includes(response.status) || isExpected) return [];
    if (isDocumentedRefusal(session, route, response)) return [];
    const message = `The server refuses a valid request with status ${response.status} (${place})${getDetail(response)}`;
    return [{ rule: 'valid-accepted', title: `${ACCEPTS_VALID}: ${place}`, message, pointer: route.pointer }];
  }
  // Any error status is a refusal: a proxy or an access check may refuse the request before it reaches the API.
  if (response.status >= 400) return [];
  return [createAcceptedInvalid(session.contract, route, result, response.status)];
}

function getDetail({ body }: ReceivedResponse): string {
  const { detail } = toNode(body);
  return typeof detail === 'string' ? `: ${detail}` : '';
}
