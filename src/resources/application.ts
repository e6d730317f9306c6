import type { Application, ExampleRequest, Operation } from '../application.ts';
import { createGenerator } from '../mock/generate.ts';
import { createMock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { formatIssues, getNode, isNode } from '../openapi/document.ts';
import { isJsonType } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import { getCollection } from '../store/entry-list.ts';
import type { Entry, State } from '../store/state.ts';
import { type StateRules, type ValidationSteps, validateEntries } from '../store/validate-state.ts';
import { type Issue, UserError } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { toSeed } from '../util/random.ts';
import { fillPath } from '../util/request-target.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { acceptState } from './accepted-state.ts';
import { getRequiredQuery } from './document/document-paths.ts';
import { addArticle } from './document/names.ts';
import { findIdIssues, findNameIssues, findOverrideIssues, findResourceIssues } from './document/override-issues.ts';
import { getKeyValue } from './entries/entry-values.ts';
import { linkEntries } from './entries/link-entries.ts';
import { SEQUENCES } from './entries/sequences.ts';
import { FILES, findStoredFile } from './entries/stored-files.ts';
import { completeNewEntry, createEntryForm } from './entry-form.ts';
import { explainPlan } from './explain/explain-plan.ts';
import { createDownload, createHandler, isFileOfUpload, respondToMocked } from './handlers.ts';
import { problems } from './problems.ts';
import {
  type Action,
  getRouteKey,
  isTopLevel,
  type KnownLists,
  PATH_VALUES,
  type PathKey,
  type Plan,
  type Resource,
} from './resource.ts';
import { ResourceModel } from './resource-model.ts';
import { createSeeds } from './seeds.ts';
import { createStateView } from './state-view.ts';
import { explainStream } from './stream-plans.ts';
import { createStreamHandler } from './streams.ts';
import { completeUserResponse, removeAllPathValues } from './user-responses.ts';
import { requireActiveToken } from './users/ownership.ts';
import { isIssuedToken } from './users/tokens.ts';

/** Creates the rules that validate the state: each entry against its schema, and the ids of entries and parents. */
function createStateRules(model: ResourceModel): StateRules {
  const resources = [...model.inference.resources, ...model.inference.trashes];
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  return {
    collections: Object.fromEntries(resources.map(({ name }) => [name, { schema: name }])),
    hasVariableCollections: true,
    internalLists: [SEQUENCES, FILES],
    validateEntry(name, value) {
      const resource = byName.get(name);
      if (!isNode(value)) return [{ pointer: '', message: 'is not an object' }];
      return resource ? model.validator.findIssues(resource, value) : [];
    },
    *findReferenceIssues(state) {
      for (const resource of resources) yield* findKeyIssues(resource, state);
    },
  };
}

/**
 * Finds entries that no client can request, because their id is missing or not unique, or because the id of a parent is
 * missing.
 */
function findKeyIssues({ name, id, pairedIds = [], kind, mounts }: Resource, state: State): ValidationSteps {
  const firstIndexes = new Map<string, number>();
  const parents = mounts[0]?.parents ?? [];
  // Entries of requests with other credentials have no user.
  const needed = parents.filter(({ isSender }) => !isSender);
  const ids = kind === 'collection' ? [id] : [];
  return validateEntries(name, getCollection(state, name), (entry: Entry, index): readonly Issue[] => {
    const missing = [...ids, ...needed].find((part) => (getKeyValue(entry, part) ?? '') === '');
    if (missing) return [createIssue(missing, `is missing: add the id of the ${missing === id ? 'entry' : 'parent'}`)];
    const key = JSON.stringify([...parents, ...pairedIds, ...ids].map((part) => getKeyValue(entry, part)));
    const first = firstIndexes.get(key);
    if (first !== undefined)
      return [createIssue(id, `is the same as in ${formatPointer(name, first)}: use another value`)];
    firstIndexes.set(key, index);
    return [];
  });
}

/** Creates a validation error about the id of an entry, or about the id of its parent. */
function createIssue({ property, name }: PathKey, message: string): Issue {
  return { pointer: formatPointer(...(property === undefined ? [PATH_VALUES, name] : property.split('.'))), message };
}

/**
 * The maximum number of attempts to generate a valid request body.
 * The second half of the attempts omits optional properties.
 */
const MAX_ATTEMPTS = 10;

/**
 * Creates up to three example requests for one resource: list its entries, create an entry, and read an entry.
 * Omits a request if no valid example is found.
 */
function createExamples(model: ResourceModel, state: State): readonly ExampleRequest[] {
  const simple = [...model.inference.plans.values()].filter(
    ({ mount, route }) => isTopLevel(mount) && getRequiredQuery(route).length === 0,
  );
  const resource = chooseResource(simple);
  const find = (action: Action) => simple.find((plan) => plan.resource === resource && plan.action === action);
  const [list, create, read] = [find('list'), find('create'), find('read')];
  return [
    ...(list ? [{ title: `List ${list.resource.name}`, method: list.route.method, path: list.route.path }] : []),
    ...(create ? createCreation(model, create) : []),
    ...(read ? createReading(read, state) : []),
  ];
}

/** Returns the resource with the most operations that list, create or read entries. */
function chooseResource(plans: readonly Plan[]): Resource | undefined {
  const counts = new Map<Resource, number>();
  for (const { action, resource } of plans)
    if (EXAMPLE_ACTIONS.includes(action)) counts.set(resource, (counts.get(resource) ?? 0) + 1);
  const highest = Math.max(...counts.values());
  return [...counts].find(([, count]) => count === highest)?.[0];
}

/** The actions of the example requests. */
const EXAMPLE_ACTIONS: readonly Action[] = ['list', 'create', 'read'];

function createCreation(model: ResourceModel, { route, resource }: Plan): readonly ExampleRequest[] {
  const body = findBody(model, route);
  const { method, path } = route;
  return body === undefined ? [] : [{ title: `Create ${addArticle(resource.singular)}`, method, path, body }];
}

/**
 * Creates an example request that reads the first entry, such as `GET /pets/1`.
 * Returns an empty array if there is no entry, or if the path has several parameters.
 */
function createReading({ route, resource, mount }: Plan, state: State): readonly ExampleRequest[] {
  const [entry] = getCollection(state, resource.name);
  const id = entry && getKeyValue(entry, mount.id);
  const { method, pathNames } = route;
  if (id === undefined || pathNames.length !== 1) return [];
  const path = fillPath(route, { [mount.id.parameter]: id });
  return [{ title: `Get ${addArticle(resource.singular)}`, method, path }];
}

/**
 * Returns a valid JSON request body for an operation: an example from the document, or else a generated body.
 * Returns undefined if no valid body is found.
 */
function findBody({ contract }: ResourceModel, route: Route): unknown {
  const [type, media] = Object.entries(route.bodyMedia).find(([name]) => isJsonType(name)) ?? [];
  if (type === undefined || !media) return undefined;
  const isValid = (body: unknown) => {
    const request = { path: route.path, query: {}, headers: {}, body, contentType: type };
    return contract.validateRequest(route, request).kind === 'call';
  };
  const example = media.examples.find(({ value }) => isValid(value));
  if (example) return example.value;
  const { schema } = media;
  if (schema === undefined) return undefined;
  const generate = createGenerator(contract.normalized, 'readOnly');
  const node = getNode(contract.normalized, schema);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const seed = toSeed(`${route.operationId} ${attempt}`);
    const omitsOptional = attempt >= MAX_ATTEMPTS / 2;
    const body = tryOrUndefined(() => generate(node, { seed, query: {}, usesExamples: true, omitsOptional }));
    if (body !== undefined && isValid(body)) return body;
  }
  return undefined;
}

