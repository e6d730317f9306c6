import {
  type Application,
  type Context,
  type ContractImplementation,
  DomainError,
  type Operation,
  type StateView,
} from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { getCollection, hasSameList } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { createStateValidator, type StateRules } from '../store/validate-state.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { createModel, createResourceApplication } from './application.ts';
import { SchemaReader } from './document/schema-reader.ts';
import { getRouteKey, type KnownLists, type Resource } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** What the inferred resources of a contract add to an application. */
interface Extension {
  /** The names of the added collections. */
  readonly added: readonly string[];
  /** Returns whether an operation uses entries of the added collections, or of those of the application. */
  readonly isServed: (operation: Operation) => boolean;
  /** Returns the reason for mocking an operation that neither the application nor the added collections serve. */
  readonly explainMocked: (operation: Operation) => string;
}

/**
 * Serves a contract that has more operations than an application implements.
 * The handlers of the application have priority.
 * The other operations use inferred resources, whose collections are added to the state of the application.
 * Resources at its paths with the names of its collections are these collections.
 */
export function extendApplication(base: Application): Application {
  const getModel = memoizeByObject((contract: Contract) =>
    createModel(contract, findKnownLists(base.implementContract(contract), contract)),
  );
  const inferred = createResourceApplication(base.contractFile, getModel);
  const { defaultData: createSeeds } = inferred;
  const getExtension = memoizeByObject((contract: Contract) => {
    const own = base.implementContract(contract);
    const others = contract.routes.filter((route) => !own.getImplementation(route)).map(getRouteKey);
    return others.length === 0 ? NO_EXTENSION : createExtension(own, getModel(contract), others);
  });
  return {
    ...base,
    problems: { ...inferred.problems, ...base.problems },
    completeDefaultData(contract, lists) {
      const { added } = getExtension(contract);
      if (added.length === 0 || typeof createSeeds === 'string') return lists;
      return { ...lists, ...pickLists(createSeeds(contract, lists), added) };
    },
    implementContract(contract) {
      const own = base.implementContract(contract);
      const extension = getExtension(contract);
      return extension === NO_EXTENSION ? own : extend(own, inferred.implementContract(contract), extension);
    },
  };
}

/**
 * Finds the lists of an application.
 * An operation that reads an entry tells a list of the application from a list to which other operations add its
 * entries, such as a wish list.
 */
function findKnownLists(base: ContractImplementation, contract: Contract): KnownLists {
  const reader = new SchemaReader(contract.normalized);
  const forms = contract.routes.map(({ path }) => path.replaceAll(/\{[^}]*\}/g, '{}'));
  const own = contract.routes.filter((route) => base.getImplementation(route) !== undefined);
  const lists = own.filter(
    ({ method, path, pathNames }) => method === 'GET' && pathNames.length === 0 && !forms.includes(`${path}/{}`),
  );
  const routes = lists.flatMap((route) => {
    const list = reader.getResponseSchema(route, route.successStatus);
    const items = list === undefined ? undefined : reader.getItems(list);
    return items === undefined ? [] : [toEntryRoute(route, items)];
  });
  const paths = new Set(own.map(({ path }) => path));
  return { names: Object.keys(base.stateRules.collections), paths, routes };
}

/** Returns the operation that reads an entry of a list. `schema`: the JSON Pointer of the schema of an entry. */
function toEntryRoute(list: Route, schema: string): Route {
  const responses = list.responses
    .filter(({ name }) => name === String(list.successStatus))
    .map((response) => ({ ...response, media: { 'application/json': { schema, examples: [] } } }));
  const path = `${list.path}/{id}`;
  return { ...list, path, pathNames: ['id'], parameters: [], responses };
}

/** The extension of a contract that has only operations of the application. */
const NO_EXTENSION: Extension = { added: [], isServed: () => false, explainMocked: () => '' };

/** `others`: the keys of the operations that the application does not implement. */
function createExtension(base: ContractImplementation, model: ResourceModel, others: readonly string[]): Extension {
  const { plans, mockedPlans, resources, trashes } = model.inference;
  const names = Object.keys(base.stateRules.collections);
  const ofBase = new Set([...plans].flatMap(([key, { resource }]) => (others.includes(key) ? [] : [resource])));
  // The application computes the entries of a resource that it uses but that is none of its collections.
  const isKnown = (resource: Resource) => ofBase.has(resource) === names.includes(resource.name);
  const getResource = (key: string) => {
    const { entry, file } = mockedPlans.get(key) ?? {};
    return (plans.get(key) ?? model.streams.get(key) ?? entry ?? file)?.resource;
  };
  const served = new Set(
    others.filter((key) => {
      const resource = getResource(key);
      return resource === undefined || isKnown(resource);
    }),
  );
  return {
    added: [...resources, ...trashes]
      .filter((resource) => isKnown(resource) && !ofBase.has(resource))
      .map(({ name }) => name),
    isServed: (operation) => served.has(getRouteKey(operation)),
    explainMocked: (operation) =>
      `no built-in handler: the built-in operations of ${getResource(getRouteKey(operation))?.name} store no entries`,
  };
}

