import type { Contract } from '../contract/contract.ts';
import type { Route } from '../contract/routes.ts';
import { type Bases, createBases } from './bases.ts';
import { type Client, createClient, NoAnswer } from './client.ts';
import { CheckFault } from './fault.ts';
import { createLedger, type Finding, type Ledger } from './findings.ts';
import { judgeHostile } from './hostile.ts';
import { judgeInput } from './input.ts';
import { judgeLifeCycle, lifeCyclesOf } from './life-cycles.ts';
import { judgeLinks } from './links.ts';
import { judgeMethods } from './methods.ts';
import { createPool, type Pool } from './pool.ts';
import { askOf } from './requests.ts';
import { createSession, SAFE, type Session } from './session.ts';
import { shopRules } from './shop/rules.ts';
import { isShop, type Shop, shopAt } from './shop/shop.ts';

/** What to judge, and how. */
export interface CheckOptions {
  readonly contract: Contract;
  /** The server's address; paths of the contract are below it. */
  readonly url: string;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  /** The operations that are judged; undefined for all. */
  readonly only?: readonly string[] | undefined;
  /** The operations that are never asked. */
  readonly exclude?: readonly string[] | undefined;
  readonly seed: number;
  /** How many generated requests each operation gets, and how many sequences are played. */
  readonly runs: number;
  /** Whether operations are asked that may change something. */
  readonly mayWrite: boolean;
  /** Whether the server is in its default data to begin with. */
  readonly isFresh: boolean;
  /** How long to wait until the server answers, in s. */
  readonly waitSeconds: number;
}

/** What the judges have to say of a server. */
export interface Verdict {
  readonly url: string;
  /** Headers that all requests carried. */
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly runs: number;
  /** What was judged: the shop's model, or what is known of any API. */
  readonly kind: 'shop' | 'any';
  readonly routes: readonly Route[];
  readonly ledger: Ledger;
  readonly findings: readonly Finding[];
  /** What could not be judged, a sentence each. */
  readonly notes: readonly string[];
}

/** Judges a server by its contract. Throws `CheckFault` where it can't be reached, or where operations are named that the contract hasn't. */
export async function checkServer(options: CheckOptions): Promise<Verdict> {
  const { contract, url, seed, runs, headers } = options;
  const routes = judgedRoutes(options);
  const client = createClient(url, headers);
  try {
    await reach(client, options.waitSeconds);
    const isOwn = isShop(contract);
    const ledger = createLedger(routes);
    const session = createSession({ contract, client, ledger, isClosed: isOwn, rules: isOwn ? shopRules : [] });
    const notes = await judge(session, options, routes);
    const kind = isOwn ? 'shop' : 'any';
    return { url: client.url, headers, seed, runs, kind, routes, ledger, findings: ledger.findings, notes };
  } finally {
    client.close();
  }
}

/** The operations of a contract that may change something, among those that are judged. */
export function writingRoutes(options: Pick<CheckOptions, 'contract' | 'only' | 'exclude'>): readonly Route[] {
  return judgedRoutes(options).filter(({ method }) => !SAFE.includes(method));
}

function judgedRoutes({
  contract: { routes, path },
  only,
  exclude = [],
}: Pick<CheckOptions, 'contract' | 'only' | 'exclude'>): readonly Route[] {
  const ids = routes.map(({ operationId }) => operationId);
  const unknown = [...(only ?? []), ...exclude].filter((id) => !ids.includes(id));
  if (unknown.length > 0)
    throw new CheckFault(`${path} has no operation ${unknown.join(', ')}: it has ${ids.join(', ')}`);
  const chosen = routes.filter(
    ({ operationId }) => (only ?? ids).includes(operationId) && !exclude.includes(operationId),
  );
  if (chosen.length === 0) throw new CheckFault('no operation is left to be judged');
  return chosen;
}

/** Between two looks for a server that isn't there yet, in ms. */
const PAUSE_MS = 200;

async function reach(client: Client, waitSeconds: number): Promise<void> {
  for (let leftMs = waitSeconds * 1_000; ; leftMs -= PAUSE_MS) {
    try {
      await client.send({ method: 'GET', target: '/' });
      return;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      if (leftMs <= 0)
        throw new CheckFault(
          `no server answers at ${client.url} (${error.message}): start it${waitSeconds > 0 ? '' : ', or wait for it with --wait SECONDS'}`,
        );
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

async function judge(session: Session, options: CheckOptions, routes: readonly Route[]): Promise<readonly string[]> {
  const { contract, seed, runs, mayWrite, exclude = [] } = options;
  const fc = await import('fast-check');
  const pool = createPool();
  const bases = createBases(contract, pool);
  const asked = contract.routes.filter(
    ({ operationId, method }) => !exclude.includes(operationId) && (mayWrite || SAFE.includes(method)),
  );
  const shop: Shop | undefined = isShop(contract) ? await shopAt(session, pool, asked, options.isFresh) : undefined;
  if (!shop) await lookAround(session, bases, pool, seed, asked);
  const prepare = async (): Promise<void> => shop?.prepare();
  const parts = { session, fc, pool, seed, runs, prepare };
  for (const route of routes.filter((one) => asked.includes(one))) {
    await judgeInput(parts, route);
    await judgeHostile(session, bases, seed, prepare, route);
    await judgeLinks({ session, bases, seed, prepare, isAsked: (target) => asked.includes(target) }, route);
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const own = contract.routes.filter((route) => route.path === path);
    await prepare();
    await judgeMethods({ session, bases, seed, mayWrite, routes: own });
  }
  if (shop) return [...(await shop.judge({ fc, bases, seed, runs })), ...unasked(routes, asked)];
  for (const cycle of lifeCyclesOf(asked)) {
    if (routes.some((route) => Object.values(cycle).includes(route))) await judgeLifeCycle(session, bases, seed, cycle);
  }
  return unasked(routes, asked);
}

function unasked(routes: readonly Route[], asked: readonly Route[]): readonly string[] {
  const left = routes.filter((route) => !asked.includes(route)).map(({ operationId }) => operationId);
  return left.length > 0 ? [`not asked, since nothing may be changed: ${left.join(', ')}`] : [];
}

/** Asks all that can be asked with nothing at hand, so that ids are known for the rest. */
async function lookAround(
  session: Session,
  bases: Bases,
  pool: Pool,
  seed: number,
  asked: readonly Route[],
): Promise<void> {
  for (const route of asked.filter(({ method, pathNames }) => method === 'GET' && pathNames.length === 0)) {
    const values = bases.base(route, seed);
    const examined = values && (await session.ask('input', route, askOf(route, values)));
    for (const finding of examined?.findings ?? []) session.ledger.add(finding);
    if (examined?.reply && examined.reply.status < 300) pool.learn(route, examined.reply.body);
  }
}
