import type { Context } from 'koa';
import type { PlainAnswer } from '../contract/answers.ts';
import type { RawInput } from '../contract/requests.ts';
import { isJsonType, responseTo } from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';
import { Refusal } from '../domain/refusal.ts';
import { WishFault } from '../mock/choice.ts';
import type { Completed } from '../mock/gained.ts';
import { type Mock, MockFault } from '../mock/mock.ts';
import type { Doer } from '../operations/casting.ts';
import type { AnyAnswer } from '../operations/handler.ts';
import type { Forced } from '../sandboxes/forced.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import type { Store } from '../store/store.ts';
import { bindShop, type ShopParts } from './bound-shop.ts';
import { answerWith, exchangeOf, JSON_TYPE, success } from './exchange.ts';
import type { Forcing } from './forcing.ts';
import { appliedText, type Preferences, preferenceFault } from './preferences.ts';
import { FaultError } from './problem.ts';

/** Who does operations, and what their answers are made by. */
export interface SettlingParts {
  /** A store that takes no change by which its state would contradict the contract. */
  readonly guard: (store: Store) => Store;
  readonly mock: Mock;
  /** The body of a success as the contract has it, which may have gained and lost fields since the shop's handlers were written. */
  readonly complete: (route: Route, body: unknown) => Completed;
  /** Who does an operation; undefined where it is mocked. */
  readonly doerOf: (route: Route) => Doer | undefined;
}

/** What an answer is settled by. */
export interface Call {
  readonly route: Route;
  readonly sandbox: Sandbox;
  readonly input: RawInput;
  readonly preferences: Preferences;
  readonly forcing: Forcing;
}

/** Has the operation be done, or not, and settles the answer. */
export function settle(ctx: Context, parts: SettlingParts, call: Call): Promise<void> {
  const { route, preferences, forcing } = call;
  const other = forcing.forced?.answer;
  const doer = preferences.isForced || other?.phase === 'before' ? undefined : parts.doerOf(route);
  return doer && !other ? settleReal(ctx, parts, doer, call) : settleOther(ctx, parts, call, { doer, other });
}

/** Settles an answer that the operation hasn't given, whether it is done or not. */
async function settleOther(
  ctx: Context,
  parts: SettlingParts,
  call: Call,
  { doer, other }: { readonly doer: Doer | undefined; readonly other: Forced['answer'] },
): Promise<void> {
  const { preferences } = call;
  if (doer) await settleReal(ctx, parts, doer, call).catch(unlessDeclined);
  // What was to be kept of the answer that is lost.
  exchangeOf(ctx).revision = undefined;
  if (!other) return settlePreferred(ctx, parts, call);
  setApplied(ctx, appliedText(preferences, false));
  const { code, example } = other;
  return settleMocked(ctx, parts, { ...call, preferences: { ...preferences, wish: { code, example } } });
}

/** What the shop declines is lost like any other answer. */
function unlessDeclined(thrown: unknown): void {
  if (!(thrown instanceof Refusal)) throw thrown;
}

async function settleReal(ctx: Context, parts: SettlingParts, doer: Doer, call: Call): Promise<void> {
  const { route, sandbox, input, preferences, forcing } = call;
  const exchange = exchangeOf(ctx);
  const { shop, revision } = bindShop(shopPartsOf(sandbox, parts));
  setApplied(ctx, appliedText(preferences, false));
  const { status = route.successStatus, headers = {}, body } = given(route, await doer.handle(input, shop));
  // An answer that something was forced upon isn't kept: it wouldn't be upon the next one. Nor is one that says in which sandbox it was made.
  if (!forcing.told && doer.isOurs && !exchange.sandbox) exchange.revision = revision();
  const whole = doer.isOurs ? parts.complete(route, body) : { body, made: [] };
  const typed = doer.isOurs ? headers : withType(headers, documentedType(route, status));
  const named = within(exchange.prefix, typed);
  const all = whole.made.length > 0 ? { ...named, 'X-Mocked': whole.made.map(encodeURI).join(', ') } : named;
  answerWith(ctx, success({ status, headers: all, body: whole.body }));
}

function settlePreferred(ctx: Context, parts: SettlingParts, call: Call): void {
  settleMocked(ctx, parts, call);
  setApplied(ctx, appliedText(call.preferences, true));
}

function settleMocked(ctx: Context, { mock }: SettlingParts, { route, input, preferences }: Call): void {
  const made = mockAnswer(mock, route, input, preferences, ctx);
  const headers = within(exchangeOf(ctx).prefix, made.headers);
  answerWith(ctx, { ...made, headers: { ...headers, 'X-Mocked': 'operation' } });
}

function shopPartsOf({ store, clock, ids }: Sandbox, { guard }: SettlingParts): ShopParts {
  const newId = () => {
    const { orders } = store.read().state;
    for (;;) {
      const id = ids.next();
      // Ids of a seed come again when it is given again.
      if (ids.seed === undefined || !orders.some((order) => order.id === id)) return id;
    }
  };
  return { store: guard(store), nowMs: clock.nowMs, newId };
}

/** Headers with a `Location` that leads to the same sandbox, where the path has named it. */
function within(prefix: string, headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { Location: location } = headers;
  return prefix === '' || !location?.startsWith('/') ? headers : { ...headers, Location: prefix + location };
}

/** What a handler has given back, which has to be an answer: a team's own handler may give anything. */
function given(route: Route, answer: unknown): AnyAnswer {
  const { status } = (answer ?? {}) as AnyAnswer;
  const isStatus = status === undefined || (Number.isInteger(status) && status >= 200 && status <= 599);
  if (typeof answer === 'object' && answer !== null && isStatus) return answer;
  const detail = `the handler of ${route.operationId} gave back no answer: it has to be an object such as { body }, with a status from 200 to 599 if any`;
  throw new FaultError({ code: 'internal-error', detail });
}

/** Headers with a content type, their own where they have one, however it is written. */
function withType(headers: Readonly<Record<string, string>>, type: string): Readonly<Record<string, string>> {
  const isType = (name: string) => name.toLowerCase() === 'content-type';
  const own = Object.entries(headers).find(([name]) => isType(name))?.[1];
  const others = Object.entries(headers).filter(([name]) => !isType(name));
  return { 'Content-Type': own ?? type, ...Object.fromEntries(others) };
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
): PlainAnswer {
  try {
    return mock.answer(route, input, wish, ctx.get('Accept'));
  } catch (error) {
    if (error instanceof WishFault) throw preferenceFault(error.wish, given[error.wish], error.message);
    if (error instanceof MockFault) throw new FaultError({ code: 'internal-error', detail: error.message });
    throw error;
  }
}

/** The media type that the contract has for the answers of a status: problems have one of their own. */
function documentedType({ responses }: Route, status: number): string {
  const types = Object.keys(responseTo(responses, status)?.media ?? {});
  return types.find(isJsonType) ?? types[0] ?? JSON_TYPE;
}
