import type { Route } from '../openapi/routes.ts';
import { type Shop, shopAt } from '../shop/model/shop.ts';
import type { Judging } from './check-context.ts';
import type { CheckOptions } from './check-options.ts';
import { addConfirmed } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import type { Finding, Judge } from './findings.ts';
import { checkHostileInput } from './hostile-input.ts';
import { checkInput } from './input.ts';
import { checkLifeCycle, lifeCyclesOf } from './life-cycles.ts';
import { checkLinks } from './links.ts';
import { checkMethods } from './methods.ts';
import { createPool, type Pool } from './pool.ts';
import { askOf } from './requests.ts';
import { askedRoutes, isWriting } from './selection.ts';
import type { Session } from './session.ts';
import { CheckStoppedError } from './stopped.ts';
import { createBases } from './valid-requests.ts';

/** A place where parts of a check are judged one after the other: a server, or a sandbox of one. */
export interface Lane {
  readonly judging: Judging;
  /** What is known of the place if it is a shop. */
  readonly shop: Shop | undefined;
}

/** A part of a check that doesn't depend on others. */
export interface Unit {
  readonly name: string;
  readonly judge: (lane: Lane) => Promise<void>;
}

/** Makes what the judges need in a place; `notes` takes in what they could not judge. */
export async function openLane(session: Session, options: CheckOptions, notes: string[]): Promise<Lane> {
  const { contract, seed, runs, mayWrite, isFresh } = options;
  const pool = createPool();
  const basics = {
    session,
    fc: await import('fast-check'),
    bases: createBases(contract, pool),
    seed,
    runs,
    mayWrite,
    asked: askedRoutes(options),
    note: (said: string) => void (notes.includes(said) || notes.push(said)),
  };
  const shop = session.isShop ? await shopAt(basics, pool, isFresh) : undefined;
  const judging: Judging = { ...basics, prepare: async () => shop?.prepare() };
  if (!shop) await lookAround(judging, pool);
  return { judging, shop };
}

/** All that is to be judged of some operations. */
export function unitsOf({ judging, shop }: Lane, routes: readonly Route[]): readonly Unit[] {
  const { asked, session } = judging;
  const paths = routes.filter((route, place) => routes.findIndex(({ path }) => path === route.path) === place);
  const cycles = (shop ? [] : lifeCyclesOf(asked)).filter((cycle) =>
    routes.some((route) => Object.values(cycle).includes(route)),
  );
  return [
    ...routes
      .filter((one) => asked.includes(one))
      .flatMap((route): Unit[] => [
        { name: `input of ${route.operationId}`, judge: (lane) => checkInput(lane.judging, route) },
        { name: `hostile input of ${route.operationId}`, judge: (lane) => checkHostileInput(lane.judging, route) },
        { name: `links of ${route.operationId}`, judge: (lane) => checkLinks(lane.judging, route) },
      ]),
    ...paths.map((first) => ({
      name: `methods of ${first.path}`,
      judge: (lane: Lane) =>
        judgePath(
          lane,
          session.contract.routes.filter(({ path }) => path === first.path),
        ),
    })),
    ...(shop?.parts ?? []).map(({ name, judge }) => ({ name, judge: (lane: Lane) => judge(lane.judging) })),
    ...cycles.map((cycle) => ({
      name: `life cycle of ${cycle.create.operationId}`,
      judge: (lane: Lane) => checkLifeCycle(lane.judging, cycle),
    })),
  ];
}

async function judgePath({ judging, shop }: Lane, routes: readonly Route[]): Promise<void> {
  await judging.prepare();
  await checkMethods(judging, routes);
  await shop?.judgePath(judging, routes);
}

/**
 * Judges units, one at a time in each lane. Where a judge fails, which is a bug of ours, that is noted, its unit is not done, and the others go on. Rejects
 * with the first `CheckStoppedError`, once no judge is at work any more.
 */
export async function judgeUnits(
  units: readonly Unit[],
  lanes: readonly Lane[],
  onDone: (unit: Unit) => void,
): Promise<void> {
  const left = units.values();
  let stopped: CheckStoppedError | undefined;
  const work = async (lane: Lane) => {
    for (const unit of left) {
      if (stopped) return;
      try {
        await unit.judge(lane);
        onDone(unit);
      } catch (error) {
        if (error instanceof CheckStoppedError) stopped ??= error;
        else
          lane.judging.note(`Bug in storefront: the check "${unit.name}" failed: ${(error as Error).stack ?? error}`);
      }
    }
  };
  await Promise.all(lanes.map(work));
  if (stopped) throw stopped;
}

/** Takes in what can be told only once all was judged. */
export function finish({ judging, shop }: Lane, routes: readonly Route[]): void {
  const { asked, note } = judging;
  shop?.finish();
  const left = routes.filter((route) => !asked.includes(route)).map(({ operationId }) => operationId);
  if (left.length > 0) note(`Not requested without --allow-writes: ${left.join(', ')}`);
  for (const route of routes.filter((one) => asked.includes(one))) noteIdle(judging, route);
}

/** What keeps a judge from judging, as a finding: what was not judged is not kept. */
export function asFailure(judge: Judge, route: Route | undefined, rule: string, said: string): Finding {
  const { operationId = '', pointer = '' } = route ?? {};
  return { judge, operationId, status: 'none', rule, message: said, pointer, exchanges: [] };
}

/** Says of an operation that was never done what it was answered instead: of what it does nothing was judged. */
function noteIdle({ session: { ledger }, note }: Judging, { operationId }: Route): void {
  const statuses = ledger.statusesOf(operationId);
  if (statuses.length === 0 || statuses.some((status) => /^[123]|^default$/.test(status))) return;
  note(`${operationId} never succeeded, so only its errors were checked: ${statuses.join(', ')}`);
}

/** Asks all that can be asked with nothing at hand, and creates what can be created, so that ids are known for the rest. */
async function lookAround({ session, bases, seed, asked }: Judging, pool: Pool): Promise<void> {
  const plain = asked.filter(({ pathNames }) => pathNames.length === 0);
  const creating = plain.filter(({ method }) => method === 'POST');
  for (const route of [...plain.filter((one) => !isWriting(one)), ...creating]) {
    const values = bases.base(route, seed);
    if (!values) continue;
    const ask = () => session.ask('input', route, askOf(route, values));
    const { exchange, findings } = await ask();
    await addConfirmed(session, findings, async () => (await ask()).findings);
    if (exchange && isSuccess(exchange.reply)) pool.learn(route, exchange.reply.body);
  }
}
