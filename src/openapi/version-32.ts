import type { Issue } from '../util/issue.ts';
import { decodeStep, formatPointer } from '../util/json-pointer.ts';
import { getStreamKind } from '../util/streams.ts';
import { type Document, getNode, isNode, type Node, resolveNode, toNode } from './document.ts';
import { getItemPointer, isVersion32, listOperations, OTHER_OPERATIONS } from './path-items.ts';
import { getSchemePointer } from './security.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * Returns a warning for each part of an OpenAPI 3.2 document that the server ignores, or that contradicts other
 * parts.
 * In a document of an earlier version, these are the operations that only OpenAPI 3.2 has, for example in a path item
 * of another file.
 */
export function findUnsupportedParts(document: Document): readonly Issue[] {
  if (!isVersion32(document)) return findLaterOperations(document);
  const operations = Object.entries(toNode(document.paths)).flatMap(([path, item]) =>
    listOperations(document, toNode(item)).map(({ pointer }) => formatPointer('paths', path) + pointer),
  );
  return [
    ...findSelf(document),
    ...findDialect(document),
    ...findTags(document),
    ...findServerNames(document),
    ...operations.flatMap((pointer) => [
      ...findMixedQueries(document, pointer),
      ...findSchemes(document, pointer),
      ...findSentItems(document, pointer),
    ]),
    ...findNodes(document),
  ];
}

function findLaterOperations(document: Document): readonly Issue[] {
  const { openapi } = document;
  return Object.entries(toNode(document.paths)).flatMap(([path, item]) =>
    ['query', OTHER_OPERATIONS]
      .filter((key) => isNode(toNode(item)[key]))
      .map((key) => ({
        pointer: formatPointer('paths', path, key),
        message: `is ignored, because the document has the version ${openapi}: write openapi: 3.2.0 in the main file`,
      })),
  );
}

