import { type Document, isObject, type Node, type Operation } from './document.ts';
import { flatten } from './sample.ts';

/** A collection path, where entities are listed or created, with its item path. */
export interface Resource {
  readonly collectionPath: string;
  readonly itemPath: string;
  /** The name of the last path parameter. */
  readonly idName: string;
  readonly list?: Operation;
  readonly create?: Operation;
  readonly read?: Operation;
  readonly replace?: Operation;
  readonly update?: Operation;
  readonly remove?: Operation;
}

/** How deep in a response its list can be: `{data: {results: []}}`. */
const LIST_DEPTH = 3;

/** A path that ends with a parameter; `.json` may follow. */
const ITEM_PATH = /^(.*)\/\{([^{}/]+)\}(\.[a-z]+)?\/?$/;

/** Finds the resources of a document by its paths only: a path that ends with a parameter, whose prefix is a path too. */
export function findResources(document: Document): readonly Resource[] {
  const { operations } = document;
  const paths = [...new Set(operations.map(({ path }) => path))];
  const find = (path: string, method: string) => operations.find((one) => one.path === path && one.method === method);
  return paths.flatMap((itemPath) => {
    const [, prefix, idName, extension = ''] = ITEM_PATH.exec(itemPath) ?? [];
    const collectionPath = paths.find((path) => [`${prefix}${extension}`, prefix, `${prefix}/`].includes(path));
    if (!collectionPath || idName === undefined || isChoice(document, operations, itemPath, idName)) return [];
    const get = find(collectionPath, 'GET');
    const replace = find(itemPath, 'PUT');
    const update = find(itemPath, 'PATCH') ?? (replace ? undefined : find(itemPath, 'POST'));
    const parts = {
      list: get && returnsList(document, get, collectionPath.endsWith('}') ? 1 : LIST_DEPTH) ? get : undefined,
      create: find(collectionPath, 'POST'),
      read: find(itemPath, 'GET'),
      replace,
      update,
      remove: find(itemPath, 'DELETE'),
    };
    const isCollection = parts.list ?? parts.create ?? createsByPut(replace);
    if (!isCollection) return [];
    const present = Object.fromEntries(Object.entries(parts).filter(([, operation]) => operation !== undefined));
    return [{ collectionPath, itemPath, idName, ...present }];
  });
}

/** Returns a PUT that documents status 201. */
export function createsByPut(replace: Operation | undefined): Operation | undefined {
  return (replace?.node.responses as Node | undefined)?.['201'] === undefined ? undefined : replace;
}

/** Returns whether a path parameter has a fixed list of values, such as a format: it is no id. */
function isChoice(document: Document, operations: readonly Operation[], path: string, name: string): boolean {
  const parameters = operations.filter((one) => one.path === path).flatMap((one) => one.parameters);
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
  return document.resolve(parameter?.schema).enum !== undefined;
}

/** Returns whether a success response is a list, bare or wrapped, or has no schema. */
function returnsList(document: Document, { node }: Operation, depth: number): boolean {
  const responses = Object.entries((node.responses ?? {}) as Node).filter(([status]) => /^2|default/.test(status));
  const contents = responses.flatMap(([, one]) => Object.values((document.resolve(one).content ?? {}) as Node));
  const schemas = contents.map((media) => (media as Node).schema).filter((schema) => schema !== undefined);
  return schemas.length === 0 || schemas.some((schema) => hasList(document, schema, depth));
}

function hasList(document: Document, schema: unknown, depth: number): boolean {
  const { type, items, properties, additionalProperties } = flatten(schema, document);
  if (type === 'array' || items !== undefined || isObject(additionalProperties)) return true;
  return depth > 0 && Object.values((properties ?? {}) as Node).some((one) => hasList(document, one, depth - 1));
}

/** Returns the collection and item operations of a resource. */
export function resourceOperations(resource: Resource): readonly Operation[] {
  const { list, create, read, replace, update, remove } = resource;
  return [list, create, read, replace, update, remove].filter((operation) => operation !== undefined);
}