/** Joins the implementation of an application with that of the inferred resources. */
function extend(
  base: ContractImplementation,
  inferred: ContractImplementation,
  { added, isServed, explainMocked }: Extension,
): ContractImplementation {
  const choose = (collection: string) => (added.includes(collection) ? inferred : base);
  const guard = createGuard(base.stateRules, inferred);
  return {
    ...inferred,
    getImplementation(operation) {
      if (!isServed(operation)) return base.getImplementation(operation);
      const { handle } = inferred.getImplementation(operation) ?? {};
      return handle && { handle: (input, context) => handle(input, guard(context)) };
    },
    getStoredResponse: (route, input, state) =>
      isServed(route) ? inferred.getStoredResponse?.(route, input, state) : undefined,
    linkEntries: (route, request, body) => (isServed(route) ? inferred.linkEntries?.(route, request, body) : body),
    completeResponse: (route, response, request) =>
      (isServed(route) ? inferred : base).completeResponse?.(route, response, request) ?? response,
    stateRules: extendRules(base.stateRules, inferred.stateRules, added),
    validatesChanges: base.validatesChanges,
    ...(inferred.stateView && { stateView: extendView(inferred.stateView, added) }),
    getEntrySchema: (collection) => choose(collection).getEntrySchema?.(collection),
    showEntry: (collection, entry, at) => choose(collection).showEntry?.(collection, entry, at) ?? entry,
    getEntryForm: (collection) => choose(collection).getEntryForm?.(collection),
    completeNewEntry: (collection, entry, context) =>
      choose(collection).completeNewEntry?.(collection, entry, context) ?? entry,
    explain(route) {
      if (isServed(route)) return inferred.explain?.(route) ?? '';
      return base.getImplementation(route) ? 'built-in handler' : explainMocked(route);
    },
  };
}

/**
 * Returns a function that creates a context for the handlers of inferred resources.
 * Their changes of the application's collections complete new entries with generated values, because the application
 * reads them, and are refused if they break its rules.
 */
function createGuard(rules: StateRules, { showEntry }: ContractImplementation): (context: Context) => Context {
  const names = Object.keys(rules.collections);
  const { validate } = createStateValidator(rules);
  const complete = (name: string, schema: string, entry: Entry, at: { state: State; nowMs: number }): Entry => {
    const isValid = rules.validateEntry(schema, structuredClone(entry)).length === 0;
    return isValid ? entry : ((showEntry?.(name, entry, at) ?? entry) as Entry);
  };
  const checkChange = (state: State, changed: State, nowMs: number): State => {
    const lists = Object.entries(rules.collections).filter(([name]) => !hasSameList(changed, state, name));
    if (lists.length === 0) return changed;
    const next = { ...changed };
    for (const [name, { schema }] of lists) {
      const known = new Set(getCollection(state, name));
      next[name] = getCollection(changed, name).map((entry) =>
        known.has(entry) ? entry : complete(name, schema, entry, { state: changed, nowMs }),
      );
    }
    const [issue] = validate(structuredClone(pickLists(next, names)));
    if (issue) throw new DomainError('conflict', `nothing was changed: ${issue.pointer} ${issue.message}`);
    return next;
  };
  return (context) => ({
    ...context,
    update: (change) =>
      context.update((state, nowMs) => {
        const result = change(state, nowMs);
        return result.next ? { ...result, next: checkChange(state, result.next, nowMs) } : result;
      }),
  });
}

function extendRules(base: StateRules, inferred: StateRules, added: readonly string[]): StateRules {
  return {
    collections: {
      ...base.collections,
      ...Object.fromEntries(Object.entries(inferred.collections).filter(([name]) => added.includes(name))),
    },
    hasVariableCollections: added.length > 0 || base.hasVariableCollections === true,
    internalLists: [...(base.internalLists ?? []), ...(inferred.internalLists ?? [])],
    validateEntry: (schema, value) => (added.includes(schema) ? inferred : base).validateEntry(schema, value),
    *findReferenceIssues(state) {
      const missing = Object.keys(base.collections).filter((name) => !Object.hasOwn(state, name));
      yield* missing.map((name) => ({ pointer: formatPointer(name), message: 'is missing: add an array' }));
      if (missing.length > 0) return;
      yield* base.findReferenceIssues?.(state) ?? [];
      yield* inferred.findReferenceIssues?.(pickLists(state, added)) ?? [];
    },
  };
}

/** Returns a view that shows generated values only in the added collections. */
function extendView(view: StateView, added: readonly string[]): StateView {
  return {
    show: (state) => ({ ...state, ...view.show(pickLists(state, added)) }),
    toStored: (state) => ({ ...state, ...view.toStored(pickLists(state, added)) }),
  };
}

function pickLists(state: State, names: readonly string[]): State {
  return Object.fromEntries(Object.entries(state).filter(([name]) => names.includes(name)));
}
