import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAdmitted } from '../http/access-policy.ts';
import { type AppParts, createApp } from '../http/app.ts';
import { recordCachedResponse } from '../http/pipeline/record.ts';
import { type Log, logRequest } from '../http/request-log.ts';
import { createResponseCache, type ResponseCache } from '../http/response-cache.ts';
import { completed, type Difference, differenceOf, type MakeField } from '../mock/added-fields.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { createContractError } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Journal } from '../sandbox/journal/journal.ts';
import { shopContract } from '../shop/contract.ts';
import type { HandlerRegistry, RegisteredHandler } from './handler-registry.ts';

/** What answers requests under one contract: with a newer one there is a new service, and requests that the old one has begun end there. */
export interface Service {
  readonly contract: Contract;
  /** The ids of the operations that are answered from the contract alone. */
  readonly mocked: readonly string[];
  /** The fields that the shop's answers have gained and lost since its handlers were written, each once. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  /** JSON Pointers of fields that the contract has with other types than the shop gives them. */
  readonly clashes: readonly string[];
  answer(req: IncomingMessage, res: ServerResponse): void;
}

/** What a service is made of beside its contract. */
export interface ServiceParts extends Omit<AppParts, 'contract' | 'mock' | 'complete' | 'doerOf' | 'isOurs' | 'ready'> {
  readonly casting: HandlerRegistry;
}

/** The service under a contract. */
export function createService(contract: Contract, { casting, ...parts }: ServiceParts): Service {
  const mock = createMock(contract);
  const doers = new Map(contract.routes.map((route) => [route, doing(casting.doerOf(route), route)]));
  const differences = new Map<Route, Difference>();
  for (const [route, doer] of doers) {
    const shopRoute = shopContract.routes.find(({ operationId }) => operationId === route.operationId);
    if (doer?.isOurs && shopRoute) {
      differences.set(route, differenceOf(shopContract.plain, shopRoute, contract.plain, route));
    }
  }
  const field = remembered(mock.field);
  const { default: main } = parts.sandboxes;
  const ready = createResponseCache(
    () => main.store.read().revision,
    () => parts.delayMs === undefined && !main.faults.isActive,
    (req) => isAdmitted(parts.access, req),
  );
  const app = createApp({
    ...parts,
    contract,
    mock,
    ready,
    isOurs: casting.isOurs,
    doerOf: (route) => doers.get(route),
    complete(route, body) {
      const difference = differences.get(route);
      return difference ? completed(body, difference, field) : { body, made: [] };
    },
  });
  const all = [...differences.values()];
  return {
    contract,
    mocked: contract.routes.filter((route) => !doers.get(route)).map(({ operationId }) => operationId),
    gained: namesOf(all.flatMap(({ gained }) => gained)),
    lost: namesOf(all.flatMap(({ lost }) => lost)),
    clashes: [...new Set(all.flatMap(({ clashes }) => clashes.map(({ schema }) => schema)))],
    answer: answering(app.callback(), ready, { log: parts.log, journal: main.journal }),
  };
}

/** Who does an operation: no handler of the shop where the contract documents no success, since it answers with that. */
function doing(doer: RegisteredHandler | undefined, { successStatus }: Route): RegisteredHandler | undefined {
  return doer?.isOurs && successStatus >= 300 ? undefined : doer;
}

function namesOf(fields: Difference['gained']): readonly string[] {
  return [...new Set(fields.map(({ way, name }) => [...way.filter((step) => step !== '*'), name].join('.')))];
}

/** How many made fields are remembered. */
const FIELDS_REMEMBERED = 100_000;

/** Makes each field once: a catalogue's are asked for again and again. */
function remembered(make: MakeField): MakeField {
  const made = new Map<string, unknown>();
  return (schema, seed) => {
    const key = `${seed} ${schema}`;
    if (!made.has(key)) {
      if (made.size >= FIELDS_REMEMBERED) made.clear();
      made.set(key, make(schema, seed));
    }
    return made.get(key);
  };
}

/** Answers from the bytes that are ready where it can, and through Koa where it can't; both with a line of log. */
function answering(
  app: (req: IncomingMessage, res: ServerResponse) => unknown,
  ready: ResponseCache,
  { log, journal }: { readonly log: Log; readonly journal: Journal },
) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    const answer = ready.give(req, res);
    if (answer) {
      recordCachedResponse(journal, req, answer);
      logRequest(log, req, res, () => ({ operation: answer.operationId }));
    } else app(req, res);
  };
}

/** What has changed from one service to the next, a sentence. */
export function describeChanges(old: Service, now: Service): string {
  const [before, after] = [old, now].map(({ contract }) => contract.routes.map(({ operationId }) => operationId));
  const told = [
    ['new operations', without(after, before).map((id) => (now.mocked.includes(id) ? `${id} (mocked)` : id))],
    ['operations that are gone', without(before, after)],
    ['mocked now', without(now.mocked, [...old.mocked, ...without(after, before)])],
    ['not mocked any more', without(old.mocked, [...now.mocked, ...without(before, after)])],
    ['fields that are made up where the data lacks them', without(now.gained, old.gained)],
    ['fields that are not made up any more', without(old.gained, now.gained)],
    ['fields that are not served any more', without(now.lost, old.lost)],
    ['fields that are served again', without(old.lost, now.lost)],
  ] as const;
  const changes = told.flatMap(([what, names]) => (names.length > 0 ? [`${what}: ${names.join(', ')}`] : []));
  return changes.length > 0 ? changes.join('; ') : 'no operation and no field was added or taken away';
}

function without(names: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  return names.filter((name) => !others.includes(name));
}

/** Throws a `ContractError` where the contract has fields with other types than the shop gives them. */
export async function refuseClashes({ contract, clashes }: Service): Promise<void> {
  if (clashes.length === 0) return;
  const trouble = 'is of another type than the shop gives it';
  throw await createContractError(
    contract.path,
    contract.text,
    clashes.map((pointer) => ({ pointer, trouble })),
  );
}
