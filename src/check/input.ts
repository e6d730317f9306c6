import type { Arbitrary } from 'fast-check';
import type { Received } from '../contract/requests.ts';
import type { Route } from '../contract/routes.ts';
import { type Bases, createBases } from './bases.ts';
import { type Edit, edited, type Place, placesOf } from './edits.ts';
import type { Reply } from './exchange.ts';
import { type Chance, explore } from './exploring.ts';
import type { Finding, Trouble } from './findings.ts';
import { coverage } from './oddities.ts';
import type { Pool } from './pool.ts';
import { askOf, bodyTypeOf, judged, type Values } from './requests.ts';
import { nameOf, type Session } from './session.ts';

/** What the judges of input have at hand. */
export interface InputParts {
  readonly session: Session;
  readonly fc: Chance;
  readonly pool: Pool;
  readonly seed: number;
  /** How many generated requests each operation gets. */
  readonly runs: number;
  /** Has the server be in a state in which requests that hold are done; called before each request. */
  readonly prepare: () => Promise<void>;
}

/** How many single changes are tried of an operation at most. */
const MOST_EDITS = 600;

/** With what statuses a request that breaks the contract may be refused (as Schemathesis has it), and which mean that a request is thought to break it. */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 405, 406, 409, 422, 428];
const MEANING_INVALID: readonly number[] = [400, 405, 406, 411, 412, 413, 414, 415, 416, 417, 422, 428, 431];

/**
 * Judges how an operation takes what it is sent, right and wrong, by the rules of Schemathesis: what holds by the contract is done or declined by a
 * rule of the API, never called invalid; what breaks it is refused; and all answers are documented. First each single change of a right request that
 * is worth a look, then several at once by chance.
 */
export async function judgeInput(parts: InputParts, route: Route): Promise<void> {
  const { session, seed } = parts;
  await parts.prepare();
  const bases = createBases(session.contract, parts.pool);
  const base = bases.base(route, seed);
  if (!base) return;
  for (const values of singleEdits(parts, route, base)) {
    for (const finding of await examine(parts, route, values)) session.ledger.add(finding);
  }
  await judgeByChance(parts, route, bases);
}

function* singleEdits({ session: { contract } }: InputParts, route: Route, base: Values): Generator<Values> {
  yield base;
  for (const { value } of Object.values(route.bodyMedia).flatMap(({ examples }) => examples))
    yield { ...base, body: value };
  let made = 0;
  for (const place of placesOf(contract, route, base)) {
    for (const edit of coverage(contract, place, currentAt(base, place))) {
      const values = edited(base, place, edit);
      if (values && made++ < MOST_EDITS) yield values;
    }
  }
}

function currentAt({ path, query, headers, body }: Values, place: Place): unknown {
  if (place.kind === 'body')
    return place.path.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], body);
  const { in: where, name } = place.parameter;
  return { path, query, header: headers, cookie: {} as Record<string, unknown> }[where][name];
}

/** A request by chance: whose chance it is made with, and what is changed of it, by places that are counted round. */
interface Drawn {
  readonly seed: number;
  readonly edits: readonly { readonly place: number; readonly edit: Edit }[];
}

async function judgeByChance(parts: InputParts, route: Route, bases: Bases): Promise<void> {
  const { session, fc, seed, runs } = parts;
  if (route.parameters.length === 0 && bodyTypeOf(route) === undefined) return;
  const given = fc.oneof(
    fc.jsonValue({ depthSize: 'small', stringUnit: 'binary' }),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.string({ unit: 'grapheme' }),
  );
  const edit: Arbitrary<Edit> = fc.oneof(
    fc.constant<Edit>({ kind: 'leave out' }),
    fc.constant<Edit>({ kind: 'give twice' }),
    given.map((value): Edit => ({ kind: 'add a property', value })),
    given.map((value): Edit => ({ kind: 'give', value })),
  );
  const cases = fc.record<Drawn>({
    seed: fc.nat(1_000_000),
    edits: fc.array(fc.record({ place: fc.nat(200), edit }), { maxLength: 4 }),
  });
  const drawn = ({ seed, edits }: Drawn): Values | undefined => {
    const base = bases.base(route, seed);
    return edits.reduce<Values | undefined>((values, { place, edit }) => {
      if (!values) return undefined;
      const places = placesOf(session.contract, route, values);
      const chosen = places[place % Math.max(1, places.length)];
      return (chosen && edited(values, chosen, edit)) ?? values;
    }, base);
  };
  await explore({
    fc,
    ledger: session.ledger,
    cases,
    seed,
    runs,
    examine: async (one) => {
      const values = drawn(one);
      return values ? examine(parts, route, values) : [];
    },
  });
}

/** Sends a request, and says what is wrong with how it is answered. */
async function examine(
  { session, pool, prepare }: InputParts,
  route: Route,
  values: Values,
): Promise<readonly Finding[]> {
  await prepare();
  const received = judged(session.contract, route, values);
  const { exchange, reply, findings } = await session.ask('input', route, askOf(route, values));
  if (!exchange || !reply) return findings;
  if (reply.status < 300) pool.learn(route, reply.body);
  const trouble = asExpected(route, received, reply);
  return trouble
    ? [...findings, { ...trouble, judge: 'input', operationId: route.operationId, exchanges: [exchange] }]
    : findings;
}

/** What is wrong with the status of an answer, by whether the request holds. */
function asExpected(route: Route, received: Received, reply: Reply): Trouble | undefined {
  const status = nameOf(route, reply.status);
  if (received.kind === 'call') {
    if (!MEANING_INVALID.includes(reply.status)) return undefined;
    const said = `a request that holds by the contract is refused with ${reply.status}${detailOf(reply)}`;
    return { status, rule: 'takes what holds', said, pointer: route.pointer };
  }
  if (REFUSALS.includes(reply.status) || reply.status >= 500) return undefined;
  const [first] = received.violations;
  const rule = `refuses ${first?.in} ${first?.pointer} ${first?.rule}`;
  const said = `a request that breaks the contract is answered ${reply.status} instead of being refused: ${received.detail}`;
  return { status, rule, said, pointer: pointerFor(route, first) };
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
