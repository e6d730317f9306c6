import type { Context } from 'koa';
import type { Completed } from '../../mock/added-fields.ts';
import { InvalidPreferenceError } from '../../mock/choose-response.ts';
import { type Mock, MockError } from '../../mock/mock.ts';
import { errorAnswer, methodsAt } from '../../mock/status-problem.ts';
import { withOwn } from '../../mock/validate-fault.ts';
import type { Contract } from '../../openapi/contract.ts';
import { isJsonType, responseTo } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { RawInput } from '../../openapi/validate-request.ts';
import type { ResponseToVerify } from '../../openapi/verify-response.ts';
import type { FaultEffect, ForcedResponse } from '../../sandbox/faults/combine-faults.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { RegisteredHandler } from '../../server/handler-registry.ts';
import { DomainError } from '../../shop/domain/domain-error.ts';
import type { AnyAnswer, AnyInput } from '../../shop/operations/handler.ts';
import type { Store } from '../../store/store.ts';
import { normalizeHeaderNames } from '../../util/header-names.ts';
import { isMessageHeader } from '../../util/message-headers.ts';
import { exposeHeaders } from '../expose-headers.ts';
import { HttpProblemError, uriReference } from '../problem.ts';
import { type ShopContextParts, trackShop } from '../tracked-shop.ts';
import type { AppliedFaults } from './faults.ts';
import { createPreferenceError, formatPreferenceApplied, type Preferences } from './preferences.ts';
import { createResponse, getExchange, JSON_TYPE, setResponse } from './response.ts';

/** Who does operations, and what their answers are made by. */
export interface RespondParts {
  /** A store that takes no change by which its state would contradict the contract; `ownOperationId`: the operation of a user's own handler. */
  readonly guard: (store: Store, ownOperationId?: string) => Store;
  readonly mock: Mock;
  readonly contract: Contract;
  /** The body of a success as the contract has it, which may have gained and lost fields since the shop's handlers were written. */
  readonly complete: (route: Route, body: unknown) => Completed;
  /** Who does an operation; undefined where it is mocked. */
  readonly doerOf: (route: Route) => RegisteredHandler | undefined;
}

/** What an answer is settled by. */
export interface OperationCall {
  readonly route: Route;
  readonly sandbox: Sandbox;
  readonly input: RawInput;
  readonly preferences: Preferences;
  readonly forcing: AppliedFaults;
}

/** Has the operation be done, or not, and settles the answer. */
export function respondToOperation(ctx: Context, parts: RespondParts, call: OperationCall): Promise<void> {
  const { route, preferences, forcing } = call;
  const other = forcing.forced?.answer;
  const doer = preferences.isForced || other?.phase === 'before' ? undefined : parts.doerOf(route);
  return doer && !other ? settleReal(ctx, parts, doer, call) : settleOther(ctx, parts, call, { doer, other });
}

/** Settles an answer that the operation hasn't given, whether it is done or not. */
async function settleOther(
  ctx: Context,
  parts: RespondParts,
  call: OperationCall,
  { doer, other }: { readonly doer: RegisteredHandler | undefined; readonly other: FaultEffect['answer'] },
): Promise<void> {
  const { preferences } = call;
  if (doer) await settleReal(ctx, parts, doer, call).catch(unlessDeclined);
  // What was to be kept of the answer that is lost.
  getExchange(ctx).revision = undefined;
  if (!other) return settlePreferred(ctx, parts, call);
  setApplied(ctx, formatPreferenceApplied(preferences, false));
  return settleForced(ctx, parts, call, other);
}

/** What the shop declines is lost like any other answer. */
function unlessDeclined(thrown: unknown): void {
  if (!(thrown instanceof DomainError)) throw thrown;
}

async function settleReal(
  ctx: Context,
  parts: RespondParts,
  doer: RegisteredHandler,
  call: OperationCall,
): Promise<void> {
  const { route, sandbox, input, preferences, forcing } = call;
  const exchange = getExchange(ctx);
  const { shop, revision } = trackShop(shopPartsOf(sandbox, parts, doer.isOurs ? undefined : route.operationId));
  setApplied(ctx, formatPreferenceApplied(preferences, false));
  const {
    status = route.successStatus,
    headers = {},
    body,
  } = given(route, await doer.handle(inputOf(ctx, input), shop));
  // An answer that something was forced upon isn't kept: it wouldn't be upon the next one. Nor is one that says in which sandbox it was made.
  if (!forcing.told && doer.isOurs && !exchange.sandbox) exchange.revision = revision();
  const whole = doer.isOurs ? parts.complete(route, body) : { body, made: [] };
  const typed = doer.isOurs ? headers : withType(headers, documentedType(route, status));
  const named = within(exchange.prefix, typed);
  const all = whole.made.length > 0 ? { ...named, 'X-Mocked': whole.made.map(encodeURI).join(', ') } : named;
  setResponse(ctx, createResponse({ status, headers: all, body: whole.body }));
}

/** What a handler gets of a request: what the contract makes of it, and the headers, which are copied only where they are read. */
function inputOf({ headers }: Context, { path, query, body }: RawInput): AnyInput {
  return {
    path,
    query,
    body,
    get headers() {
      const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
      return Object.fromEntries(entries);
    },
  };
}