/** Returns a warning if `$self` is not a URI reference without a fragment. */
function findSelf({ $self }: Document & { readonly $self?: unknown }): readonly Issue[] {
  const isUri =
    typeof $self === 'string' && /^[\w\-.~:/?@!$&'()*+,;=%[\]]+$/.test($self) && !/%(?![\da-f]{2})/i.test($self);
  if ($self === undefined || (isUri && URL.canParse($self, 'file:///'))) return [];
  const message =
    'is not the URI of the document: use a URI or a path without a fragment, such as https://example.com/openapi';
  return [{ pointer: '/$self', message }];
}

/** The dialects of schemas that the server reads as they are. */
const DIALECTS = /^https:\/\/(?:spec\.openapis\.org\/oas\/3\.[12]\/dialect\/|json-schema\.org\/draft\/2020-12\/schema)/;

function findDialect({ jsonSchemaDialect: dialect }: Document & { readonly jsonSchemaDialect?: unknown }) {
  if (dialect === undefined || DIALECTS.test(String(dialect))) return [];
  return [{ pointer: '/jsonSchemaDialect', message: 'is ignored: schemas are read as JSON Schema 2020-12' }];
}

/** Returns a warning for each tag whose parent does not exist, or is the tag itself at any level. */
function findTags({ tags }: Document): readonly Issue[] {
  const parents = new Map<unknown, unknown>(
    (Array.isArray(tags) ? tags : []).map((tag) => [tag?.name, toNode(tag).parent]),
  );
  return [...parents].flatMap(([name, parent], index) => {
    const pointer = `/tags/${index}/parent`;
    if (parent === undefined) return [];
    if (!parents.has(parent)) return [{ pointer, message: `is ignored, because the tag ${parent} does not exist` }];
    const seen = new Set([name]);
    for (let next: unknown = parent; next !== undefined; next = parents.get(next)) {
      if (seen.has(next)) return [{ pointer, message: 'leads back to the tag itself: remove it' }];
      seen.add(next);
    }
    return [];
  });
}

/** Returns a warning for each server with the name of an earlier one, because clients select servers by their names. */
function findServerNames(document: Document): readonly Issue[] {
  const servers: readonly unknown[] = Array.isArray(document.servers) ? document.servers : [];
  const names = servers.map((server) => toNode(server).name);
  return names.flatMap((name, index) =>
    name === undefined || names.indexOf(name) === index
      ? []
      : [{ pointer: `/servers/${index}/name`, message: `is the name of an earlier server, too: use another name` }],
  );
}

/** Returns a warning if an operation has a parameter for the whole query string, and other query parameters. */
function findMixedQueries(document: Document, operation: string): readonly Issue[] {
  const places = [operation, getItemPointer(operation)].flatMap((holder) => {
    const list = getNode(document, `${holder}/parameters`);
    return Array.isArray(list) ? list.map((node, index) => ({ pointer: `${holder}/parameters/${index}`, node })) : [];
  });
  const parameters = places.map(({ pointer, node }) => ({ pointer, ...toNode(resolveNode(document, node)) }));
  const [first, second] = parameters.filter((one) => toNode(one).in === 'querystring');
  const other = second ?? parameters.find((one) => toNode(one).in === 'query');
  if (!first || !other) return [];
  return [{ pointer: other.pointer, message: 'can not be used beside a parameter that is the whole query string' }];
}

/** Returns a warning for each stream that an operation receives, because the items of requests are not read. */
function findSentItems(document: Document, operation: string): readonly Issue[] {
  const { content } = toNode(resolveNode(document, getNode(document, `${operation}/requestBody`)));
  return Object.entries(toNode(content))
    .filter(
      ([type, media]) => getStreamKind(type) !== undefined && 'itemSchema' in toNode(resolveNode(document, media)),
    )
    .map(([type]) => ({
      pointer: `${operation}/requestBody`,
      message: `has an itemSchema for ${type} that is ignored: the server accepts any items in requests`,
    }));
}

/** Returns a warning for each URI in the security requirements of an operation that leads to no security scheme. */
function findSchemes(document: Document, operation: string): readonly Issue[] {
  const own = getNode(document, `${operation}/security`);
  return (Array.isArray(own) ? own : []).flatMap((requirement, index) =>
    Object.keys(toNode(requirement))
      .filter((name) => /[#/]/.test(name) && !isNode(getNode(document, getSchemePointer(document, name))))
      .map((name) => ({
        pointer: `${operation}/security/${index}${formatPointer(name)}`,
        message: 'is ignored, because the security scheme does not exist: write its name in components/securitySchemes',
      })),
  );
}

/** Returns a warning for each XML node type, each item schema and each encoding that is ignored. */
function findNodes(document: Document): readonly Issue[] {
  const issues: Issue[] = [];
  mapNodes(document, (node, pointer) => {
    const { nodeType } = toNode(node.xml);
    if (nodeType !== undefined && !isSupported(node, nodeType))
      issues.push({ pointer: `${pointer}/xml/nodeType`, message: `is ignored, because ${describeNode(nodeType)}` });
    if (Array.isArray(node.prefixEncoding))
      issues.push({
        pointer: `${pointer}/prefixEncoding`,
        message: 'is ignored: the server does not read parts by position',
      });
    if (MEDIA_TYPE.test(pointer)) issues.push(...findItems(node, pointer));
    return node;
  });
  return issues;
}

/** Matches the JSON Pointer of a Media Type Object. */
const MEDIA_TYPE = /\/(?:content|components\/mediaTypes)\/[^/]+$/;

/** Returns a warning for each invalid value about the items of a stream. */
function findItems({ itemSchema, itemEncoding }: Node, pointer: string): readonly Issue[] {
  const isSchema = itemSchema === undefined || typeof itemSchema === 'boolean' || isNode(itemSchema);
  const isEncoding = itemEncoding === undefined || isNode(itemEncoding);
  return [
    ...(isSchema
      ? []
      : [{ pointer: `${pointer}/itemSchema`, message: 'is ignored, because it is not a schema: use an object' }]),
    ...(isEncoding ? [] : [{ pointer: `${pointer}/itemEncoding`, message: 'is ignored, because it is not an object' }]),
    ...findIgnoredEncoding(toNode(itemEncoding), pointer),
  ];
}

/** Returns a warning for what an encoding of items says without an effect: only the types of parts have one. */
function findIgnoredEncoding(encoding: Node, mediaType: string): readonly Issue[] {
  const names = Object.keys(encoding).filter((name) => !name.startsWith('x-'));
  const pointer = `${mediaType}/itemEncoding`;
  const [, type = 'multipart/mixed'] = /\/content\/([^/]+)$/.exec(mediaType) ?? [];
  if (getStreamKind(decodeStep(type)) !== 'parts')
    return names.length === 0 ? [] : [{ pointer, message: 'is ignored: only items of multipart/mixed are encoded' }];
  return names
    .filter((name) => name !== 'contentType')
    .map((name) => ({ pointer: pointer + formatPointer(name), message: 'is ignored: only contentType has an effect' }));
}

const NODE_TYPES = ['element', 'attribute', 'text', 'cdata'];

/** The type `none` is the default of arrays and references. */
function isSupported({ type, $ref }: { readonly type?: unknown; readonly $ref?: unknown }, nodeType: unknown): boolean {
  return NODE_TYPES.includes(String(nodeType)) || (nodeType === 'none' && (type === 'array' || $ref !== undefined));
}

function describeNode(nodeType: unknown): string {
  return nodeType === 'none'
    ? 'an object always has an element of its own in XML'
    : `it must be one of ${NODE_TYPES.join(', ')} or none`;
}
