import type { Application, ApplicationHandler, HandlerResponse } from '../application.ts';
import { DomainError } from '../application.ts';
import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import type { Entry, State } from '../store/state.ts';
import type { Collection } from '../store/validate-state.ts';

/** Placeholder of the application whose resources are inferred: the collections at paths such as `/pets` and `/pets/{petId}`, whose entries have an `id`. */
export function createResourceApplication(contractFile: string): Application {
  return {
    contractFile,
    defaultData: (contract) => Object.fromEntries(Object.keys(findCollections(contract)).map((name) => [name, []])),
    problems: { 'unknown-entry': { status: 404, title: 'Not found', explanation: 'No entry has the id.' } },
    snapshots: {},
    implementContract(contract) {
      const collections = findCollections(contract);
      return {
        getImplementation: (operation) => createHandler(collections, operation),
        stateRules: { collections, hasVariableCollections: true, validateEntry: contract.validateData },
        validatesChanges: false,
        explain: (route) => {
          const name = getName(route.path);
          return createHandler(collections, route) ? `entries of ${name}` : 'no operation of a resource';
        },
      };
    },
  };
}

type Collections = Readonly<Record<string, Collection>>;

const getName = (path: string) => /^\/(\w+)(\/\{\w+\})?$/.exec(path)?.[1];

function findCollections({ routes }: Contract): Collections {
  const names = routes.flatMap(({ path }) => (path.endsWith('}') ? (getName(path) ?? []) : []));
  return Object.fromEntries(names.map((name) => [name, { schema: toSchemaName(name), key: 'id' }]));
}

function toSchemaName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replace(/s$/, '');
}

function createHandler(collections: Collections, { method, path }: Pick<Route, 'method' | 'path'>) {
  const name = getName(path) ?? '';
  if (!Object.hasOwn(collections, name)) return undefined;
  return path.endsWith('}') ? itemHandlers(name)[method] : collectionHandlers(name)[method];
}

function collectionHandlers(name: string): Readonly<Record<string, ApplicationHandler>> {
  return {
    GET: { handle: (_, { read }) => ({ body: read()[name] ?? [] }) },
    POST: {
      handle: ({ body }, context) =>
        context.update((state) => {
          const entry = { id: context.newId(), ...(body as Entry) };
          return { next: { ...state, [name]: [...(state[name] ?? []), entry] }, result: { body: entry } };
        }),
    },
  };
}

function itemHandlers(name: string): Readonly<Record<string, ApplicationHandler>> {
  const find = (state: State, id: string | undefined): Entry => {
    const entry = state[name]?.find((each) => String(each.id) === id);
    if (!entry) throw new DomainError('unknown-entry', `${name} has no entry with the id ${id}`);
    return entry;
  };
  return {
    GET: { handle: ({ path }, { read }) => ({ body: find(read(), Object.values(path)[0]) }) },
    DELETE: {
      handle: ({ path }, { update }): Promise<HandlerResponse> =>
        update((state) => {
          const entry = find(state, Object.values(path)[0]);
          return { next: { ...state, [name]: state[name]?.filter((each) => each !== entry) ?? [] }, result: {} };
        }),
    },
  };
}
