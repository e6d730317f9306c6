import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type Document, isNode, type Node, omitKeys, resolveNode, toNode } from './document.ts';
import { isFormBody } from './media-types.ts';
import { isVersion32, listOperations, METHODS_32, OTHER_OPERATIONS } from './path-items.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * Returns an OpenAPI 3.2 document as OpenAPI 3.1, for tools that do not know 3.2: the API reference and generators of
 * types.
 * Returns any other document itself.
 * An operation with another method stays in its path item, with the method in lower case as its key, and is also the
 * `post` of a path item in `components`, so that generators create its types.
 */
export const convertToVersion31 = memoizeByObject((document: Document): Document => {
  if (!isVersion32(document)) return document;
  const inlined = mapNodes(document, (node) => inlineMedia(document, node));
  const converted = mapNodes(inlined, (node, pointer) => convertNode(inlined, node, pointer)) as Document & Node;
  const { components, paths, tags, ...rest } = omitKeys(converted, ['$self']);
  const others = listOthers(toNode(paths));
  const pathItems = { ...toNode(toNode(components).pathItems), ...others };
  const own = omitKeys(toNode(components), ['mediaTypes']);
  return {
    ...rest,
    openapi: '3.1.1',
    ...(paths !== undefined && { paths }),
    ...(Array.isArray(tags) && { tags: tags.map(convertTag) }),
    components: Object.keys(pathItems).length === 0 ? own : { ...own, pathItems },
  } as unknown as Document;
});

function convertTag(tag: unknown): Node {
  const { summary, ...rest } = omitKeys(toNode(tag), ['parent', 'kind']);
  return summary === undefined ? rest : { 'x-displayName': summary, ...rest };
}

/** Returns a path item for each operation whose method OpenAPI 3.1 does not have. */
function listOthers(paths: Node): Node {
  const others = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(toNode(item))
      .filter(([key, operation]) => isNode(operation) && isNode(operation.responses) && !isOld(key))
      .map(([key, operation]) => {
        const name = `${key}${path}`.replaceAll(/[^\w.-]+/g, '_');
        const { parameters } = toNode(item);
        return [name, { post: operation, ...(parameters !== undefined && { parameters }) }] as const;
      }),
  );
  return Object.fromEntries(others);
}

function isOld(key: string): boolean {
  return key !== 'query' && METHODS_32.includes(key);
}

function inlineMedia(document: Document, node: Node): Node {
  if (!isNode(node.content)) return node;
  const media = Object.entries(node.content).map(([type, one]) => [type, resolveMedia(document, one)]);
  return { ...node, content: Object.fromEntries(media) };
}

function resolveMedia(document: Document, media: unknown): unknown {
  const target = resolveNode(document, media);
  return isNode(target) && typeof target.$ref === 'string' ? resolveMedia(document, target) : target;
}

function convertNode(document: Document, node: Node, pointer: string): Node {
  let changed = node;
  if (isNode(node.examples)) changed = { ...changed, examples: convertExamples(node.examples) };
  if (Array.isArray(node.parameters))
    changed = { ...changed, parameters: node.parameters.flatMap((one) => convertParameter(document, one)) };
  if (isNode(node.itemSchema)) changed = convertStream(changed);
  if (isNode(node.xml) && node.xml.nodeType !== undefined) changed = convertXml(changed, node.xml);
  if (/\/responses\/[^/]+$/.test(pointer) && !('$ref' in node)) changed = convertResponse(changed);
  if (node.in === 'cookie' && node.style === 'cookie') changed = omitKeys(changed, ['style']);
  if (isNode(node.discriminator))
    changed = { ...changed, discriminator: omitKeys(node.discriminator, ['defaultMapping']) };
  return /^\/paths\/[^/]+$/.test(pointer) ? convertItem(document, changed) : changed;
}

function convertExamples(examples: Node): Node {
  const entries = Object.entries(examples).map(([name, example]) => {
    if (!isNode(example)) return [name, example];
    const { dataValue, serializedValue, ...rest } = example;
    const value = 'dataValue' in example ? dataValue : serializedValue;
    return [name, value === undefined ? rest : { ...rest, value }];
  });
  return Object.fromEntries(entries);
}

/** Returns the parameters of OpenAPI 3.1 for a parameter: one for each property of a form that is the query string. */
function convertParameter(document: Document, parameter: unknown): readonly unknown[] {
  const node = toNode(resolveNode(document, parameter));
  if (node.in !== 'querystring') return [parameter];
  const [[type, media] = ['', {}]] = Object.entries(toNode(node.content));
  const { schema } = toNode(media);
  if (!isFormBody(type)) return [{ ...node, in: 'query' }];
  const form = toNode(resolveNode(document, schema));
  const required = Array.isArray(form.required) ? form.required : [];
  return Object.entries(toNode(form.properties)).map(([name, property]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && node.required === true && { required: true }),
    schema: property,
  }));
}

function convertStream(media: Node): Node {
  const { itemSchema, ...rest } = omitKeys(media, ['itemEncoding', 'prefixEncoding']);
  return 'schema' in rest ? rest : { ...rest, schema: { type: 'array', items: itemSchema } };
}

function convertXml(schema: Node, xml: Node): Node {
  const { nodeType, ...rest } = xml;
  const isWrapped = nodeType === 'element' && schema.type === 'array';
  const old = nodeType === 'attribute' ? { attribute: true } : isWrapped ? { wrapped: true } : {};
  return { ...schema, xml: { ...rest, ...old } };
}

function convertResponse({ summary, ...response }: Node): Node {
  return { ...response, description: response.description ?? summary ?? '' };
}

function convertItem(document: Document, item: Node): Node {
  const others = listOperations(document, item).filter(({ pointer }) => pointer.startsWith(`/${OTHER_OPERATIONS}`));
  return {
    ...omitKeys(item, [OTHER_OPERATIONS]),
    ...Object.fromEntries(others.map(({ method, node }) => [method.toLowerCase(), node])),
  };
}
