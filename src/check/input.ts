import type { Arbitrary } from 'fast-check';
import type { Route } from '../openapi/routes.ts';
import type { Received } from '../openapi/validate-request.ts';
import { pointerTo } from '../util/json-pointer.ts';
import { toSeed } from '../util/random.ts';
import type { Judging } from './check-context.ts';
import { examineAtOnce, examineEach } from './confirm-findings.ts';
import { createCoverageSet } from './coverage-values.ts';
import { applyEdit, type Edit, findEditPlaces, type Place } from './edits.ts';
import type { Exchange, Reply } from './exchange.ts';
import { type Chance, explore } from './explore.ts';
import type { Finding, FindingKind } from './findings.ts';
import { askOf, bodyTypeOf, isUnclear, judged, type Values } from './requests.ts';
import { isWriting } from './selection.ts';
import { findingIn } from './session.ts';
import { isTooLarge } from './undocumented-responses.ts';

/** How many single changes are tried of an operation at most. */
const MOST_EDITS = 600;

/** Statuses which mean that a request is thought to break the contract. */
const MEANING_INVALID: readonly number[] = [400, 405, 406, 411, 413, 414, 415, 422, 428, 431];

/**
 * Judges how an operation takes what it is sent, right and wrong, by the rules of Schemathesis: what holds by the contract is done or declined by a
 * rule of the API, never called invalid; what breaks it is refused; and all answers are documented. First each single change of a right request that
 * is worth a look, then several at once by chance.
 */
export async function checkInput(judging: Judging, route: Route): Promise<void> {
  const { session, bases, prepare, note } = judging;
  await prepare();
  const seed = judging.seed + toSeed(route.operationId);
  const base = bases.base(route, seed);
  if (!base) return note(`The input of ${route.operationId} was not checked: no valid request could be generated`);
  const edits = [...singleEdits(judging, route, base)];
  const isAlone = ({ values }: Varied) => isWriting(route) && judged(session.contract, route, values).kind === 'call';
  const once = ({ values, place }: Varied) => examine(judging, route, values, place);
  const repeat = async (varied: Varied) => {
    await prepare();
    return once(varied);
  };
  // What is refused or only read may be sent at once with others of its kind.
  const together = edits.filter((one) => !isAlone(one));
  await examineAtOnce(session, together, { examine: once, repeat });
  await examineEach(session, edits.filter(isAlone), repeat);
  if (route.parameters.length > 0 || bodyTypeOf(route) !== undefined) await judgeByChance(judging, route, seed);
}

/** A request, and what of it was varied. */
interface Varied {
  readonly values: Values;
  readonly place: string;
}

function nameOf(place: Place): string {
  return place.kind === 'body'
    ? `body ${pointerTo(...place.path)}`.trim()
    : `${place.parameter.in} ${place.parameter.name}`;
}

function* singleEdits({ session }: Judging, route: Route, base: Values): Generator<Varied> {
  const { contract, isShop } = session;
  yield { values: base, place: 'generated request' };
  for (const { value } of Object.values(route.bodyMedia).flatMap(({ examples }) => examples))
    yield { values: { ...base, body: value }, place: 'request example' };
  let made = 0;
  for (const place of findEditPlaces(contract, route, base)) {
    // What a parameter that is given twice means, OpenAPI doesn't say; the shop's contract does.
    const edits = createCoverageSet(contract, place, currentAt(base, place)).filter(
      ({ kind }) => isShop || kind !== 'give twice',
    );
    for (const edit of edits) {
      const values = applyEdit(base, place, edit);
      if (values && made++ < MOST_EDITS) yield { values, place: nameOf(place) };
    }
  }
}

function currentAt({ path, query, headers, body }: Values, place: Place): unknown {
  if (place.kind === 'body')
    return place.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], body);
  const { in: where, name } = place.parameter;
  if (where === 'header') return headers[name.toLowerCase()];
  return where === 'cookie' ? undefined : { path, query }[where][name];
}

/** A request by chance: whose chance it is made with, and what is changed of it, by places that are counted round. */
interface Drawn {
  readonly seed: number;
  readonly edits: readonly { readonly place: number; readonly edit: Edit }[];
}

