import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contract, loadContract } from './contract/contract.ts';
import { obstructed } from './contract/document.ts';
import { signatureOf, watchContract } from './contract/live.ts';
import type { Route } from './contract/routes.ts';
import { shopContract } from './contract/shop.ts';
import { createHttpServer, REQUEST_TIMEOUT_MS } from './http/server.ts';
import { listen } from './listen.ts';
import { createLogger } from './logger.ts';
import { type AnswerMeant, undocumented } from './mock/undocumented.ts';
import { castingOf, ownHandlers } from './operations/casting.ts';
import type { Options, RepairOptions } from './options.ts';
import { createClock, momentOf } from './sandboxes/clock.ts';
import { delaysOf } from './sandboxes/forced.ts';
import { createSandboxes } from './sandboxes/registry.ts';
import { prepareSearch } from './search/product-index.ts';
import { changesBetween, type Service, serviceUnder } from './service.ts';
import { checkUnder, guardUnder, refuseContradictions } from './state-check.ts';
import { idleFaults, steeringOf } from './steering.ts';
import { type Durability, openState } from './store/open-state.ts';
import { repairDataFile } from './store/repair.ts';
import { warmUp } from './warm-up.ts';

export type { paths } from './contract/schema.d.ts';
export { Refusal } from './domain/refusal.ts';
export { type AnyAnswer, type AnyHandler, type Handler, mocked } from './operations/handler.ts';
export type { Options } from './options.ts';

/** A shop that runs. */
export interface Storefront {
  /** Where it is, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The data file; undefined where the state is in memory only. */
  readonly dataFile: string | undefined;
  /** What an answered change survives. */
  readonly durability: Durability;
  /** How many operations its contract has. */
  readonly operations: number;
  /** The ids of those that are answered from the contract alone. */
  readonly mocked: readonly string[];
  /** Takes no new request, finishes those begun (for 8 s at most), and lets go of the port and the data file. */
  close(): Promise<void>;
}

/** The version of this package. */
export const version: string = JSON.parse(readFileSync(ours('package.json'), 'utf8')).version;

/** How many operations are made ready before they are asked for: of hundreds few are, and all would take seconds. */
const WARM_ROUTES = 40;

/**
 * Starts a shop in this process and gives it back once it listens: on a free port, with its state in memory, unless the options say otherwise.
 * Rejects with an error whose message is one clear sentence where the contract, the data or the address can't be used.
 */
