import type { Application, EntrySchema, HandlerResponse, Implementation, Input } from '../application.ts';
import { compareContracts, completeBody, type Difference, type GenerateField } from '../mock/compare-contracts.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { createBodyDefaults } from '../openapi/default-values.ts';
import { ContractError, formatIssues, getNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { State } from '../store/state.ts';
import {
  type Collection,
  createStateValidator,
  type StateRules,
  type StateValidator,
} from '../store/validate-state.ts';
import type { DataValidator } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { loadControlContract } from './control.ts';
import { createStoreGuard } from './guarded-store.ts';
import { chooseImplementation, refuseUnknownOperations, type UserHandlers } from './handler-registry.ts';
import type { ServerOptions } from './options.ts';

/**
 * Creates the `ContractSetup` of a contract: the contract with its handlers, mock and state validator. Rejects with a `ContractError` or a `UserError` if the
 * handlers of the user do not fit the contract.
 */
export type ContractSetupFactory = ReturnType<typeof createContractSetupFactory>;

/** A contract, its mock, its state validator, and the implementations of its operations. */
export type ContractSetup = Awaited<ReturnType<ContractSetupFactory>>;

/**
 * Returns a function that creates the `ContractSetup` of a contract for an application. `mock`: the operations to mock. `handlers`: the handlers of the
 * user, or the path of their module, for error messages.
 */
export function createContractSetupFactory(
  application: Application,
  { mock = false, handlers: source }: Pick<ServerOptions, 'mock' | 'handlers'>,
) {
  const file = typeof source === 'string' ? source : undefined;
  // Contracts with the same schemas share a validator. If a reload does not change the schemas, the state needs no new validation.
  const getValidator = cacheValidators();
  return async (contract: Contract, handlers: UserHandlers) => {
    refuseUnknownOperations(contract, { mock, handlers, file });
    const implementation = application.implementContract(contract);
    const { collections, internalLists = [] } = implementation.stateRules;
    const validator = getValidator(implementation.stateRules);
    const chosen = new Map(
      contract.routes.map((route) => [route, chooseImplementation(route, { implementation, mock, handlers })]),
    );
    const getImplementation = (route: Route) => chosen.get(route)?.implementation;
    const differences = findDifferences(contract, getImplementation);
    const contractMock = createMock(contract);
    const generateField = cacheFields(contractMock.generateField);
    return {
      contract,
      handlers,
      validator,
      collections,
      internalLists,
      controlContract: await loadControlContract(collections),
      mock: contractMock,
      guardStore: createStoreGuard(validator, implementation),
      /** The operationIds of the mocked operations. */
      mocked: contract.routes.filter((route) => !getImplementation(route)).map(({ operationId }) => operationId),
      /** For each operation that differs: the differences from the contract for which the built-in handlers are written. */
      differences: [...differences.values()],
      isClosed: (route: Route) => implementation.getImplementation(route)?.writtenFor !== undefined,
      getImplementation,
      getEntrySchema: (collection: string): EntrySchema =>
        implementation.getEntrySchema?.(collection) ?? getComponentSchema(contract, collections[collection]),
      getStoredResponse: (route: Route, input: Input, state: State) =>
        chosen.get(route)?.isUnimplemented ? implementation.getStoredResponse?.(route, input, state) : undefined,
      /** Whether the application can explain for each operation what its handler does, or why the operation is mocked. */
      isExplained: implementation.explain !== undefined && mock !== true,
      explain: (route: Route) => chosen.get(route)?.explain() ?? '',
      getBodyDefaults: createBodyDefaults(contract),
      completeUserResponse: (route: Route, response: HandlerResponse) =>
        implementation.completeResponse?.(route, response) ?? response,
      complete(route: Route, body: unknown) {
        const difference = differences.get(route);
        return difference ? completeBody(body, difference, generateField) : { body, generated: [] };
      },
    };
  };
}

/**
 * Returns the key of a collection, and the JSON Pointer of the component schema of its entries. The JSON Pointer is empty if the contract does not have the
 * component schema.
 */
function getComponentSchema({ normalized }: Contract, collection: Collection | undefined): EntrySchema {
  const pointer = formatPointer('components', 'schemas', collection?.schema ?? '');
  return { schema: getNode(normalized, pointer) === undefined ? '' : pointer, key: collection?.key };
}

/** Creates a function that returns the validator for `rules`. The function creates a new validator only if the schemas or the collections have changed. */
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
 * Compares each operation of a contract with the operation for which its built-in handler is written. Returns only the operations that differ, each with its
 * differences.
 */
function findDifferences(contract: Contract, getImplementation: (route: Route) => Implementation | undefined) {
  const differences = new Map<Route, Difference>();
  for (const route of contract.routes) {
    const writtenFor = getImplementation(route)?.writtenFor;
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

/** Throws a `ContractError` if a field has one type in the contract and a different type in the responses of the application. */
export function refuseTypeConflicts({ contract, differences }: ContractSetup): void {
  const conflicts = differences.flatMap(({ conflictingFields }) => conflictingFields);
  const schemas = new Set(conflicts.map(({ schema }) => schema));
  if (schemas.size === 0) return;
  const message = 'has a different type in the responses of the application: use that type, or mock the operation';
  const issues = [...schemas].map((pointer) => ({ pointer, message }));
  throw new ContractError(formatIssues(contract.locate, issues));
}
