import type { RequestListener } from 'node:http';
import type { Implementation } from '../application.ts';
import { isAdmitted } from '../http/access-policy.ts';
import { createApp } from '../http/app.ts';
import type { AppParts } from '../http/parts.ts';
import { recordCachedResponse } from '../http/pipeline/record.ts';
import { type Log, logRequest } from '../http/request-log.ts';
import { createResponseCache, NO_RESPONSE_CACHE, type ResponseCache } from '../http/response-cache.ts';
import { compareContracts, completeBody, type Difference, type GenerateField } from '../mock/compare-contracts.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { ContractError, formatIssues } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Journal } from '../sandbox/journal/journal.ts';
import type { Binding } from './binding.ts';
import type { HandlerRegistry } from './handler-registry.ts';

/** Handles requests under one contract. With another contract there is another service; requests that this one has begun end here. */
export type Service = ReturnType<typeof createService>;

/** What a service needs besides a binding. */
export interface ServiceParts
  extends Omit<AppParts, 'contract' | 'mock' | 'complete' | 'getImplementation' | 'isImplemented' | 'guard' | 'ready'> {
  /** Whether responses are stored as bytes and sent again until the state changes. */
  readonly responseCache: boolean;
}

/** Creates the service of a binding. Throws a `ContractError` if fields have other types in the contract than in the application's responses. */
export function createService({ contract, registry, guard }: Binding, { responseCache, ...parts }: ServiceParts) {
  const mock = createMock(contract);
  const implementations = new Map(contract.routes.map((route) => [route, getServed(registry, route)]));
  const differences = findDifferences(contract, implementations);
  const all = [...differences.values()];
  refuseTypeConflicts(contract, all);
  const generateField = cacheFields(mock.generateField);
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
      return difference ? completeBody(body, difference, generateField) : { body, generated: [] };
    },
  });
  return {
    contract,
    /** The ids of the mocked operations. */
    mocked: contract.routes.filter((route) => !implementations.get(route)).map(({ operationId }) => operationId),
    /** The fields that the contract has added since the application's handlers were written, each once. */
    generatedFields: formatFieldNames(all.flatMap(({ addedFields }) => addedFields)),
    /** The fields that it has removed. */
    omittedFields: formatFieldNames(all.flatMap(({ removedFields }) => removedFields)),
    answer: createRequestListener(app.callback(), ready, { log: parts.log, journal: main.journal }),
  };
}

/** Returns the implementation that serves an operation: none of the application if the contract documents no success, since its response has that status. */
function getServed(registry: HandlerRegistry, route: Route): Implementation | undefined {
  const implementation = registry.getImplementation(route);
  return implementation?.source === 'application' && route.successStatus >= 300 ? undefined : implementation;
}

/** Returns the operations of a contract that differ from those that the application's handlers are written for. */
function findDifferences(contract: Contract, implementations: ReadonlyMap<Route, Implementation | undefined>) {
  const differences = new Map<Route, Difference>();
  for (const [route, implementation] of implementations) {
    const writtenFor = implementation?.writtenFor;
    if (!writtenFor) continue;
    const difference = compareContracts(writtenFor.document, writtenFor.route, contract.normalized, route);
    if (Object.values(difference).some((fields) => fields.length > 0)) differences.set(route, difference);
  }
  return differences;
}

function formatFieldNames(fields: Difference['addedFields']): readonly string[] {
  return [...new Set(fields.map(({ path, name }) => [...path.filter((step) => step !== '*'), name].join('.')))];
}

/** The maximum number of cached fields. */
const MAX_CACHED_FIELDS = 100_000;

/** Generates each field once: the fields of a list are requested again and again. */
function cacheFields(generate: GenerateField): GenerateField {
  const fields = new Map<string, unknown>();
  return (schema, seed) => {
    const key = `${seed} ${schema}`;
    if (!fields.has(key)) {
      if (fields.size >= MAX_CACHED_FIELDS) fields.clear();
      fields.set(key, generate(schema, seed));
    }
    return fields.get(key);
  };
}

/** Returns the listener of requests: it sends cached responses itself, and hands other requests to Koa. Both are logged. */
function createRequestListener(
  app: RequestListener,
  ready: ResponseCache,
  { log, journal }: { readonly log: Log; readonly journal: Journal },
): RequestListener {
  return (req, res) => {
    const cached = ready.give(req, res);
    if (cached) {
      recordCachedResponse(journal, req, cached);
      logRequest(log, req, res, () => ({ operation: cached.operationId }));
    } else app(req, res);
  };
}

/** Describes what changed from one service to the next, in one sentence. */
export function describeChanges(old: Service, now: Service): string {
  const [before, after] = [old, now].map(({ contract }) => contract.routes.map(({ operationId }) => operationId));
  const groups = [
    ['new operations', without(after, before).map((id) => (now.mocked.includes(id) ? `${id} (mocked)` : id))],
    ['removed operations', without(before, after)],
    ['now mocked', without(now.mocked, [...old.mocked, ...without(after, before)])],
    ['no longer mocked', without(old.mocked, [...now.mocked, ...without(before, after)])],
    ['fields now generated, because the data lacks them', without(now.generatedFields, old.generatedFields)],
    ['fields no longer generated', without(old.generatedFields, now.generatedFields)],
    ['fields now left out', without(now.omittedFields, old.omittedFields)],
    ['fields no longer left out', without(old.omittedFields, now.omittedFields)],
  ] as const;
  const changes = groups.flatMap(([label, names]) => (names.length > 0 ? [`${label}: ${names.join(', ')}`] : []));
  return changes.length > 0 ? changes.join('; ') : 'no operation or field was added or removed';
}

function without(names: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  return names.filter((name) => !others.includes(name));
}

function refuseTypeConflicts({ path, text }: Contract, differences: readonly Difference[]): void {
  const schemas = new Set(
    differences.flatMap(({ conflictingFields }) => conflictingFields.map(({ schema }) => schema)),
  );
  if (schemas.size === 0) return;
  const message =
    'has a different type than in the responses of the application: use the same type, or mock the operation';
  const issues = [...schemas].map((pointer) => ({ pointer, message }));
  throw new ContractError(formatIssues(path, text, issues));
}