export async function createStorefront(options: Options = {}): Promise<Storefront> {
  const nowMs = () => momentOf((options.nowMs ?? Date.now)());
  const log = createLogger(options.log ?? 'off', options.logTo);
  const tell = {
    info: (message: string) => log.info({}, message),
    warn: (message: string) => log.warn({}, message),
  };
  const contractFile = { path: contractOf(options), strict: options.strict ?? false };
  const signature = signatureOf(contractFile.path);
  const first = await loadContract(contractFile);
  const casting = castingOf({
    shop: shopContract,
    mock: options.mock ?? false,
    own: await ownHandlers(options.handlers),
  });
  casting.check(first);
  let check = checkUnder(first, casting);
  let address: string | undefined;
  const clock = createClock(nowMs);
  const {
    store,
    path: dataFile,
    defaults,
  } = await openState({
    data: options.data,
    durability: options.durability ?? 'disk',
    defaultData: defaultDataOf(options),
    check: (schema, value) => check(schema, value),
    checkedBy: () => check,
    nowMs: clock.nowMs,
    address: () => address,
    prepare: ({ products }) => prepareSearch(products),
    tell,
  });
  const durability = dataFile === undefined ? 'memory' : (options.durability ?? 'disk');
  const newId = options.newId ?? randomUUID;
  const sandboxes = createSandboxes({
    default: { store, clock },
    elapsedMs: () => performance.now(),
    defaults,
    nowMs,
    newId,
    areDeclared: options.sandboxes === 'declared',
    tell: tell.info,
  });
  const stopping = new AbortController();
  // Who follows a journal or waits for a verdict listens to it: as many as there are.
  setMaxListeners(0, stopping.signal);
  const steering = await steeringOf(
    options,
    {
      sandboxes,
      defaults,
      check: () => check,
      undocumented: (meant: AnswerMeant) => undocumented(service.contract.routes, meant),
      stopping: stopping.signal,
    },
    { contract: ours('src/control/control.yaml'), warn: tell.warn },
  ).catch(async (error) => {
    await store.close();
    throw error;
  });
  const parts = {
    casting,
    sandboxes,
    ...steering,
    log,
    verify: options.verify ?? 'log',
    delayMs: options.delay === undefined ? undefined : delaysOf(options.delay),
    stopping: stopping.signal,
    version,
    dataFile,
    images: ours('images'),
    static: options.static && resolve(options.static),
  };
  const warm = (contract: Contract, route: Route) => contract.warmUp(route, { closed: casting.isOurs(route) });
  let service = serviceUnder(first, { ...parts, guard: guardUnder(check) });
  await refuseClashes(service).catch(async (error) => {
    await store.close();
    throw error;
  });
  if (first.slips !== undefined) tell.warn(first.slips);

  /** Serves what the contract's file says now, where it can be served and the state holds by it; else tells why not, and goes on. */
  async function renew(): Promise<void> {
    try {
      const contract = await loadContract(contractFile);
      if (contract === service.contract) return;
      casting.check(contract);
      const newCheck = checkUnder(contract, casting);
      refuseContradictions(contract, store.read().state, newCheck);
      const newService = serviceUnder(contract, { ...parts, guard: guardUnder(newCheck) });
      await refuseClashes(newService);
      if (contract.routes.length <= WARM_ROUTES) for (const route of contract.routes) warm(contract, route);
      tell.info(`${contractFile.path} was read anew: ${changesBetween(service, newService)}`);
      if (contract.slips !== undefined) tell.warn(contract.slips);
      check = newCheck;
      service = newService;
      for (const idle of idleFaults(sandboxes, contract)) tell.warn(idle);
    } catch (error) {
      // Whatever it is: who edits a contract makes all kinds of mistakes on the way, and the shop goes on.
      tell.warn(`${(error as Error).message}. The contract from before is served on`);
    }
  }

  const server = createHttpServer({
    answer: (req, res) => service.answer(req, res),
    log,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
  });
  const { url, port } = await listen(server, options.host, options.port ?? 0).catch(async (error) => {
    await store.close();
    throw error;
  });
  address = url;
  const facts = { url, dataFile, durability, operations: first.routes.length, mocked: service.mocked };
  log.info(facts, greeting(facts));
  const stopWarming = warmUp([
    () => prepareSearch(store.read().state.products),
    ...first.routes.slice(0, WARM_ROUTES).map((route) => () => warm(first, route)),
  ]);
  const stopWatching = watchContract(contractFile.path, signature, renew);

  return {
    url,
    port,
    dataFile,
    durability,
    get operations() {
      return service.contract.routes.length;
    },
    get mocked() {
      return service.mocked;
    },
    async close() {
      stopWatching();
      stopWarming();
      stopping.abort();
      await server.close();
      await sandboxes.close();
      await store.close();
    },
  };
}

/** Throws a `ContractFault` where the contract has fields with other types than the shop gives them. */
async function refuseClashes({ contract, clashes }: Service): Promise<void> {
  if (clashes.length === 0) return;
  const trouble = 'is of another type than the shop gives it';
  throw await obstructed(
    contract.path,
    contract.text,
    clashes.map((pointer) => ({ pointer, trouble })),
  );
}

/** The file of the contract that is served: the one that the options name, or ours. */
export function contractOf({ contract }: Pick<Options, 'contract'>): string {
  return resolve(contract ?? ours('openapi.yaml'));
}

/** Has a data file that stops the start hold the default data, and keeps a copy of what it held; gives back what was done, a sentence. */
export async function repair(options: RepairOptions): Promise<string> {
  const log = createLogger('off');
  return repairDataFile({
    data: options.data,
    defaultData: defaultDataOf(options),
    check: shopContract.checkData,
    warn: (message) => log.warn({}, message),
  });
}

function defaultDataOf({ defaultData }: Pick<Options, 'defaultData'>): string {
  return resolve(defaultData ?? ours('db.json.default'));
}

const SURVIVES: Readonly<Record<Durability, string>> = {
  disk: 'an answered change survives a kill and a power cut',
  os: 'an answered change survives a kill, not a power cut',
  memory: 'changes end with the program',
};

/** How many operations that are mocked a start names; of more it tells the number. */
const MOCKED_NAMED = 12;

/** What a start prints: the address, the operations and which of them are mocked, the data file, and what a change survives there. */
export function greeting({
  url,
  dataFile,
  durability,
  operations,
  mocked,
}: Omit<Storefront, 'port' | 'close'>): string {
  const told = mocked.length > MOCKED_NAMED ? `${mocked.length} of them` : mocked.join(', ');
  const mock = mocked.length === 0 ? '' : mocked.length === operations ? ', all mocked' : `, mocked: ${told}`;
  return `storefront ${version} at ${url}, ${operations} operations${mock}, data in ${dataFile ?? 'memory'}: ${SURVIVES[durability]}`;
}

/** A file that comes along with this package: this module stands one folder below its root, in `src` as in `dist`. */
function ours(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