async function judgeByChance(judging: Judging, route: Route, seed: number): Promise<void> {
  const { session, fc, bases, runs, prepare } = judging;
  const drawn = ({ seed, edits }: Drawn): Values | undefined =>
    edits.reduce<Values | undefined>(
      (values, { place, edit }) => {
        if (!values) return undefined;
        const places = findEditPlaces(session.contract, route, values);
        const chosen = places[place % Math.max(1, places.length)];
        return (chosen && applyEdit(values, chosen, edit)) ?? values;
      },
      bases.base(route, seed),
    );
  const examineDrawn = async (one: Drawn) => {
    const values = drawn(one);
    if (values) await prepare();
    return values ? examine(judging, route, values) : [];
  };
  const cases = drawnCases(fc, session.isShop);
  await explore({ fc, ledger: session.ledger, cases, seed, runs, examine: examineDrawn });
}

/** Requests by chance; without changes they hold. */
function drawnCases(fc: Chance, isShop: boolean): Arbitrary<Drawn> {
  const given = fc.oneof(
    fc.jsonValue({ depthSize: 'small', stringUnit: 'binary' }),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.string({ unit: 'grapheme' }),
  );
  const edit: Arbitrary<Edit> = fc.oneof(
    fc.constant<Edit>({ kind: 'leave out' }),
    given.map((value): Edit => ({ kind: 'add a property', value })),
    given.map((value): Edit => ({ kind: 'give', value })),
    ...(isShop ? [fc.constant<Edit>({ kind: 'give twice' })] : []),
  );
  return fc.record({
    seed: fc.nat(1_000_000),
    edits: fc.array(fc.record({ place: fc.nat(200), edit }), { maxLength: 4 }),
  });
}

/** Sends a request, and says what is wrong with how it is answered. */
async function examine(
  { session }: Judging,
  route: Route,
  values: Values,
  place = 'several changes',
): Promise<readonly Finding[]> {
  const received = judged(session.contract, route, values);
  const isClear = !isUnclear(session.contract, route, values);
  const { exchange, findings } = await session.ask('input', route, askOf(route, values));
  const trouble = exchange && isClear ? asExpected(route, received, exchange, place) : undefined;
  return trouble && exchange ? [...findings, findingIn('input', route, exchange, trouble)] : findings;
}

/** What is wrong with the status of an answer, by whether the request holds. */
function asExpected(
  route: Route,
  received: Received,
  { ask, reply }: Exchange,
  place: string,
): Omit<FindingKind, 'status'> | undefined {
  if (received.kind === 'call') {
    if (!MEANING_INVALID.includes(reply.status) || isTooLarge(ask, reply)) return undefined;
    const said = `The server rejects a valid request with ${reply.status} (${place})${detailOf(reply)}`;
    return { rule: `accepts valid requests: ${place}`, message: said, pointer: route.pointer };
  }
  // Which status refuses a request first depends on what reads it first: a proxy, an access check, or the API.
  if (reply.status >= 400) return undefined;
  const [first] = received.violations;
  const rule = `rejects invalid requests: ${first?.in} ${first?.pointer} ${first?.rule}`;
  const said = `The server accepts an invalid request with ${reply.status}: ${received.detail}`;
  return { rule, message: said, pointer: pointerFor(route, first) };
}

function detailOf({ body }: Reply): string {
  const detail = (body as { detail?: unknown } | null | undefined)?.detail;
  return typeof detail === 'string' ? `: ${detail}` : '';
}

/** Where the contract says what a violation breaks. */
function pointerFor(route: Route, violation: { in: string; pointer: string } | undefined): string {
  if (violation?.in === 'body')
    return route.bodyMedia[bodyTypeOf(route) ?? '']?.schema ?? `${route.pointer}/requestBody`;
  const [, name] = (violation?.pointer ?? '').split('/');
  return (
    route.parameters.find((parameter) => parameter.in === violation?.in && parameter.name === name)?.pointer ??
    route.pointer
  );
}
