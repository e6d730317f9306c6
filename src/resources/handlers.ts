import { type Context, DomainError, type Handle, type HandlerResponse, type Input } from '../application.ts';
import { isNode, omitKeys } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { getEntries, removeEntries, setEntries, toPattern } from './change-entries.ts';
import { findIndex, getKeyValue, hasParents, hasSameId } from './entries.ts';
import { filterEntries, takePage } from './list-query.ts';
import { applyMergePatch } from './merge-patch.ts';
import { type Action, PATH_VALUES, type Plan } from './resource.ts';
import { createHeaders } from './response-headers.ts';
import { getInner, setInner } from './responses.ts';
import type { Served } from './served.ts';
import { sortEntries } from './sort-entries.ts';

/** Handles an operation by its plan. */
type PlanHandler = (
  served: Served,
  plan: Plan,
  input: Input,
  context: Context,
) => HandlerResponse | Promise<HandlerResponse>;

const HANDLERS: Readonly<Record<Action, PlanHandler>> = {
  list,
  create,
  read,
  replace,
  replaceById,
  update,
  delete: remove,
  clear,
};

/** Creates the handler of an operation. */
export function createHandler(served: Served, plan: Plan): Handle {
  return (input, context) => {
    const { query, body } = input;
    const stored: Input = {
      path: served.toStoredPath(plan, input.path),
      query,
      body,
      // Few handlers read the headers, and reading them copies them.
      get headers() {
        return input.headers;
      },
    };
    return HANDLERS[plan.action](served, plan, stored, context);
  };
}

function list(served: Served, plan: Plan, input: Input, context: Context): HandlerResponse {
  const { path, query: sent } = input;
  const { resource, mount } = plan;
  const state = context.read();
  requireParents(served, state, plan, path);
  const own = getEntries(state, resource).filter((entry) => hasParents(entry, mount, path));
  const parameters = served.getListParameters(plan);
  // Without a prototype, no filter has an inherited value: its name can be `constructor`.
  const query: Input['query'] = Object.assign(Object.create(null), parameters.defaults, sent);
  const complete = (entry: Entry) => served.responses.completeListed(plan, entry);
  const found = filterEntries(own, parameters, query, complete);
  const entries = sortEntries(found, parameters, query, complete);
  const page = takePage(entries, parameters, query, (entry) => getKeyValue(entry, resource.id));
  const headers = createHeaders(served, plan, { status: plan.route.successStatus, input, page });
  return addHeaders(served.responses.createListResponse(plan, page), headers);
}

async function create(served: Served, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const body = getBody(plan, input);
  const entry = await context.update((state, nowMs) => {
    requireParents(served, state, plan, input.path);
    return addEntry(served, plan, { state, nowMs, body, path: input.path, newId: context.newId });
  });
  return respond(served, plan, input, { status: getStatus(plan, 201), entry });
}

function read(served: Served, plan: Plan, input: Input, context: Context): HandlerResponse {
  const { path } = input;
  const state = context.read();
  requireParents(served, state, plan, path);
  const entry = findEntry(plan, state, path) ?? served.getInitialSingleton(plan.resource, plan.mount, path);
  if (!entry) throw createNotFound(plan, path);
  return respond(served, plan, input, { status: plan.route.successStatus, entry });
}

async function replace(served: Served, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { path } = input;
  const body = getBody(plan, input);
  const changed = await context.update((state, nowMs) => {
    requireParents(served, state, plan, path);
    const current = findEntry(plan, state, path);
    if (!current) {
      if (!canCreateAtPath(plan) || !served.isValidId(plan.resource, path)) throw createNotFound(plan, path);
      const { next, result } = addEntry(served, plan, { state, nowMs, body, path, newId: context.newId });
      return { next, result: { entry: result, status: getStatus(plan, 201) } };
    }
    const entry = served.replaceEntry(plan, current, body, nowMs);
    return { next: setEntry(plan, state, current, entry), result: { entry, status: getOtherStatus(plan, 201) } };
  });
  return respond(served, plan, input, changed);
}

/** Replaces or updates the entry whose id is in the body. */
async function replaceById(served: Served, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { id } = plan.resource;
  const value = getKeyValue(getBody(plan, input), id);
  if (value === undefined)
    throw new DomainError('id-missing', `the body has no ${id.property}: add the id of the entry`);
  const path = { ...input.path, [id.parameter]: String(value) };
  const byPath: Input = { path, query: input.query, headers: input.headers, body: input.body };
  return plan.route.method === 'PATCH' ? update(served, plan, byPath, context) : replace(served, plan, byPath, context);
}

async function update(served: Served, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { path } = input;
  const patch = { ...served.getQueryChanges(plan, input.query), ...getBody(plan, input) };
  const entry = await context.update((state, nowMs) => {
    requireParents(served, state, plan, path);
    const stored = findEntry(plan, state, path);
    const current = stored ?? served.getInitialSingleton(plan.resource, plan.mount, path);
    if (!current) throw createNotFound(plan, path);
    const result = served.updateEntry(plan, current, (old) => applyMergePatch(old, patch) as Entry, patch, nowMs);
    return { next: setEntry(plan, state, stored, result), result };
  });
  return respond(served, plan, input, { status: plan.route.successStatus, entry });
}

