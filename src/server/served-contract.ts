import type { Application, HandlerResponse, Implementation, Input } from '../application.ts';
import { compareContracts, completeBody, type Difference, type GenerateField } from '../mock/compare-contracts.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { ContractError, formatIssues } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { State } from '../store/state.ts';
import { createStateValidator, type StateRules, type StateValidator } from '../store/validate-state.ts';
import type { DataValidator } from '../util/issue.ts';
import { loadControlContract } from './control.ts';
import { createStoreGuard } from './guarded-store.ts';
import {
  chooseImplementation,
  type MockedOperations,
  refuseUnknownOperations,
  type UserHandlers,
} from './handler-registry.ts';

/** Creates the setup of a contract with the handlers of a user. Throws a `ContractError` or a `UserError` if the contract contradicts the handlers. */
export type ContractSetupFactory = ReturnType<typeof createContractSetupFactory>;

/** A contract with its mock, its state validator, and the implementations of its operations. */
export type ContractSetup = Awaited<ReturnType<ContractSetupFactory>>;

/** Creates the function that creates contract setups for an application. `mock`: the operations to mock. */
export function createContractSetupFactory(application: Application, mock: MockedOperations) {
  // Contracts with the same schemas share a validator. So a reload does not validate the state again.
  const getValidator = cacheValidators();
  return async (contract: Contract, handlers: UserHandlers) => {
    refuseUnknownOperations(contract, mock, handlers);
    const implementation = application.implementContract(contract);
    const { collections } = implementation.stateRules;
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
      controlContract: await loadControlContract(collections),
      mock: contractMock,
      guardStore: createStoreGuard(validator, implementation.validatesChanges),
      /** The ids of the mocked operations. */
      mocked: contract.routes.filter((route) => !getImplementation(route)).map(({ operationId }) => operationId),
      /** The differences between the operations and those of the contract for which the application's handlers are written. */
      differences: [...differences.values()],
      isClosed: (route: Route) => implementation.getImplementation(route)?.writtenFor !== undefined,
      getImplementation,
      getStoredResponse: (route: Route, input: Input, state: State) =>
        chosen.get(route)?.isUnimplemented ? implementation.getStoredResponse?.(route, input, state) : undefined,
      /** Whether the application explains what it does for an operation. */
      isExplained: implementation.explain !== undefined && mock !== true,
      explain: (route: Route) => chosen.get(route)?.explain() ?? '',
      completeUserResponse: (route: Route, response: HandlerResponse) =>
        implementation.completeResponse?.(route, response) ?? response,
      complete(route: Route, body: unknown) {
        const difference = differences.get(route);
        return difference ? completeBody(body, difference, generateField) : { body, generated: [] };
      },
    };
  };
}

/** Returns a function that creates validators, or returns the validator with the same rules. */
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

/** Compares the operations of a contract with those of the contract for which the application's handlers are written. Returns the differing operations. */
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

/** The maximum number of cached fields. */
const MAX_CACHED_FIELDS = 100_000;

/** Returns a function that caches generated fields. Clients often request the same entries again. */
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

/** Throws a `ContractError` if a field has one type in the contract and another type in the application's responses. */
export function refuseTypeConflicts({ contract, differences }: ContractSetup): void {
  const conflicts = differences.flatMap(({ conflictingFields }) => conflictingFields);
  const schemas = new Set(conflicts.map(({ schema }) => schema));
  if (schemas.size === 0) return;
  const message =
    'has another type than in the responses of the application: use the type of the application, or mock the operation';
  const issues = [...schemas].map((pointer) => ({ pointer, message }));
  throw new ContractError(formatIssues(contract.locate, issues));
}

/** Returns a sentence about the operations and fields that a reload changes. */
export function describeChanges(old: ContractSetup, now: ContractSetup): string {
  const [before, after] = [old, now].map(({ contract }) => contract.routes.map(({ operationId }) => operationId));
  const [oldFields, newFields] = [getFieldNames(old), getFieldNames(now)];
  const [oldLists, newLists] = [old, now].map(({ collections }) => Object.keys(collections));
  const groups = [
    ['new operations', without(after, before).map((id) => (now.mocked.includes(id) ? `${id} (mocked)` : id))],
    ['removed operations', without(before, after)],
    ['now mocked', without(now.mocked, [...old.mocked, ...without(after, before)])],
    ['no longer mocked', without(old.mocked, [...now.mocked, ...without(before, after)])],
    ['new collections', without(newLists, oldLists)],
    ['removed collections', without(oldLists, newLists)],
    ['fields now generated, because the data lacks them', without(newFields.added, oldFields.added)],
    ['fields no longer generated', without(oldFields.added, newFields.added)],
    ['fields now left out', without(newFields.removed, oldFields.removed)],
    ['fields no longer left out', without(oldFields.removed, newFields.removed)],
  ] as const;
  const changes = groups.flatMap(([label, names]) => (names.length > 0 ? [`${label}: ${names.join(', ')}`] : []));
  return changes.length > 0 ? changes.join('; ') : 'no operation or field was added or removed';
}

/** Returns the names of the fields that were added to the contract or removed from it since the application's handlers were written. */
function getFieldNames({ differences }: ContractSetup) {
  const toNames = (fields: Difference['addedFields']) => [
    ...new Set(fields.map(({ path, name }) => [...path.filter((step) => step !== '*'), name].join('.'))),
  ];
  return {
    added: toNames(differences.flatMap(({ addedFields }) => addedFields)),
    removed: toNames(differences.flatMap(({ removedFields }) => removedFields)),
  };
}

function without(names: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  return names.filter((name) => !others.includes(name));
}
