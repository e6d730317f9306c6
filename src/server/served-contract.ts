import type {
  Application,
  ContractImplementation,
  EntrySchema,
  Implementation,
  StateView,
  UserHandlers,
} from '../application.ts';
import { DELIVERIES } from '../deliveries/delivery.ts';
import { Webhooks } from '../deliveries/webhooks.ts';
import type { ServedContract } from '../http/served.ts';
import { compareContracts, completeBody, type Difference, type GenerateField } from '../mock/compare-contracts.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { createBodyDefaults } from '../openapi/default-values.ts';
import { formatIssues, getNode, isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { ServerOptions } from '../options.ts';
import type { ChangeResult } from '../store/backend.ts';
import type { State } from '../store/state.ts';
import type { Store } from '../store/store.ts';
import {
  type Collection,
  createStateValidator,
  findNewIssues,
  type StateRules,
  type StateValidator,
} from '../store/validate-state.ts';
import { type DataValidator, type Issue, UserError } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { findJsonIssues, MAX_JSON_DEPTH } from '../util/limits.ts';
import { HttpProblemError } from '../util/problem.ts';
import { runAtOnce } from '../util/slices.ts';
import { limitList } from '../util/text.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { loadControlContract } from './control.ts';
import { chooseImplementation, refuseUnknownOperations } from './handler-registry.ts';

/** Rejects with a `UserError` if the handlers of the user do not fit the contract. */
export type ServedContractFactory = (contract: Contract, handlers: UserHandlers) => Promise<ServedContract>;

/**
 * Returns a function that creates the `ServedContract` of a contract for an application.
 * `mock`: the operations to mock.
 * `handlers`: the handlers of the user, or the path of their module, for error messages.
 */
export function createServedContractFactory(
  application: Application,
  { mock = false, handlers: source }: Pick<ServerOptions, 'mock' | 'handlers'>,
): ServedContractFactory {
  const file = typeof source === 'string' ? source : undefined;
  // Contracts with the same schemas share a validator.
  // If a reload does not change the schemas, the state needs no new validation.
  const getValidator = cacheValidators();
  return async (contract, handlers) => {
    refuseUnknownOperations(contract, { mock, handlers, file });
    const implementation = application.implementContract(contract);
    const { collections } = implementation.stateRules;
    const internalLists = [...(implementation.stateRules.internalLists ?? []), DELIVERIES];
    const validator = getValidator({ ...implementation.stateRules, internalLists });
    const chosen = new Map(
      contract.routes.map((route) => [route, chooseImplementation(route, { implementation, mock, handlers })]),
    );
    const implementations = new Map(
      [...chosen].flatMap(([route, { implementation: own }]) => (own ? [[route, own]] : [])),
    );
    const differences = findDifferences(contract, implementations);
    const contractMock = createMock(contract);
    const getSchema = (collection: string) =>
      implementation.getEntrySchema?.(collection) ?? getComponentSchema(contract, collections[collection]);
    const webhooks = createWebhooks(contract, Object.keys(collections), getSchema);
    const generateField = cacheFields(contractMock.generateField);
    const isWritten = (route: Route) => implementation.getImplementation(route)?.writtenFor !== undefined;
    return {
      contract,
      implementation,
      handlers,
      validator,
      collections,
      internalLists,
      controlContract: await loadControlContract(collections),
      mock: contractMock,
      guardStore: createStoreGuard(validator, implementation),
      unimplemented: new Set(contract.routes.filter((route) => chosen.get(route)?.isUnimplemented)),
      mocked: contract.routes.filter((route) => !implementations.has(route)).map(({ operationId }) => operationId),
      differences,
      closedRoutes: new Set(contract.routes.filter(isWritten)),
      implementations,
      webhooks,
      getEntrySchema: getSchema,
      isExplained: implementation.explain !== undefined && mock !== true,
      explain: (route) => chosen.get(route)?.explain() ?? '',
      getBodyDefaults: createBodyDefaults(contract),
      complete(route, body) {
        const difference = differences.get(route);
        return difference ? completeBody(body, difference, generateField) : { body, generated: [] };
      },
    };
  };
}

/** Finds what sends the webhooks of a contract. Throws a `UserError` if their `x-storefront` extensions are invalid. */
function createWebhooks(
  contract: Contract,
  collections: readonly string[],
  getSchema: ServedContract['getEntrySchema'],
): Webhooks {
  const webhooks = new Webhooks(
    contract,
    collections.map((name) => ({ name, schema: getSchema(name).schema })),
  );
  if (webhooks.issues.length > 0) throw new UserError(formatIssues(contract.locate, webhooks.issues));
  return webhooks;
}

/**
 * Returns the key of a collection, and the JSON Pointer of the component schema of its entries.
 * The JSON Pointer is empty if the contract does not have the component schema.
 */
function getComponentSchema({ normalized }: Contract, collection: Collection | undefined): EntrySchema {
  const pointer = formatPointer('components', 'schemas', collection?.schema ?? '');
  return { schema: getNode(normalized, pointer) === undefined ? '' : pointer, key: collection?.key };
}

/**
 * Creates a function that returns the validator for `rules`.
 * The function creates a new validator only if the schemas or the collections have changed.
 */
function cacheValidators(): (rules: StateRules) => StateValidator {
  const cache = new WeakMap<DataValidator, { rules: StateRules; validator: StateValidator }>();
  return (rules) => {
    const cached = cache.get(rules.validateEntry);
    if (cached?.rules.collections === rules.collections) return cached.validator;
    const validator = createStateValidator(rules);
    cache.set(rules.validateEntry, { rules, validator });
    return validator;
  };
}

/**
 * Compares each operation of a contract with the operation for which its built-in handler is written.
 * Returns only the operations that differ, each with its differences.
 */
function findDifferences(contract: Contract, implementations: ReadonlyMap<Route, Implementation>) {
  const differences = new Map<Route, Difference>();
  for (const route of contract.routes) {
    const writtenFor = implementations.get(route)?.writtenFor;
    if (!writtenFor) continue;
    const difference = compareContracts(writtenFor.document, writtenFor.route, contract.normalized, route);
    if (Object.values(difference).some((fields) => fields.length > 0)) differences.set(route, difference);
  }
  return differences;
}

/** The maximum number of generated fields in the cache. */
const MAX_CACHED_FIELDS = 100_000;

/** Wraps `generate` with a cache, because clients often request the same entries again. */
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

/**
 * Throws a `UserError` if a field has one type in the contract and a different type in the responses of the
 * application.
 */
export function refuseTypeConflicts({ contract, differences }: ServedContract): void {
  const conflicts = [...differences.values()].flatMap(({ conflictingFields }) => conflictingFields);
  const schemas = new Set(conflicts.map(({ schema }) => schema));
  if (schemas.size === 0) return;
  const message = 'has a different type in the responses of the application: use that type, or mock the operation';
  const issues = [...schemas].map((pointer) => ({ pointer, message }));
  throw new UserError(formatIssues(contract.locate, issues));
}

/**
 * Creates a function that wraps the store of a handler, so that the handler can't make the state invalid.
 * `userOperationId`: the operationId if a user has written the handler, or undefined for a built-in handler.
 */
function createStoreGuard(
  validator: StateValidator,
  { stateView = PLAIN_VIEW, acceptState = acceptUnchanged }: ContractImplementation,
): ServedContract['guardStore'] {
  return (store, userOperationId) =>
    userOperationId === undefined
      ? guardForApplication(store, validator)
      : guardForUser(store, userOperationId, { validator, stateView, acceptState });
}

const PLAIN_VIEW: StateView = { show: (state) => state, toStored: (state) => state };

type AcceptState = NonNullable<ContractImplementation['acceptState']>;

// biome-ignore lint/correctness/useYield: it has no steps.
function* acceptUnchanged(state: State): ReturnType<AcceptState> {
  return { state, issues: [] };
}

function guardForApplication(store: Store, validator: StateValidator): Store {
  return {
    ...store,
    update: (change) =>
      store.update((state, nowMs) => {
        const result = change(state, nowMs);
        const { next } = result;
        const issues = next ? findNewIssues(findIssues(next, validator), { state, next, validator }) : [];
        if (issues.length === 0) return result;
        const detail = `nothing was changed because the new state would violate the contract: ${describeIssues(issues)}`;
        throw new HttpProblemError({ code: 'internal-error', detail });
      }),
  };
}

/**
 * Returns a store for a handler of a user.
 * The handler gets a frozen view of the state.
 * Its changes are stored like those of the control API, for example with hashes instead of passwords.
 * `update` rejects with an error that names the operation if the change returns an invalid value or an invalid state.
 */
function guardForUser(store: Store, operationId: string, { validator, stateView, acceptState }: UserGuard): Store {
  const show = (state: State) => deepFreeze(stateView.show(deepFreeze(state)));
  const refuse = (issue: string) => {
    const detail = `nothing was changed: in the handler of ${operationId}, the function passed to update() ${issue}`;
    throw new HttpProblemError({ code: 'internal-error', detail });
  };
  return {
    ...store,
    read: () => {
      const snapshot = store.read();
      return { ...snapshot, state: show(snapshot.state) };
    },
    update: (change) =>
      store.update((state, nowMs) => {
        const returned = change(show(state), nowMs);
        const result = isNode(returned?.next) ? { ...returned, next: stateView.toStored(returned.next) } : returned;
        const issue = findChangeIssue(result, state, validator);
        if (issue !== undefined) refuse(issue);
        if (!result.next) return result;
        const accepted = runAtOnce(acceptState(result.next, state));
        if (accepted.issues.length > 0) refuse(`returned an invalid state: ${describeIssues(accepted.issues)}`);
        return { ...result, next: accepted.state };
      }),
  };
}

/** What the store of a user's handler needs to check and to convert states. */
interface UserGuard {
  readonly validator: StateValidator;
  readonly stateView: StateView;
  readonly acceptState: AcceptState;
}

/**
 * Returns what is wrong with the result of a change, as the end of a sentence: `returned an invalid state: …`.
 * Returns undefined if the result is valid.
 */
function findChangeIssue(result: ChangeResult<unknown>, state: State, validator: StateValidator): string | undefined {
  if (typeof result !== 'object' || result === null) return 'did not return an object: return { next, result }';
  if ('then' in result) {
    // An unhandled rejection would stop the process.
    Promise.resolve(result).catch(() => {});
    return 'returned a promise: do asynchronous work before the call of update(), and return { next, result } synchronously';
  }
  const { next } = result;
  if (next === undefined) return undefined;
  if (findJsonIssues(next).some(({ rule }) => rule === 'depth'))
    return `returned a state with a cycle, or with more than ${MAX_JSON_DEPTH} levels`;
  // The data file contains JSON, so the validator gets the state as JSON would store it.
  // It gets undefined if the state can't be converted to JSON, for example because of a BigInt.
  const found = validator.validate(tryOrUndefined(() => JSON.parse(JSON.stringify(next))));
  const issues = findNewIssues(found, { state, next, validator });
  if (issues.length > 0) return `returned an invalid state: ${describeIssues(issues)}`;
  // A missing list is empty, but is probably a mistake.
  const missing = Object.keys(state).filter((name) => !Object.hasOwn(next, name) && state[name]?.length !== 0);
  if (missing.length === 0) return undefined;
  const names = limitList(missing, MAX_SHOWN_ISSUES, String).join(', ');
  return `returned a state without ${names}: start with { ...state }, and set a list to [] to remove all of its entries`;
}

/** The objects that `deepFreeze` has frozen. */
const frozen = new WeakSet<object>();

/**
 * Freezes an object and all objects in it.
 * Skips objects that are already frozen by this function, because a new state shares most objects with the previous
 * state.
 */
function deepFreeze<Value extends object>(value: Value): Value {
  if (frozen.has(value)) return value;
  frozen.add(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

/**
 * Validates the current state with a new contract.
 * Throws a `UserError` if the state violates the contract.
 * If the contract defines the collections, which is not the case for the shop, returns a warning instead.
 * Returns undefined if there are no issues.
 */
export function refuseInvalidState({ path }: Contract, state: State, validator: StateValidator): string | undefined {
  const issues = findIssues(state, validator);
  if (validator.hasVariableCollections) return describeUnfitEntries(issues);
  if (issues.length > 0) throw new UserError(`${path} does not accept the current data: ${describeIssues(issues)}`);
}

/**
 * Returns the issues of a state.
 * Validates a copy of the state, because the validator adds default values to its argument.
 */
function findIssues(state: State, validator: StateValidator): readonly Issue[] {
  return validator.validate(structuredClone(state));
}

/**
 * Returns a warning about entries that violate a new contract.
 * The server keeps these entries.
 * Returns undefined if there are no such entries.
 */
function describeUnfitEntries(issues: readonly Issue[]): string | undefined {
  const firstIssues = new Map(
    issues.flatMap((issue) => (issue.pointer === '' ? [] : [[getEntryPointer(issue), issue]])),
  );
  if (firstIssues.size === 0) return undefined;
  const count = firstIssues.size === 1 ? '1 entry violates' : `${firstIssues.size} entries violate`;
  return `${count} the new contract: ${describeIssues([...firstIssues.values()])}. The server keeps these entries. Correct them before the next start of the server, or restore the default data`;
}

/**
 * Returns the JSON Pointer of the entry that an issue is about, for example `/pets/3` for an issue at `/pets/3/name`.
 */
function getEntryPointer({ pointer }: Issue): string {
  return formatPointer(...parsePointer(pointer).slice(0, 2));
}

/** The maximum number of issues in an error message. */
const MAX_SHOWN_ISSUES = 3;

/** Describes the first three issues of a state, and says how many more there are. */
export function describeIssues(issues: readonly Issue[]): string {
  const format = ({ pointer, message }: Issue) => `${pointer || 'the state'} ${message}`;
  return limitList(issues, MAX_SHOWN_ISSUES, format).join('; ');
}
