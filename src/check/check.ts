import type { Route } from '../contract/routes.ts';
import { createBases } from './bases.ts';
import { type Client, createClient, NoAnswer } from './client.ts';
import { isSuccess } from './exchange.ts';
import { CheckFault } from './fault.ts';
import { createLedger, type Finding, type Judge, type Ledger } from './findings.ts';
import { judgeHostile } from './hostile.ts';
import { judgeInput } from './input.ts';
import type { Judging } from './judging.ts';
import { judgeLifeCycle, lifeCyclesOf } from './life-cycles.ts';
import { judgeLinks } from './links.ts';
import { judgeMethods } from './methods.ts';
import { createPool, type Pool } from './pool.ts';
import { askOf } from './requests.ts';
import { askedRoutes, isWriting, judgedRoutes, type Selection } from './selection.ts';
import { createSession, type Session, Silent } from './session.ts';
import { shopRules } from './shop/rules.ts';
import { isShop, shopAt } from './shop/shop.ts';

/** What to judge, and how. */
export interface CheckOptions extends Selection {
  /** The server's address; paths of the contract are below it. */
  readonly url: string;
  /** Headers that all requests carry. */
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  /** How many generated requests each operation gets, and how many sequences are played. */
  readonly runs: number;
  /** Whether the server is in its default data to begin with. */
  readonly isFresh: boolean;
  /** How long to wait until the server answers, in s. */
  readonly waitSeconds: number;
  /** Told which operation is judged now. */
  readonly onProgress?: ((operationId: string) => void) | undefined;
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
    await reachServer(client, options.waitSeconds);
    const isOwn = isShop(contract);
    const ledger = createLedger(routes);
    const session = createSession({ contract, client, ledger, isShop: isOwn, rules: isOwn ? shopRules : [] });
    const notes: string[] = [];
    await judge(session, options, routes, notes).catch((error) => {
      if (!(error instanceof Silent)) throw error;
      notes.push(`judging ended early: ${error.message}`);
      ledger.add(asFailure('behaviour', routes[0], 'answers', error.message));
    });
    const kind = isOwn ? 'shop' : 'any';
    return { url: client.url, headers, seed, runs, kind, routes, ledger, findings: ledger.findings, notes };
  } finally {
    client.close();
  }
}

/** Between two looks for a server that isn't there yet, and how long each look takes at most, in ms. */
const PAUSE_MS = 200;
const LOOK_MS = 5_000;

/** Waits until a server answers, for some seconds at most. Throws a `CheckFault` where it doesn't. */
export async function reachServer(client: Client, waitSeconds: number): Promise<void> {
  const endMs = performance.now() + waitSeconds * 1_000;
  for (;;) {
    try {
      const leftMs = Math.ceil(endMs - performance.now());
      await client.send(
        { method: 'GET', target: '/' },
        waitSeconds > 0 ? Math.max(PAUSE_MS, Math.min(leftMs, LOOK_MS)) : LOOK_MS,
      );
      return;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      // Timers may be early by a fraction of a ms: what is left has to be enough for a pause.
      if (performance.now() >= endMs - PAUSE_MS) {
        const isDown = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(error.message);
        const remedy = `start it${waitSeconds > 0 ? '' : ', or wait for it with --wait SECONDS'}`;
        throw new CheckFault(
          isDown
            ? `no server answers at ${client.url} (${error.message}): ${remedy}`
            : `what is at ${client.url} does not answer as a server of HTTP does: ${error.message}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Has all judges look at a server; `notes` takes in what they could not judge. */
async function judge(
  session: Session,
  options: CheckOptions,
  routes: readonly Route[],
  notes: string[],
): Promise<void> {
  const { contract, seed, runs, mayWrite, isFresh } = options;
  const pool = createPool();
  const asked = askedRoutes(options);
  const basics = {
    session,
    fc: await import('fast-check'),
    bases: createBases(contract, pool),
    seed,
    runs,
    mayWrite,
    asked,
    note: (said: string) => void (notes.includes(said) || notes.push(said)),
  };
  const shop = session.isShop ? await shopAt(basics, pool, isFresh) : undefined;
  const judging: Judging = { ...basics, prepare: async () => shop?.prepare() };
  if (!shop) await lookAround(judging, pool);
  const judged = routes.filter((one) => asked.includes(one));
  for (const route of judged) {
    options.onProgress?.(route.operationId);
    await attempt(judging, 'input', route, () => judgeInput(judging, route));
    await attempt(judging, 'input', route, () => judgeHostile(judging, route));
    await attempt(judging, 'links', route, () => judgeLinks(judging, route));
  }
  for (const first of firstOfPaths(routes)) {
    await judging.prepare();
    const own = contract.routes.filter(({ path }) => path === first.path);
    await attempt(judging, 'methods', first, () => judgeMethods(judging, own));
    if (shop) await attempt(judging, 'methods', first, () => shop.judgePath(judging, own));
  }
  if (shop) await shop.judge(judging, (judgeOne) => attempt(judging, 'behaviour', routes[0], judgeOne));
  for (const cycle of shop ? [] : lifeCyclesOf(asked)) {
    const judgedOne = routes.find((route) => Object.values(cycle).includes(route));
    if (judgedOne) await attempt(judging, 'behaviour', judgedOne, () => judgeLifeCycle(judging, cycle));
  }
  const left = routes.filter((route) => !asked.includes(route)).map(({ operationId }) => operationId);
  if (left.length > 0) judging.note(`not asked, since nothing may be changed: ${left.join(', ')}`);
  for (const route of judged) noteIdle(judging, route);
}

/** Has a judge do its work. Where it fails, which is a bug of ours, that is told as a failure, and the others go on. */
async function attempt(
  { session }: Judging,
  judge: Judge,
  route: Route | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Silent) throw error;
    const said = `the judge itself failed, which is a bug of storefront: ${(error as Error).stack ?? error}`;
    session.ledger.add(asFailure(judge, route, 'can be judged', said));
  }
}

/** What keeps a judge from judging, as a finding: what was not judged is not kept. */
function asFailure(judge: Judge, route: Route | undefined, rule: string, said: string): Finding {
  const { operationId = '', pointer = '' } = route ?? {};
  return { judge, operationId, status: 'none', rule, said, pointer, exchanges: [] };
}

/** Says of an operation that was never done what it was answered instead: of what it does nothing was judged. */
function noteIdle({ session: { ledger }, note }: Judging, { operationId }: Route): void {
  const statuses = ledger.statusesOf(operationId);
  if (statuses.length === 0 || statuses.some((status) => /^[123]|^default$/.test(status))) return;
  note(`${operationId} was never done, so that only its refusals were judged: it was answered ${statuses.join(', ')}`);
}

function firstOfPaths(routes: readonly Route[]): readonly Route[] {
  return routes.filter((route, place) => routes.findIndex(({ path }) => path === route.path) === place);
}

/** Asks all that can be asked with nothing at hand, and creates what can be created, so that ids are known for the rest. */
async function lookAround({ session, bases, seed, asked }: Judging, pool: Pool): Promise<void> {
  const plain = asked.filter(({ pathNames }) => pathNames.length === 0);
  const creating = plain.filter(({ method }) => method === 'POST');
  for (const route of [...plain.filter((one) => !isWriting(one)), ...creating]) {
    const values = bases.base(route, seed);
    const examined = values && (await session.ask('input', route, askOf(route, values)));
    session.ledger.addAll(examined?.findings ?? []);
    if (examined?.exchange && isSuccess(examined.exchange.reply)) pool.learn(route, examined.exchange.reply.body);
  }
}
