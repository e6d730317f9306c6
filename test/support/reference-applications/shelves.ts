import type { Application, ApplicationHandler } from '../../../src/application.ts';
import type { Contract } from '../../../src/openapi/contract.ts';
import type { Entry, State } from '../../../src/store/state.ts';

/**
 * A collection of a test contract. `required`: the names of the required properties of an entry, which are strings. `seeds`: the entries in the default
 * data.
 */
interface Shelf {
  readonly required?: readonly string[];
  readonly seeds?: readonly Entry[];
}

/** Returns an OpenAPI document that has two operations for each collection: one lists the entries, and the other one adds an entry. */
export function createShelvesContract(shelves: Readonly<Record<string, Shelf>>): string {
  const paths = Object.entries(shelves).map(([name, { seeds = [] }]) => {
    const schema = { $ref: `#/components/schemas/${name}` };
    const content = (of: object) => ({ content: { 'application/json': { schema: of } } });
    const list = {
      operationId: `list-${name}`,
      responses: { 200: { description: 'd', ...content({ type: 'array' }) } },
    };
    const add = {
      operationId: `add-${name}`,
      requestBody: content(schema),
      responses: { 201: { description: 'd', ...content(schema) } },
    };
    return [`/${name}`, { get: list, post: add, 'x-seeds': seeds }];
  });
  const schemas = Object.entries(shelves).map(([name, { required = [] }]) => {
    const properties = Object.fromEntries(['id', ...required].map((property) => [property, { type: 'string' }]));
    return [name, { type: 'object', required: ['id', ...required], properties: { ...properties, note: {} } }];
  });
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shelves', version: '1' },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(schemas) },
  });
}

/** Creates an application whose collections and default data depend on the contract. Each path of the contract is a collection. */
export function createShelves(contractFile: string): Application {
  return {
    contractFile,
    defaultData: ({ document }, lists) => {
      const seeds = Object.entries(document.paths ?? {}).map(([path, item]) => [
        path.slice(1),
        Object(item)['x-seeds'],
      ]);
      return { ...Object.fromEntries(seeds), ...lists } as State;
    },
    problems: {},
    snapshots: { none: (state) => Object.fromEntries(Object.keys(state).map((name) => [name, []])) },
    implementContract: (contract) => ({
      getImplementation: ({ method, path }) => createHandlers(path.slice(1))[method],
      stateRules: {
        collections: Object.fromEntries(listNames(contract).map((schema) => [schema, { schema, key: 'id' }])),
        hasVariableCollections: true,
        validateEntry: contract.validateData,
      },
      validatesChanges: false,
      explain: ({ method, path }) => `${method === 'GET' ? 'lists' : 'adds'} ${path.slice(1)}`,
    }),
  };
}

function listNames({ document }: Contract): readonly string[] {
  return Object.keys(document.paths ?? {}).map((path) => path.slice(1));
}

function createHandlers(name: string): Readonly<Record<string, ApplicationHandler>> {
  return {
    GET: { handle: (_, { read }) => ({ body: read()[name] ?? [], generated: ['/0/a b'] }) },
    POST: {
      handle: ({ body }, { update }) =>
        update((state) => ({
          next: { ...state, [name]: [...(state[name] ?? []), body as Entry] },
          result: { body },
        })),
    },
  };
}
