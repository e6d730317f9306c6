import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Implementation } from '../application.ts';
import { isAdmitted } from '../http/access-policy.ts';
import { type AppParts, createApp } from '../http/app.ts';
import { recordCachedResponse } from '../http/pipeline/record.ts';
import { type Log, logRequest } from '../http/request-log.ts';
import { createResponseCache, NO_RESPONSE_CACHE, type ResponseCache } from '../http/response-cache.ts';
import { compareContracts, completeBody, type Difference, type GenerateField } from '../mock/compare-contracts.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { createContractError } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Journal } from '../sandbox/journal/journal.ts';
import type { Binding } from './binding.ts';
import type { HandlerRegistry } from './handler-registry.ts';

/** Handles requests under one contract. With another contract there is another service; requests that this one has begun end here. */
export interface Service {
  readonly contract: Contract;
  /** The ids of the mocked operations. */
  readonly mocked: readonly string[];
  /** The fields that the contract has added and removed since the application's handlers were written, each once. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  /** JSON Pointers of fields whose type in the contract differs from the one that the application's handlers give them. */
  readonly clashes: readonly string[];
  answer(req: IncomingMessage, res: ServerResponse): void;
}

/** What a service is made of beside a binding. */
export interface ServiceParts
  extends Omit<AppParts, 'contract' | 'mock' | 'complete' | 'getImplementation' | 'isImplemented' | 'guard' | 'ready'> {
  /** Whether responses are stored as bytes and sent again until the state changes. */
  readonly responseCache: boolean;
}

/** Creates the service of a binding. */
export function createService(
  { contract, registry, guard }: Binding,
  { responseCache, ...parts }: ServiceParts,
): Service {
  const mock = createMock(contract);
  const implementations = new Map(contract.routes.map((route) => [route, getServed(registry, route)]));
  const differences = findDifferences(contract, implementations);
  const field = remembered(mock.generateField);
  const { default: main } = parts.sandboxes;
  const ready = responseCache
    ? createResponseCache({
        revision: () => main.store.read().revision,
        isOpen: () => parts.delayMs === undefined && !main.faults.isActive,
        isAdmitted: (req) => isAdmitted(parts.access, req),
      })
    : NO_RESPONSE_CACHE;
  const app = createApp({
    ...parts,
    contract,
    mock,
    ready,
    guard,
    isImplemented: registry.isImplemented,
    getImplementation: (route) => implementations.get(route),
    complete(route, body) {
      const difference = differences.get(route);
      return difference ? completeBody(body, difference, field) : { body, generated: [] };
    },
  });
  const all = [...differences.values()];
  return {
    contract,
    mocked: contract.routes.filter((route) => !implementations.get(route)).map(({ operationId }) => operationId),
    gained: namesOf(all.flatMap(({ addedFields: gained }) => gained)),
    lost: namesOf(all.flatMap(({ removedFields: lost }) => lost)),
    clashes: [...new Set(all.flatMap(({ conflictingFields: clashes }) => clashes.map(({ schema }) => schema)))],
    answer: answering(app.callback(), ready, { log: parts.log, journal: main.journal }),
  };
}

/** Returns the implementation that serves an operation: none of the application if the contract documents no success, since its response has that status. */
function getServed(registry: HandlerRegistry, route: Route): Implementation | undefined {
  const implementation = registry.getImplementation(route);
  return implementation?.source === 'application' && route.successStatus >= 300 ? undefined : implementation;
}

/** Compares the operations of a contract with those that the application's handlers are written for. */
function findDifferences(contract: Contract, implementations: ReadonlyMap<Route, Implementation | undefined>) {
  const differences = new Map<Route, Difference>();
  for (const [route, implementation] of implementations) {
    const writtenFor = implementation?.writtenFor;
    if (writtenFor)
      differences.set(route, compareContracts(writtenFor.document, writtenFor.route, contract.normalized, route));
  }
  return differences;
}

function namesOf(fields: Difference['addedFields']): readonly string[] {
  return [...new Set(fields.map(({ way, name }) => [...way.filter((step) => step !== '*'), name].join('.')))];
}

/** How many made fields are remembered. */
const FIELDS_REMEMBERED = 100_000;

/** Makes each field once: a catalogue's are asked for again and again. */
function remembered(make: GenerateField): GenerateField {
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

/** Throws a `ContractError` where the contract has fields with other types than the application gives them. */
export async function refuseClashes({ contract, clashes }: Service): Promise<void> {
  if (clashes.length === 0) return;
  const trouble = 'is of another type than the application gives it';
  throw await createContractError(
    contract.path,
    contract.text,
    clashes.map((pointer) => ({ pointer, trouble })),
  );
}