function settlePreferred(ctx: Context, parts: RespondParts, call: OperationCall): void {
  settleMocked(ctx, parts, call);
  setApplied(ctx, formatPreferenceApplied(call.preferences, true));
}

/** Settles the answer that a fault forces: as the contract has it where it documents one, with the body and headers that the fault brings. */
function settleForced(ctx: Context, parts: RespondParts, call: OperationCall, forced: ForcedResponse): void {
  const { route, input, preferences } = call;
  const { status: code, example } = forced;
  const isUnknown = code !== undefined && !responseTo(route.responses, code);
  const made = isUnknown
    ? errorAnswer(parts.contract, methodsAt(parts.contract, route), code)
    : mockAnswer(parts.mock, route, input, { ...preferences, wish: { code, example } }, ctx);
  const described = forced.body === undefined ? withInstance(ctx, parts, route, made) : made;
  respondToFault(ctx, withOwn(route, described, forced), forced);
}

function settleMocked(ctx: Context, parts: RespondParts, { route, input, preferences }: OperationCall): void {
  answerMocked(ctx, withInstance(ctx, parts, route, mockAnswer(parts.mock, route, input, preferences, ctx)));
}

/** Sets the response of a fault. Pages of allowed origins can read the headers that the fault gives. */
export function respondToFault(ctx: Context, response: ResponseToVerify, { headers = {} }: ForcedResponse): void {
  exposeHeaders(ctx.res, Object.keys(headers));
  answerMocked(ctx, response);
}

function answerMocked(ctx: Context, made: ResponseToVerify): void {
  const headers = within(getExchange(ctx).prefix, made.headers);
  setResponse(ctx, { ...made, headers: { ...headers, 'X-Mocked': 'operation' } });
}

/** A problem document that tells of the path that was asked for, where that holds by the contract. */
function withInstance(
  ctx: Context,
  { contract }: RespondParts,
  route: Route,
  answer: ResponseToVerify,
): ResponseToVerify {
  const { status, body } = answer;
  if (status < 400 || !isProblem(body)) return answer;
  const told = { ...answer, body: { ...body, instance: uriReference(getExchange(ctx).prefix + ctx.path) } };
  const isWrong = responseTo(route.responses, status) && contract.verify(route, told, { closed: false }).length > 0;
  return isWrong ? answer : told;
}

function isProblem(body: unknown): body is { readonly instance: string } {
  return typeof body === 'object' && body !== null && 'instance' in body && typeof body.instance === 'string';
}

function shopPartsOf(
  { store, clock, ids }: Sandbox,
  { guard }: RespondParts,
  ownOperationId: string | undefined,
): ShopContextParts {
  const newId = () => {
    const { orders } = store.read().state;
    for (;;) {
      const id = ids.next();
      // Ids of a seed come again when it is given again.
      if (ids.seed === undefined || !orders.some((order) => order.id === id)) return id;
    }
  };
  return { store: guard(store, ownOperationId), nowMs: clock.nowMs, newId };
}

/** Headers with a `Location` that leads to the same sandbox, where the path has named it. */
function within(prefix: string, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { Location: location } = headers;
  return prefix === '' || !location?.startsWith('/') ? headers : { ...headers, Location: prefix + location };
}

/** What a handler has given back, which has to be an answer: a team's own handler may give anything. */
function given(route: Route, answer: unknown): AnyAnswer {
  const { status, headers = {} } = (answer ?? {}) as AnyAnswer;
  const framing = Object.keys(headers).find(isMessageHeader);
  if (framing !== undefined) {
    const detail = `the handler of ${route.operationId} returned the header ${framing}, which the server itself writes: leave it out`;
    throw new HttpProblemError({ code: 'internal-error', detail });
  }
  const isStatus = status === undefined || (Number.isInteger(status) && status >= 200 && status <= 599);
  if (typeof answer === 'object' && answer !== null && isStatus) return answer;
  const detail = `the handler of ${route.operationId} gave back no answer: it has to be an object such as { body }, with a status from 200 to 599 if any`;
  throw new HttpProblemError({ code: 'internal-error', detail });
}

/** Headers with a content type, their own where they have one, however it is written. */
function withType(headers: Readonly<Record<string, string>>, type: string): Readonly<Record<string, string>> {
  return { 'Content-Type': type, ...normalizeHeaderNames(headers) };
}

function setApplied(ctx: Context, applied: string | undefined): void {
  if (applied !== undefined) ctx.res.setHeader('Preference-Applied', applied);
}

function mockAnswer(
  mock: Mock,
  route: Route,
  input: RawInput,
  { wish, given }: Preferences,
  ctx: Context,
): ResponseToVerify {
  try {
    return mock.answer(route, input, wish, ctx.get('Accept'));
  } catch (error) {
    if (error instanceof InvalidPreferenceError)
      throw createPreferenceError(error.wish, given[error.wish], error.message);
    if (error instanceof MockError) throw new HttpProblemError({ code: 'internal-error', detail: error.message });
    throw error;
  }
}

/** The media type that the contract has for the answers of a status: problems have one of their own. */
function documentedType({ responses }: Route, status: number): string {
  const types = Object.keys(responseTo(responses, status)?.media ?? {});
  return types.find(isJsonType) ?? types[0] ?? JSON_TYPE;
}