async function remove(served: Served, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { path } = input;
  const removed = await context.update((state) => {
    requireParents(served, state, plan, path);
    const entry = findEntry(plan, state, path);
    if (!entry) throw createNotFound(plan, path);
    const next = removeEntries(served.inference, state, plan.resource, (other) => other === entry);
    return { next, result: entry };
  });
  return respond(served, plan, input, { status: getStatus(plan, 204), entry: removed });
}

async function clear(served: Served, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { path } = input;
  const { resource, mount } = plan;
  await context.update((state) => {
    requireParents(served, state, plan, path);
    const next = removeEntries(served.inference, state, resource, (entry) => hasParents(entry, mount, path));
    return { next, result: undefined };
  });
  return respond(served, plan, input, { status: getStatus(plan, 204), entry: undefined });
}

/** Returns the response with an entry and the documented headers. `entry`: undefined for a response without one. */
function respond(
  served: Served,
  plan: Plan,
  input: Input,
  { status, entry }: { readonly status: number; readonly entry: Entry | undefined },
): HandlerResponse {
  const headers = createHeaders(served, plan, { status, input, entry });
  return addHeaders(served.responses.createEntryResponse(plan, status, entry), headers);
}

function addHeaders(response: HandlerResponse, headers: Readonly<Record<string, string>>): HandlerResponse {
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** The input for adding an entry. */
interface NewEntry {
  readonly state: State;
  readonly nowMs: number;
  readonly body: Entry;
  readonly path: Input['path'];
  readonly newId: () => string;
}

function addEntry(served: Served, plan: Plan, { state, nowMs, body, path, newId }: NewEntry) {
  const { resource } = plan;
  const entries = getEntries(state, resource);
  const result = served.createEntry(plan, { entries, body, path, nowMs, newId });
  if (resource.kind === 'collection' && entries.some((other) => hasSameId(resource, other, result)))
    throw new DomainError(
      'entry-exists',
      `a ${resource.singular} with the ${resource.id.property ?? resource.id.parameter} ${getKeyValue(result, resource.id)} exists: use another one`,
    );
  return { next: setEntries(state, resource, [...entries, result]), result };
}

function findEntry({ resource, mount }: Plan, state: State, path: Input['path']): Entry | undefined {
  const entries = getEntries(state, resource);
  return entries[findIndex(entries, resource, mount, path)];
}

/** Returns a state with an entry replaced, or added if there was none. */
function setEntry({ resource }: Plan, state: State, current: Entry | undefined, entry: Entry): State {
  const entries = getEntries(state, resource);
  const index = current === undefined ? -1 : entries.indexOf(current);
  return setEntries(state, resource, index === -1 ? [...entries, entry] : entries.with(index, entry));
}

/** Throws a `DomainError` if a parent in the path does not exist. Parents that are no resources always exist. */
function requireParents({ inference }: Served, state: State, { mount }: Plan, path: Input['path']): void {
  for (const [index, parent] of mount.parents.entries()) {
    for (const resource of inference.resources) {
      const own = resource.mounts.find(({ item }) => item !== undefined && toPattern(item) === toPattern(parent.path));
      if (!own || resource.kind === 'singleton') continue;
      const values = mount.parents.slice(0, index + 1).map(({ parameter }) => path[parameter] ?? '');
      const names = [...own.parents.map(({ parameter }) => parameter), own.id.parameter];
      const parentPath = Object.fromEntries(names.map((name, position) => [name, values[position] ?? '']));
      const entries = getEntries(state, resource);
      const isEmpty = () => !entries.some((entry) => hasParents(entry, own, parentPath));
      // Nothing creates such a parent, so any value stands for one.
      if (findIndex(entries, resource, own, parentPath) !== -1 || (!resource.canCreate && isEmpty())) continue;
      throw new DomainError(
        'entry-not-found',
        `no ${resource.singular} has the ${own.id.property ?? own.id.parameter} ${path[parent.parameter]}`,
      );
    }
  }
}

function createNotFound({ resource }: Plan, path: Input['path']): DomainError {
  const { singular, kind, id } = resource;
  const detail =
    kind === 'singleton'
      ? `there is no ${singular}: create it first`
      : `no ${singular} has the ${id.property ?? id.parameter} ${path[id.parameter]}`;
  return new DomainError('entry-not-found', detail);
}

/** Returns the properties of an entry in a request body. */
function getBody({ requestPath, entryPath }: Plan, { body }: Input): Entry {
  const inner = getInner(body, requestPath);
  return isNode(inner) ? setInner({}, entryPath, omitKeys(inner, [PATH_VALUES])) : {};
}

/** Returns whether PUT creates an entry that does not exist: the contract documents the status 201, there is no body, or no POST creates entries. */
function canCreateAtPath({ route, resource }: Plan): boolean {
  const hasNoBody = Object.keys(route.bodyMedia).length === 0;
  const isDocumented = route.responses.some(({ name }) => name === '201');
  return resource.kind === 'singleton' || hasNoBody || isDocumented || !resource.canPost;
}

/** Returns a status if the contract documents it, else the success status of the operation. */
function getStatus({ route }: Plan, status: number): number {
  return route.responses.some(({ name }) => name === String(status)) ? status : route.successStatus;
}

/** Returns the first success status that is not `status`, else the success status of the operation. */
function getOtherStatus({ route }: Plan, status: number): number {
  const others = route.responses.map(({ name }) => Number(name)).filter((name) => name >= 200 && name < 300);
  return others.find((name) => name !== status) ?? route.successStatus;
}