/**
 * Creates the `ResourceModel` of a contract.
 * Throws `UserError` if an `x-storefront` extension in the document is invalid.
 */
export function createModel(contract: Contract, known?: KnownLists): ResourceModel {
  const throwIfIssues = (issues: readonly Issue[]) => {
    if (issues.length > 0) throw new UserError(formatIssues(contract.locate, issues));
  };
  throwIfIssues(findOverrideIssues(contract.normalized, contract.routes));
  const model = new ResourceModel(contract, createMock(contract), known);
  const { inference, reader } = model;
  throwIfIssues(findResourceIssues(contract.normalized, contract.routes, inference.plans.values()));
  throwIfIssues(findNameIssues(reader, contract.routes, [...inference.plans.values()]));
  throwIfIssues(findIdIssues(contract.normalized, inference.plans.values(), (schema) => reader.isObject(schema)));
  return model;
}

/** Returns an entry of a state as responses show it. */
function showEntry(
  { derived, responses }: ResourceModel,
  resource: Resource,
  entry: Entry,
  { state, nowMs }: { readonly state: State; readonly nowMs: number },
): unknown {
  const [shown = entry] = derived.add(state, resource, [entry], { getNow: () => nowMs });
  return responses.completeEntry(resource, resource.schema, shown).value;
}

