import type { Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { type Document, getNode, getTarget, isNode, type Node, omitKeys, parseReference, toNode } from './document.ts';
import { COMPOSING_KEYWORDS, findLargeSchemas } from './normalize-schemas.ts';
import { isVersion32, listOperations, mapOperations } from './path-items.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * Returns the errors that prevent a document from being served.
 * If there are invalid references, returns only these.
 * Otherwise returns the invalid paths and operations, and the schemas that are too large.
 * `strict`: whether an operation without responses is an error.
 */
export function checkStructure(document: Document, strict: boolean): readonly Issue[] {
  const issues = checkReferences(document);
  return issues.length > 0 ? issues : [...checkPaths(document, strict), ...checkSchemas(document)];
}

/** Returns the operations whose `responses` are empty, or missing although OpenAPI 3.0 requires them. */
export function findSilentOperations(document: Document): readonly Issue[] {
  return Object.entries(toNode(document.paths)).flatMap(([path, item]) =>
    listOperations(document, toNode(item)).flatMap(({ pointer, node }) =>
      isSilent(document, toNode(node)) ? [{ pointer: formatPointer('paths', path) + pointer, message: SILENT }] : [],
    ),
  );
}

/** The fields of an operation (OpenAPI 3.1.1, Operation Object). */
const FIELDS = [
  ...['tags', 'summary', 'description', 'externalDocs', 'operationId', 'parameters', 'requestBody', 'responses'],
  ...['callbacks', 'deprecated', 'security', 'servers'],
];

function isUnknownField(name: string): boolean {
  return !FIELDS.includes(name) && !name.startsWith('x-');
}

const SILENT = 'documents no response: add at least one status below responses';

function isSilent({ openapi }: Document, { responses }: Node): boolean {
  if (responses === undefined) return String(openapi).startsWith('3.0');
  return responses === null || (isNode(responses) && Object.keys(responses).length === 0);
}

function checkSchemas(document: Document): readonly Issue[] {
  const composed: string[] = [];
  mapNodes(document, (node, pointer) => {
    if (COMPOSING_KEYWORDS.some((keyword) => keyword in node)) composed.push(pointer);
    return node;
  });
  return findLargeSchemas(document, composed);
}

/** Returns the references to values that do not exist, and the references that lead back to themselves. */
export function checkReferences(document: Document): readonly Issue[] {
  const issues: Issue[] = [];
  mapNodes(document, (node, pointer) => {
    const message = '$ref' in node ? checkReference(document, pointer, node.$ref) : undefined;
    if (message !== undefined) issues.push({ pointer: `${pointer}/$ref`, message });
    return node;
  });
  return issues;
}

/** The maximum number of references that are followed to find a value. */
const MAX_STEPS = 100;

/**
 * Returns a message about an invalid reference; undefined if the reference is valid.
 * `pointer`: the pointer of the object with the `$ref`.
 */
function checkReference(document: Document, pointer: string, reference: unknown): string | undefined {
  if (typeof reference !== 'string') return 'is not a reference: enter a string';
  const target = JSON.stringify(reference);
  const node = getNode(document, parseReference(reference));
  if (node === undefined) return `refers to ${target}, which does not exist`;
  if (!isNode(node) && typeof node !== 'boolean') return `refers to ${target}, which is not an object`;
  const visited = new Set([pointer]);
  let next = parseReference(reference);
  for (;;) {
    if (visited.has(next)) return `refers to ${target}, which refers back to itself`;
    if (visited.size > MAX_STEPS)
      return `refers to ${target}, which leads through more than ${MAX_STEPS} references: refer to the value directly`;
    visited.add(next);
    const node = getNode(document, next);
    if (!isNode(node) || typeof node.$ref !== 'string') return undefined;
    next = parseReference(node.$ref);
  }
}

function checkPaths(document: Document, strict: boolean): readonly Issue[] {
  const { paths = {} } = document;
  if (!isNode(paths)) return [{ pointer: '/paths', message: 'is not an object: use paths such as /pets as its keys' }];
  return Object.entries(paths).flatMap(([path, item]) => {
    const pointer = formatPointer('paths', path);
    if (item === null || path.startsWith('x-')) return [];
    if (!path.startsWith('/')) return [{ pointer, message: 'is not a path: it must start with a slash' }];
    if (!isNode(item)) return [{ pointer, message: 'is not an object: use methods such as get as its keys' }];
    return listOperations(document, item).flatMap((operation) =>
      checkOperation(document, pointer + operation.pointer, operation.node, strict),
    );
  });
}

function checkOperation(document: Document, pointer: string, operation: unknown, strict: boolean): readonly Issue[] {
  if (!isNode(operation)) return [{ pointer, message: 'is not an operation: it must be an object' }];
  const { parameters = [], requestBody } = operation;
  const responses = operation.responses ?? {};
  // `answers` in place of `responses` is a mistake, and not an operation that nobody has described yet.
  const isMistake = isSilent(document, operation) && (strict || Object.keys(operation).some(isUnknownField));
  const hasNoStatus = isNode(responses) && getStatuses(responses).length === 0 && Object.keys(responses).length > 0;
  if (!isNode(responses) || hasNoStatus || isMistake) return [{ pointer, message: SILENT }];
  if (!Array.isArray(parameters)) return [{ pointer: `${pointer}/parameters`, message: 'is not an array' }];
  const unknown = Object.keys(responses).filter((key) => !key.startsWith('x-') && !isStatus(key));
  return [
    ...unknown.map((key) => ({
      pointer: `${pointer}/responses${formatPointer(key)}`,
      message: 'is not a status: use a status such as 200, a range such as 4XX, or default',
    })),
    ...parameters.flatMap((_, index) => checkParameter(document, `${pointer}/parameters/${index}`)),
    ...getStatuses(responses).flatMap((status) => checkObject(document, `${pointer}/responses/${status}`, 'response')),
    ...(requestBody === undefined ? [] : checkObject(document, `${pointer}/requestBody`, 'request body')),
  ];
}

/**
 * Returns an issue if the value at a JSON Pointer is not an object.
 * `kind`: the name of the expected object, such as `response`.
 */
function checkObject(document: Document, pointer: string, kind: string): readonly Issue[] {
  return isNode(getTarget(document, pointer)) ? [] : [{ pointer, message: `is not a ${kind}: it must be an object` }];
}

function checkParameter(document: Document, pointer: string): readonly Issue[] {
  const node = getTarget(document, pointer);
  if (!isNode(node) || typeof node.name !== 'string') return [{ pointer, message: 'is not a parameter: add a name' }];
  const locations = isVersion32(document) ? [...PARAMETER_LOCATIONS, 'querystring'] : PARAMETER_LOCATIONS;
  if (!locations.includes(String(node.in))) {
    const remedy = node.in === 'querystring' ? 'write openapi: 3.2.0, or use' : 'use';
    const message = `has the invalid location ${JSON.stringify(node.in)}: ${remedy} one of ${locations.join(', ')}`;
    return [{ pointer, message }];
  }
  if (node.in === 'querystring' && !isNode(node.content))
    return [
      { pointer, message: 'has no content: add content with one media type, because it is the whole query string' },
    ];
  if (!isNode(node.schema ?? {}) && typeof node.schema !== 'boolean')
    return [{ pointer: `${pointer}/schema`, message: 'is not a schema: use an object' }];
  const isDescribed = isNode(node.schema) || isNode(node.content) || node.schema === true;
  return isDescribed ? [] : [{ pointer, message: 'has no schema: add a schema' }];
}

const PARAMETER_LOCATIONS = ['path', 'query', 'header', 'cookie'];

function isStatus(key: string): boolean {
  return /^([1-5]\d\d|[1-5]XX|default)$/i.test(key);
}

/** Returns the keys of a Responses Object, without extensions: statuses, ranges and `default`. */
export function getStatuses(responses: Node): readonly string[] {
  return Object.keys(responses).filter(isStatus);
}

/**
 * Returns a copy of the document in which each operation has a unique operationId and a response.
 * A missing operationId is created from the method and the path, such as `getCatsById` for `GET /cats/{id}`.
 * A repeated operationId gets a number.
 * An operation without a response, or only with 1xx responses, gets the response `default`.
 * A path item with a `$ref` is replaced by the target of the reference, with the keys beside the `$ref` added.
 * A path item that is null is removed.
 */
export function withOperationIds(document: Document): Document {
  const takenIds = new Set<string>();
  const paths = Object.keys(document.paths ?? {}).flatMap((path) => {
    const pointer = formatPointer('paths', path);
    const item = getTarget(document, pointer);
    if (!isNode(item) || !path.startsWith('/')) return [];
    const siblings = omitKeys(toNode(getNode(document, pointer)), ['$ref']);
    const changed = mapOperations(document, { ...item, ...siblings }, (operation, method) => {
      const ownId = typeof operation.operationId === 'string' ? operation.operationId : '';
      const responses = hasFinalStatus(operation)
        ? operation.responses
        : { ...toNode(operation.responses), ...ANY_RESPONSE };
      return { ...operation, operationId: takeId(takenIds, ownId || createId(method.toLowerCase(), path)), responses };
    });
    return [[path, changed]];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/**
 * Returns whether an operation documents a final response.
 * A 1xx response, such as 101 for a WebSocket, is not final.
 */
function hasFinalStatus({ responses }: Node): boolean {
  return getStatuses(toNode(responses)).some((status) => !status.startsWith('1'));
}

/** The responses that are added to an operation without a final response. */
const ANY_RESPONSE = { default: { description: 'Any response.' } };

function takeId(takenIds: Set<string>, preferredId: string): string {
  let id = preferredId;
  for (let number = 2; takenIds.has(id); number++) id = `${preferredId}${number}`;
  takenIds.add(id);
  return id;
}

function createId(method: string, path: string): string {
  const words = path.replaceAll(/\{(.*?)\}/g, ' by $1 ').split(/[^\p{L}\p{N}]+/u);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
