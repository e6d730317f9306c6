import { type Document, isObject, list, type Node, type Operation } from './document.ts';
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

/** The maximum depth of the list in a response: `{data: {results: []}}`. */
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
    if (isIdentical(paths, itemPath) || isListByParameter(document, itemPath, collectionPath)) return [];
    const get = find(collectionPath, 'GET');
    const post = find(collectionPath, 'POST');
    const replace = find(itemPath, 'PUT');
    const update = find(itemPath, 'PATCH') ?? (replace ? undefined : find(itemPath, 'POST'));
    const parts = {
      list: get && returnsList(document, get, collectionPath.endsWith('}') ? 1 : LIST_DEPTH) ? get : undefined,
      create: post && describesEntity(document, post) && !isAction(document, post, itemPath) ? post : undefined,
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

/** Returns whether an earlier path differs only in the names of its parameters. OpenAPI forbids such paths, because a server can't tell them apart. */
function isIdentical(paths: readonly string[], itemPath: string): boolean {
  const toForm = (path: string) => path.replace(/\{[^{}]+\}/g, '{}');
  return paths.findIndex((path) => toForm(path) === toForm(itemPath)) !== paths.indexOf(itemPath);
}

/**
 * Returns whether the parameter at the end of a path is none of an entity: the response is a list of the entities at deeper paths, or it has a list with the name of
 * the collection, and nothing else lists or changes it.
 */
function isListByParameter(document: Document, itemPath: string, collectionPath: string): boolean {
  const schemasOf = (path: string) => {
    const get = document.operations.find((one) => one.method === 'GET' && one.path === path);
    const schema = get && getSuccessSchema(document, get);
    return schema === undefined
      ? []
      : [['', schema] as const, ...Object.entries(flatten(schema, document).properties ?? {})];
  };
  const lists = schemasOf(itemPath).flatMap(([name, schema]) => {
    const { items } = document.resolve(schema);
    return items === undefined ? [] : [{ name, items: document.resolve(items) }];
  });
  const others = document.operations.filter(
    ({ path, method }) => (path === itemPath && method !== 'GET') || (path === collectionPath && method === 'GET'),
  );
  const name = collectionPath.slice(collectionPath.lastIndexOf('/') + 1);
  if (others.length === 0 && lists.some((one) => one.name === name)) return true;
  const deeper = document.operations.filter(
    ({ path }) => path.startsWith(`${itemPath}/{`) && ITEM_PATH.exec(path)?.[1] === itemPath,
  );
  const entities = deeper.flatMap(({ path }) => schemasOf(path)).map(([, schema]) => document.resolve(schema));
  return lists.some(({ items }) => entities.includes(items));
}

/** Returns whether a POST sends or returns something: without any, it is an action. */
function describesEntity(document: Document, { node }: Operation): boolean {
  if (node.requestBody !== undefined) return true;
  const responses = Object.entries((node.responses ?? {}) as Node).filter(([status]) => /^2|default/.test(status));
  return responses.some(([, one]) => Object.keys((document.resolve(one).content ?? {}) as Node).length > 0);
}

/**
 * Returns whether a POST is an action: its response is the parent, such as the issue to which an assignee was added, or it shows nothing of an entity, and the request
 * has nothing of one either if there is no response.
 */
function isAction(document: Document, post: Operation, itemPath: string): boolean {
  const get = (path: string) => document.operations.find((one) => one.method === 'GET' && one.path === path);
  const getSchema = (operation: Operation | undefined) => operation && getSuccessSchema(document, operation);
  const shown = getSchema(post);
  const names = getInnerNames(document, shown);
  const known = [itemPath, post.path].flatMap((path) => getInnerNames(document, getSchema(get(path))));
  // The parts of a thing can be things, so the response must be the parent only if nothing else shows an entity.
  if (known.length === 0)
    return names.length > 0 && document.resolve(shown) === document.resolve(getSchema(get(getParentPath(post.path))));
  if (names.length > 0) return !names.some((name) => known.includes(name) || /id$/i.test(name));
  const sent = getInnerNames(document, getFirstSchema(document.resolve(post.node.requestBody)), 0);
  return sent.filter((name) => known.includes(name)).length < sent.length / 2;
}

function getParentPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Returns the schema of the first success response. */
export function getSuccessSchema(document: Document, { node }: Operation): unknown {
  const success = Object.entries((node.responses ?? {}) as Node).find(([status]) => status.startsWith('2'));
  return getFirstSchema(document.resolve(success?.[1]));
}

function getFirstSchema({ content = {} }: Node): unknown {
  return Object.values(content as Readonly<Record<string, Node>>)[0]?.schema;
}

/** Returns the names of the properties of a schema, and of the objects and entries of lists in it. */
function getInnerNames(document: Document, schema: unknown, depth = 1): readonly string[] {
  if (schema === undefined) return [];
  const { properties = {}, items } = flatten(schema, document);
  const inner = Object.entries(properties as Node).flatMap(([name, one]) => [
    name,
    ...(depth > 0 ? getInnerNames(document, one, depth - 1) : []),
  ]);
  return [...inner, ...getInnerNames(document, items, depth)];
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
  if (type === 'array' || items !== undefined || isMap(document, additionalProperties)) return true;
  return depth > 0 && Object.values((properties ?? {}) as Node).some((one) => hasList(document, one, depth - 1));
}

/** Returns whether additional properties are entities: objects, or anything. */
function isMap(document: Document, additionalProperties: unknown): boolean {
  if (!isObject(additionalProperties)) return false;
  const { type = 'object' } = flatten(additionalProperties, document);
  return list(type).includes('object') || type === 'object';
}

/** Returns the collection and item operations of a resource. */
export function resourceOperations(resource: Resource): readonly Operation[] {
  const { list, create, read, replace, update, remove } = resource;
  return [list, create, read, replace, update, remove].filter((operation) => operation !== undefined);
}
