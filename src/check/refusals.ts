import { getNode, toNode } from '../openapi/document.ts';
import { findJsonMedia, findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { toSeed } from '../util/random.ts';
import { canBeRefused, isAmbiguous } from './ambiguity.ts';
import { findPropertyPointer } from './body-places.ts';
import type { CheckContext } from './check-context.ts';
import { sendConfirmed } from './confirm-findings.ts';
import { changesPassword, isLogin } from './credentials.ts';
import { type Exchange, INVALID_STATUSES, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { applyEdit, type Edit, type RequestPart } from './request-edits.ts';
import { type RequestValues, toRequest, validateValues } from './requests.ts';
import { createFinding, type Session } from './session.ts';
import { MISSING_RESOURCE_STATUSES } from './undocumented-responses.ts';
import { describePart, getValueClass, ORDINARY } from './value-classes.ts';

/** The status of a request without a precondition such as `If-Match` (RFC 6585, section 3). */
const PRECONDITION_REQUIRED = 428;

/** A response to a valid request that differs from an accepted request in one part. */
export interface EditedAnswer {
  readonly part: RequestPart;
  readonly edit: Edit;
  readonly response: ReceivedResponse;
}

/**
 * Returns whether a response can be right although the request is valid by the schemas: the operation documents the
 * refusal, and no behaviour model knows when it is right.
 * OpenAPI can't express many rules, such as references to other resources, quotas, and dates that must follow each
 * other.
 */
export function isDocumentedRefusal(
  { hasModel }: Session,
  { responses }: Route,
  { status }: ReceivedResponse,
): boolean {
  return !hasModel && INVALID_STATUSES.includes(status) && findResponse(responses, status) !== undefined;
}

/**
 * Returns whether an operation refuses some valid requests: a login, a change of a password, and an operation with
 * `x-storefront: { refuses: true }` in itself or its path.
 */
function mayRefuse({ contract: { normalized: plain } }: Session, route: Route): boolean {
  const { pointer } = route;
  const parent = pointer.slice(0, pointer.lastIndexOf('/'));
  return (
    isLogin(route) ||
    changesPassword(route) ||
    [pointer, parent].some((place) => getNode(plain, `${place}/x-storefront/refuses`) === true)
  );
}

/** The number of refused requests that show that a server refuses every request of a kind. */
const TRIALS = 4;

/**
 * The maximum number of attempts to get `TRIALS` refused requests.
 * An attempt does not count if the server also refuses a request without the edit.
 */
const MAX_ATTEMPTS = 8;

/** The difference between the seeds of two attempts. */
const SEED_STEP = 7_919;

/**
 * The least share of ordinary values of a part that the server accepts, unless the part depends on data of the server.
 */
const MIN_ACCEPTED = 0.8;

/**
 * Adds a finding for each part of a request for which the server refuses every value of a class, such as the maximum
 * length, while it accepts others.
 * `answers`: the responses to valid requests with one edited part.
 * A part of which the server refuses many ordinary values depends on data of the server, and has no finding.
 */
export async function examineRefusals(
  context: CheckContext,
  route: Route,
  answers: readonly EditedAnswer[],
): Promise<void> {
  if (mayRefuse(context.session, route)) return;
  const parts = groupBy(answers, ({ part }) => describePart(context.session.contract, route, part));
  for (const [place, all] of parts) {
    for (const [kind, edits] of findRefusedClasses(context.session, route, all)) {
      const refused = await confirmRefusal(context, route, edits);
      if (refused) context.session.results.add(createRefusalFinding(route, refused, place, kind));
      if (refused) break;
    }
  }
}

function groupBy<Value>(values: readonly Value[], getKey: (value: Value) => string | undefined) {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = getKey(value);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return groups;
}

/**
 * Returns the classes of values of a part that the server always refuses.
 * Returns nothing if it also refuses many ordinary values.
 */
function findRefusedClasses(session: Session, route: Route, answers: readonly EditedAnswer[]) {
  // A documented 428 says that requests need a precondition, also if the header is optional.
  const isRefused = ({ response }: EditedAnswer) =>
    response.status !== PRECONDITION_REQUIRED && isDocumentedRefusal(session, route, response);
  const isDecided = (answer: EditedAnswer) =>
    (isAccepted(answer.response) || isRefused(answer)) && !isImpossible(session, route, answer);
  const classes = groupBy(answers.filter(isDecided), ({ part, edit }) => getValueClass(session.contract, part, edit));
  const ordinary = classes.get(ORDINARY) ?? [];
  const accepted = ordinary.filter(({ response }) => isAccepted(response)).length;
  if (accepted < MIN_ACCEPTED * ordinary.length) return [];
  return [...classes].filter(([kind, all]) => kind !== ORDINARY && all.every(isRefused));
}

/**
 * Returns whether a request has a value that the property of the resource in the response cannot have.
 * A server may refuse such a value, but not `null` for a property that the resource can lack.
 */
function isImpossible({ contract }: Session, route: Route, { part, edit }: EditedAnswer): boolean {
  if (edit.kind !== 'set' || part.kind !== 'body' || part.path.length !== 1) return false;
  const name = String(part.path[0]);
  const media = findJsonMedia(route.responses, route.successStatus);
  const property = media?.schema && findPropertyPointer(contract.normalized, media.schema, name);
  if (!property || contract.isValid(property, edit.value)) return false;
  const { required } = toNode(getNode(contract.normalized, property.slice(0, property.lastIndexOf('/properties/'))));
  return edit.value !== null || (Array.isArray(required) && required.includes(name));
}

/**
 * Returns whether a response shows that the server accepts the values of a request.
 * A missing resource is no reason to refuse the values.
 */
function isAccepted(response: ReceivedResponse): boolean {
  return isSuccess(response) || MISSING_RESOURCE_STATUSES.includes(response.status);
}

/**
 * Sends other valid requests with the same edits.
 * Returns the last refused request if the server refuses all of them, and accepts the same kind of requests without the
 * edits.
 * Returns undefined otherwise, for example because a quota is reached.
 */
async function confirmRefusal(
  context: CheckContext,
  route: Route,
  edits: readonly EditedAnswer[],
): Promise<Exchange | undefined> {
  const { session, requests, seed, prepare } = context;
  let refused: Exchange[] = [];
  const send = async (values: RequestValues | undefined) => {
    if (!values || validateValues(session.contract, route, values).kind !== 'call') return undefined;
    if (isAmbiguous(session.contract, route, values) || canBeRefused(route, toRequest(route, values))) return undefined;
    return (await sendConfirmed(session, 'input', route, toRequest(route, values))).exchange;
  };
  for (let attempt = 1; attempt <= MAX_ATTEMPTS && refused.length < TRIALS; attempt++) {
    await prepare();
    const control = await send(requests.createValid(route, getSeed(seed, route, 2 * attempt)));
    if (!control || !isAccepted(control.response)) continue;
    await prepare();
    const exchange = await send(createEdited(context, route, edits, attempt));
    if (exchange && isAccepted(exchange.response)) return undefined;
    if (exchange && isDocumentedRefusal(session, route, exchange.response)) refused = [...refused, exchange];
  }
  return refused.length < TRIALS ? undefined : refused.at(-1);
}

function getSeed(seed: number, { operationId }: Route, step: number): number {
  return seed + toSeed(operationId) + step * SEED_STEP;
}

/**
 * Returns another valid request with one of the edits.
 * If the edit removes a part, every second request has no optional parts at all: another part, such as `from`, can
 * require the removed one, such as `to`.
 */
function createEdited(
  { requests, seed }: CheckContext,
  route: Route,
  edits: readonly EditedAnswer[],
  attempt: number,
): RequestValues | undefined {
  const { part, edit } = edits[attempt % edits.length] as EditedAnswer;
  const isBare = edit.kind === 'remove' && attempt % 2 === 0;
  const values = requests[isBare ? 'createMinimal' : 'createValid'](route, getSeed(seed, route, 2 * attempt + 1));
  const edited = values && applyEdit(values, part, edit);
  return edited ?? (isBare ? values : undefined);
}

function createRefusalFinding(route: Route, exchange: Exchange, place: string, kind: string): Finding {
  const { status } = exchange.response;
  const message = `The server refuses a valid request with the documented status ${status} (${place}: ${kind}). It refused all ${TRIALS} requests with such a value, and accepted ${TRIALS} requests with other values.`;
  return createFinding('input', route, exchange, {
    rule: 'kind-accepted',
    title: `accepts valid requests: ${place}`,
    message,
    pointer: route.pointer,
  });
}

/** The minimum number of refused requests for a finding about an operation that refuses every valid request. */
const MIN_REFUSED = 5;

/**
 * Returns a finding if an operation has refused every valid request with a documented status.
 * Returns undefined if the path has parameters, because the reason can be an unknown id.
 */
export function findCompleteRefusal(session: Session, route: Route): Finding | undefined {
  const { exchange, count } = session.results.getRefusals(route.operationId);
  const isComplete = session.results
    .getStatusCodes(route.operationId)
    .every((status) => INVALID_STATUSES.includes(status));
  if (!exchange || count < MIN_REFUSED || !isComplete || route.pathNames.length > 0 || mayRefuse(session, route))
    return undefined;
  const { status } = exchange.response;
  const message = `The server refused all ${count} valid requests with the documented status ${status}. The reason can be a rule that the contract does not describe`;
  return createFinding('input', route, exchange, {
    rule: 'some-accepted',
    title: 'accepts valid requests',
    message,
    pointer: route.pointer,
  });
}