/**
 * Creates an application that serves any OpenAPI document.
 * It infers resources such as `/pets` from the document, and stores their entries.
 * `contractFile`: the path of the OpenAPI document.
 * `getModel`: returns the resources of a contract, always the same object for the same contract.
 */
export function createResourceApplication(
  contractFile: string,
  getModel: (contract: Contract) => ResourceModel = memoizeByObject((contract: Contract) => createModel(contract)),
): Application {
  return {
    contractFile,
    defaultData: (contract, lists) => createSeeds(getModel(contract), lists),
    problems,
    snapshots: {},
    getExamples: (state, contract) => createExamples(getModel(contract), state),
    implementContract(contract) {
      const model = getModel(contract);
      const { plans, mockedPlans, reasons, resources, trashes } = model.inference;
      const findResource = (collection: string) => [...resources, ...trashes].find(({ name }) => name === collection);
      const getPlan = (operation: Operation) => plans.get(getRouteKey(operation));
      return {
        getImplementation(operation) {
          const plan = getPlan(operation);
          if (plan) return { handle: createHandler(model, plan) };
          const stream = model.streams.get(getRouteKey(operation));
          if (stream) return { handle: createStreamHandler(model, stream) };
          const download = mockedPlans.get(getRouteKey(operation));
          return download && isFileOfUpload(model, download) ? { handle: createDownload(model, download) } : undefined;
        },
        getStoredResponse(route, input, state) {
          const plan = mockedPlans.get(getRouteKey(route));
          return plan && respondToMocked(model, plan, input, state);
        },
        linkEntries: (route, request, body) => linkEntries(model, route, request, body),
        stateRules: createStateRules(model),
        getEntrySchema(collection) {
          const resource = findResource(collection);
          return resource && { schema: resource.schema, key: getKey(resource) };
        },
        showEntry(collection, entry, at) {
          const resource = findResource(collection);
          return resource && resource.schema !== '' ? showEntry(model, resource, entry, at) : entry;
        },
        getEntryForm(collection) {
          const resource = findResource(collection);
          return resource && createEntryForm(model, resource);
        },
        completeNewEntry(collection, entry, context) {
          const resource = findResource(collection);
          return resource ? completeNewEntry(model, resource, { entry, ...context }) : entry;
        },
        checkToken(route, input, state, nowMs) {
          if (getPlan(route)?.action !== 'logIn') requireActiveToken(model, route, input, { state, nowMs });
        },
        logins: [...plans.values()].flatMap(({ login, route }) => (login?.credentials && login.token ? [route] : [])),
        isIssuedToken: (text) => model.inference.hasLogin && isIssuedToken(text),
        acceptState: (next, before) => acceptState(model, next, before),
        validatesChanges: false,
        completeResponse: (route, response, request) => completeUserResponse(model, route, response, request),
        getUploadedFile: findStoredFile,
        showItem: (item) => removeAllPathValues(item),
        stateView: createStateView(model),
        explain(route) {
          const [plan, stream] = [getPlan(route), model.streams.get(getRouteKey(route))];
          if (stream) return explainStream(stream);
          return plan ? explainPlan(model, plan) : (reasons.get(getRouteKey(route)) ?? 'no resource');
        },
      };
    },
  };
}

/**
 * Returns the name of the property that identifies an entry of a collection, such as `id`.
 * Returns undefined for a singleton such as `/settings`, which has no ids.
 */
function getKey({ kind, id }: Resource): string | undefined {
  return kind === 'singleton' ? undefined : (id.property ?? `${PATH_VALUES}.${id.name}`);
}
