import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contract, loadContract } from './contract/contract.ts';
import { createApp } from './http/app.ts';
import { type Log, logRequest } from './http/log.ts';
import { type ReadyAnswers, readyAnswers } from './http/ready-answers.ts';
import { createHttpServer } from './http/server.ts';
import { listen } from './listen.ts';
import { createLogger } from './logger.ts';
import { createMock } from './mock/mock.ts';
import { castingOf, ownHandlers } from './operations/casting.ts';
import type { Options, RepairOptions } from './options.ts';
import { prepareSearch } from './search/product-index.ts';
import { type Durability, openState } from './store/open-state.ts';
import { repairDataFile } from './store/repair.ts';

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

/** The last moment that is told, in ms since 1970: the last that a Date has, less the days of the slowest delivery that the contract has. */
const LAST_MS = 8_640_000_000_000_000 - 3_650 * 86_400_000;

/** A moment as the contract has moments, whatever the clock says: whole, and within what a Date has. */
function momentOf(clockMs: number): number {
  return Math.min(Math.max(Math.trunc(clockMs) || 0, 0), LAST_MS);
}

/** How long a request may take to arrive, in ms, unless the options say otherwise. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Starts a shop in this process and gives it back once it listens: on a free port, with its state in memory, unless the options say otherwise.
 * Rejects with an error whose message is one clear sentence where the contract, the data or the address can't be used.
 */
export async function createStorefront(options: Options = {}): Promise<Storefront> {
  const nowMs = () => momentOf((options.nowMs ?? Date.now)());
  const log = createLogger(options.log ?? 'off', options.logTo);
  const shopContract = await loadContract({ path: ours('openapi.yaml'), strict: false });
  const contract = await loadContract({ path: contractOf(options), strict: options.strict ?? false });
  const casting = castingOf({ shopContract, mock: options.mock ?? false, own: await ownHandlers(options.handlers) });
  casting.check(contract);
  let address: string | undefined;
  const { store, path: dataFile } = await openState({
    data: options.data,
    durability: options.durability ?? 'disk',
    defaultData: defaultDataOf(options),
    check: shopContract.checkData,
    nowMs,
    address: () => address,
    prepare: ({ products }) => prepareSearch(products),
    tell: { info: (message) => log.info({}, message), warn: (message) => log.warn({}, message) },
  });
  const durability = dataFile === undefined ? 'memory' : (options.durability ?? 'disk');
  const ready = readyAnswers(() => store.read().revision);
  const app = createApp({
    contract,
    mock: createMock(contract),
    ...casting,
    store,
    nowMs,
    newId: options.newId ?? randomUUID,
    ready,
    log,
    verify: options.verify ?? 'log',
    version,
    dataFile,
    images: ours('images'),
    static: options.static && resolve(options.static),
  });
  const server = createHttpServer({
    answer: answering(app.callback(), ready, log),
    log,
    requestTimeoutMs: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
  });
  const { url, port } = await listen(server, options.host, options.port ?? 0).catch(async (error) => {
    await store.close();
    throw error;
  });
  address = url;
  const mocked = contract.routes.filter((route) => !casting.doerOf(route)).map(({ operationId }) => operationId);
  const facts = { url, dataFile, durability, operations: contract.routes.length, mocked };
  log.info(facts, greeting(facts));
  const stopWarming = warmUp(contract, () => prepareSearch(store.read().state.products));

  return {
    ...facts,
    port,
    async close() {
      stopWarming();
      await server.close();
      await store.close();
    },
  };
}

function contractOf({ contract }: Pick<Options, 'contract'>): string {
  return resolve(contract ?? ours('openapi.yaml'));
}

/** Has a data file that stops the start hold the default data, and keeps a copy of what it held; gives back what was done, a sentence. */
export async function repair(options: RepairOptions): Promise<string> {
  const log = createLogger('off');
  const contract = await loadContract({ path: ours('openapi.yaml'), strict: false });
  return repairDataFile({
    data: options.data,
    defaultData: defaultDataOf(options),
    check: contract.checkData,
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

/** Answers from the bytes that are ready where it can, and through Koa where it can't; both with a line of log. */
function answering(app: (req: IncomingMessage, res: ServerResponse) => unknown, ready: ReadyAnswers, log: Log) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    const operation = ready.give(req, res);
    if (operation === undefined) app(req, res);
    else logRequest(log, req, res, () => ({ operation }));
  };
}

/** Makes the index of the search, then the validators of one operation after the other, each in a turn of its own so that requests go first. Gives back how to stop it. */
function warmUp(contract: Contract, index: () => void): () => void {
  const cold = [...contract.routes];
  let turn: NodeJS.Immediate | undefined;
  const warmNext = () => {
    const route = cold.shift();
    if (!route) return;
    contract.warmUp(route);
    turn = setImmediate(warmNext);
  };
  turn = setImmediate(() => {
    index();
    warmNext();
  });
  return () => clearImmediate(turn);
}

/** A file that comes along with this package: this module stands one folder below its root, in `src` as in `dist`. */
function ours(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
