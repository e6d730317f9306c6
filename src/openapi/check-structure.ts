import type { Document } from 'openapi-backend';
import { pointerTo } from '../util/json-pointer.ts';
import { type DocumentIssue, getNode, isNode, type Node, resolvePointer, toPointer } from './document.ts';
import { below } from './walk-schemas.ts';

/** Methods that an operation of OpenAPI can have. */
export const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'] as const;

/** What of a document keeps it from being served: references that lead nowhere, paths and operations that are none. */
export function checkStructure(document: Document): readonly DocumentIssue[] {
  const references = brokenReferences(document);
  return references.length > 0 ? references : brokenPaths(document);
}

function brokenReferences(document: Document): readonly DocumentIssue[] {
  const obstacles: DocumentIssue[] = [];
  const visit = (node: unknown, pointer: string, isNames: boolean) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      const place = pointer + pointerTo(key);
      if (key === '$ref' && !isNames) {
        const trouble =
          typeof value === 'string'
            ? troubleWithReference(document, pointer, value)
            : 'is no reference: write it as a text';
        if (trouble !== undefined) obstacles.push({ pointer: place, trouble });
      } else if (below(key, isNames) !== 'value') visit(value, place, below(key, isNames) === 'names');
    }
  };
  visit(document, '', false);
  return obstacles;
}

function troubleWithReference(document: Document, pointer: string, reference: string): string | undefined {
  const named = JSON.stringify(reference);
  if (!reference.startsWith('#')) return `refers to ${named}, another document: bundle both into one`;
  if (getNode(document, toPointer(reference)) === undefined) return `refers to ${named}, which is not there`;
  const seen = new Set([pointer]);
  let next = toPointer(reference);
  for (;;) {
    if (seen.has(next)) return `refers to ${named}, which refers back to itself`;
    seen.add(next);
    const node = getNode(document, next);
    if (!isNode(node) || typeof node.$ref !== 'string') return undefined;
    next = toPointer(node.$ref);
  }
}

function brokenPaths(document: Document): readonly DocumentIssue[] {
  const { paths = {} } = document;
  if (!isNode(paths)) return [{ pointer: '/paths', trouble: 'is no object with paths' }];
  return Object.entries(paths).flatMap(([path, item]) => {
    const pointer = pointerTo('paths', path);
    if (item === null || path.startsWith('x-')) return [];
    if (!path.startsWith('/')) return [{ pointer, trouble: 'is no path: it has to begin with a slash' }];
    if (!isNode(item)) return [{ pointer, trouble: 'is no object with operations' }];
    return Object.entries(item).flatMap(([key, operation]) =>
      METHODS.includes(key as never) ? brokenOperation(document, pointer + pointerTo(key), operation) : [],
    );
  });
}

function brokenOperation(document: Document, pointer: string, operation: unknown): readonly DocumentIssue[] {
  if (!isNode(operation)) return [{ pointer, trouble: 'is no operation' }];
  const { responses, parameters = [], requestBody } = operation;
  if (!isNode(responses) || statusesOf(responses).length === 0) {
    return [{ pointer, trouble: 'documents no response: give it responses by status' }];
  }
  if (!Array.isArray(parameters)) return [{ pointer: `${pointer}/parameters`, trouble: 'is no list' }];
  const broken = statusesOf(responses).filter(
    (status) => !isNode(getNode(document, resolvePointer(document, `${pointer}/responses/${status}`))),
  );
  const body = requestBody === undefined ? {} : getNode(document, resolvePointer(document, `${pointer}/requestBody`));
  const unknown = Object.keys(responses).filter((key) => !key.startsWith('x-') && !isStatus(key));
  return [
    ...unknown.map((key) => ({
      pointer: `${pointer}/responses${pointerTo(key)}`,
      trouble: 'is no status: write 200, 4XX or default, say',
    })),
    ...parameters.flatMap((_, place) => brokenParameter(document, `${pointer}/parameters/${place}`)),
    ...broken.map((status) => ({ pointer: `${pointer}/responses/${status}`, trouble: 'is no response' })),
    ...(isNode(body) ? [] : [{ pointer: `${pointer}/requestBody`, trouble: 'is no request body' }]),
  ];
}

function brokenParameter(document: Document, pointer: string): readonly DocumentIssue[] {
  const node = getNode(document, resolvePointer(document, pointer));
  if (!isNode(node) || typeof node.name !== 'string') return [{ pointer, trouble: 'is no parameter: give it a name' }];
  if (!PLACES.includes(String(node.in))) {
    return [{ pointer, trouble: `is in ${JSON.stringify(node.in)}: a parameter is in ${PLACES.join(', ')}` }];
  }
  const isDescribed = isNode(node.schema) || isNode(node.content) || node.schema === true;
  return isDescribed ? [] : [{ pointer, trouble: 'has no schema: give it one' }];
}

/** Where a parameter can be. */
const PLACES = ['path', 'query', 'header', 'cookie'];

function isStatus(key: string): boolean {
  return /^([1-5]\d\d|[1-5]XX|default)$/i.test(key);
}

/** The names of an operation's responses: statuses, ranges and `default`. */
export function statusesOf(responses: Node): readonly string[] {
  return Object.keys(responses).filter(isStatus);
}

/**
 * The document with an id for each operation: its own, or one made of method and path where it has none or another has the same ("getCartItemsById"
 * of GET /cart-items/{id}). Path items that are references or null are replaced by what they stand for.
 */
export function withOperationIds(document: Document): Document {
  const taken = new Set<string>();
  const paths = Object.entries(document.paths ?? {}).flatMap(([path]) => {
    const item = getNode(document, resolvePointer(document, pointerTo('paths', path)));
    if (!isNode(item) || !path.startsWith('/')) return [];
    return [
      [
        path,
        Object.fromEntries(
          Object.entries(item).map(([key, operation]) => {
            if (!METHODS.includes(key as never) || !isNode(operation)) return [key, operation];
            const operationId = untaken(
              taken,
              typeof operation.operationId === 'string' && operation.operationId !== ''
                ? operation.operationId
                : idFor(key, path),
            );
            return [key, { ...operation, operationId }];
          }),
        ),
      ],
    ];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function untaken(taken: Set<string>, wanted: string): string {
  let id = wanted;
  for (let number = 2; taken.has(id); number++) id = `${wanted}${number}`;
  taken.add(id);
  return id;
}

function idFor(method: string, path: string): string {
  const words = path.replaceAll(/\{(.*?)\}/g, ' by $1 ').split(/[^\p{L}\p{N}]+/u);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
