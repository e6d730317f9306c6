import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Contract } from './contract/contract.ts';
import type { Route } from './contract/routes.ts';
import { shopContract } from './contract/shop.ts';
import { type AppParts, createApp } from './http/app.ts';
import { recordReady } from './http/journaling.ts';
import { type Log, logRequest } from './http/log.ts';
import { type ReadyAnswers, readyAnswers } from './http/ready-answers.ts';
import { completed, type Difference, differenceOf, type MakeField } from './mock/gained.ts';
import { createMock } from './mock/mock.ts';
import type { Casting, Doer } from './operations/casting.ts';
import type { Journal } from './sandboxes/journal.ts';
import { originForm } from './target.ts';

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
  readonly casting: Casting;
}

/** The service under a contract. */
export function serviceUnder(contract: Contract, { casting, ...parts }: ServiceParts): Service {
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
  const ready = readyAnswers(
    () => main.store.read().revision,
    () => parts.delayMs === undefined && !main.faults.isActive,
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
function doing(doer: Doer | undefined, { successStatus }: Route): Doer | undefined {
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
  ready: ReadyAnswers,
  { log, journal }: { readonly log: Log; readonly journal: Journal },
) {
  return (req: IncomingMessage, res: ServerResponse): void => {
    req.url = originForm(req.url ?? '/');
    const answer = ready.give(req, res);
    if (answer) {
      recordReady(journal, req, answer);
      logRequest(log, req, res, () => ({ operation: answer.operationId }));
    } else app(req, res);
  };
}

/** What has changed from one service to the next, a sentence. */
export function changesBetween(old: Service, now: Service): string {
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
