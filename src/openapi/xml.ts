import type * as Saxes from 'saxes';
import { loadPackage } from '../util/load-package.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from './document.ts';
import { removeTypeParameters } from './media-types.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getPartTypes, getSchemaParts } from './schema-parts.ts';

/** Returns whether a media type is XML, such as `application/xml` or `application/atom+xml`. */
export function isXmlType(type: string): boolean {
  return /^(?:application|text)\/xml$|\+xml$/.test(removeTypeParameters(type));
}

/** Characters that XML 1.0 can't contain, not even escaped (XML 1.0, section 2.2). */
export const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Matches a name of an element or attribute. */
const NAME = /^[A-Za-z_][\w.-]*$/;

/** The JSON Pointer of a schema, and what its XML Object says (OpenAPI, XML Object). */
interface XmlSchema {
  readonly schema: string | undefined;
  readonly kind: 'object' | 'array' | 'value';
  readonly types: readonly unknown[];
  readonly name: string | undefined;
  readonly prefix: string | undefined;
  readonly namespace: string | undefined;
  readonly isAttribute: boolean;
  readonly isWrapped: boolean;
}

function readSchema(document: Document, schema: string | undefined): XmlSchema {
  const parts = schema === undefined ? [] : getSchemaParts(document, schema, ALL_PARTS);
  const types = getPartTypes(parts);
  const xml: Node = Object.assign({}, ...parts.map(({ node }) => toNode(node.xml)).toReversed());
  const isObject = types.includes('object') || getPartProperties(parts).size > 0;
  const isArray = types.includes('array') || getPartItems(parts) !== undefined;
  const toName = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  return {
    schema,
    kind: isObject ? 'object' : isArray ? 'array' : 'value',
    types,
    name: toName(xml.name),
    prefix: toName(xml.prefix),
    namespace: toName(xml.namespace),
    isAttribute: xml.attribute === true,
    isWrapped: xml.wrapped === true,
  };
}

/**
 * Returns the JSON Pointer of the schema of a property.
 * If the schema does not list the property, returns that of `additionalProperties`.
 */
function findProperty(document: Document, schema: string | undefined, name: string): string | undefined {
  if (schema === undefined) return undefined;
  const parts = getSchemaParts(document, schema, ALL_PARTS);
  const open = parts.find(({ node }) => isNode(node.additionalProperties));
  return getPartProperties(parts).get(name) ?? (open && `${open.pointer}/additionalProperties`);
}

function findItems(document: Document, schema: string | undefined): string | undefined {
  return schema === undefined ? undefined : getPartItems(getSchemaParts(document, schema, ALL_PARTS));
}

/** Returns the name of the root element: the XML name of the schema, else the name of the component schema. */
function getRootName(document: Document, schema: string, xml: XmlSchema): string {
  const [, component] = /^\/components\/schemas\/([^/]+)$/.exec(resolvePointer(document, schema)) ?? [];
  return xml.name ?? component ?? 'root';
}

/**
 * Formats a value as an XML document, by the XML Objects of its schema.
 * `schema`: the JSON Pointer of the schema.
 * Returns undefined if XML can't represent the value, for example a string with a control character.
 */
export function formatXml(document: Document, schema: string | undefined, value: unknown): string | undefined {
  const root = readSchema(document, schema);
  const isWrapped = root.kind === 'array' || Array.isArray(value);
  const name = schema === undefined ? 'root' : getRootName(document, schema, root);
  const text = formatElement(document, { ...root, isWrapped }, name, value);
  return FORBIDDEN.test(text) || text.includes(INVALID) ? undefined : `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;
}

/** Marks a part that can't be represented. XML can't contain this character. */
const INVALID = '\u0000';

function formatElement(document: Document, xml: XmlSchema, propertyName: string, value: unknown): string {
  const ownName = xml.name ?? propertyName;
  if (!NAME.test(ownName)) return INVALID;
  if (Array.isArray(value)) return formatList(document, xml, propertyName, value);
  const name = toQualifiedName(xml, ownName);
  const declared = declareNamespace(xml);
  if (!isNode(value)) return `<${name}${declared}>${escapeText(String(value ?? ''))}</${name}>`;
  const attributes = new Set([declared]);
  const children = Object.entries(value).map(([key, one]) => {
    const property = readSchema(document, findProperty(document, xml.schema, key));
    if (!property.isAttribute || typeof one === 'object') return formatElement(document, property, key, one);
    // The namespace of an attribute without a prefix would be that of its element.
    if (property.prefix) attributes.add(declareNamespace(property));
    attributes.add(` ${toQualifiedName(property, property.name ?? key)}="${escapeText(String(one))}"`);
    return NAME.test(property.name ?? key) ? '' : INVALID;
  });
  return `<${name}${[...attributes].join('')}>${children.join('')}</${name}>`;
}

/** Formats an array: one element for each entry, which a wrapped array has in an element of its own. */
function formatList(document: Document, xml: XmlSchema, propertyName: string, list: readonly unknown[]): string {
  const items = readSchema(document, findItems(document, xml.schema));
  const wrapper = xml.name ?? propertyName;
  const itemName = items.name ?? (xml.isWrapped ? wrapper : propertyName);
  const entries = list.map((entry) => formatElement(document, { ...items, isWrapped: true }, itemName, entry)).join('');
  if (!xml.isWrapped) return entries;
  const name = toQualifiedName(xml, wrapper);
  return `<${name}${declareNamespace(xml)}>${entries}</${name}>`;
}

function toQualifiedName({ prefix }: XmlSchema, name: string): string {
  return prefix === undefined ? name : `${prefix}:${name}`;
}

/** Returns the attribute that declares the namespace of an element; an empty text if its schema has no namespace. */
function declareNamespace({ prefix, namespace }: XmlSchema): string {
  if (namespace === undefined) return '';
  const name = prefix === undefined ? 'xmlns' : `xmlns:${prefix}`;
  return ` ${name}="${escapeText(namespace)}"`;
}

function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A parsed element. Names have no prefix. */
interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

/** The maximum nesting of elements. It prevents stack overflows. */
const MAX_DEPTH = 500;

/** Parses an XML document. Throws a `SyntaxError` if it is not well-formed. */
function parseDocument(text: string): XmlElement {
  const { SaxesParser } = loadPackage<typeof Saxes>('saxes');
  const parser = new SaxesParser({ xmlns: false });
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [top];
  const addText = (more: string) => {
    const element = open.at(-1);
    if (element) element.text += more;
  };
  parser.on('error', (error) => {
    throw new SyntaxError(error.message);
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length > MAX_DEPTH) throw new SyntaxError(`the elements are nested deeper than ${MAX_DEPTH} levels`);
    const named = Object.entries(attributes).map(([key, value]) => [removePrefix(key), value] as const);
    const element = { name: removePrefix(name), attributes: Object.fromEntries(named), children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.write(text).close();
  const [root] = top.children;
  if (!root) throw new SyntaxError('the document has no element');
  return root;
}

function removePrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/**
 * Parses an XML document to the value that its schema describes: properties come from attributes and elements, and
 * texts become numbers and booleans if the schema has these types.
 * A text that can't be converted stays a string, so that the schema rejects it.
 * Throws a `SyntaxError` if the text is not well-formed XML, or if the root element does not have the XML name of the
 * schema.
 * `schema`: the JSON Pointer of the schema.
 */
export function parseXml(document: Document, schema: string, text: string): unknown {
  const root = parseDocument(text);
  const xml = readSchema(document, schema);
  if (xml.name !== undefined && root.name !== removePrefix(xml.name))
    throw new SyntaxError(`the root element is <${root.name}>, and must be <${xml.name}>`);
  return toValue(document, { ...xml, isWrapped: true }, root);
}

function toValue(document: Document, xml: XmlSchema, element: XmlElement): unknown {
  const { children, attributes, text } = element;
  const isEmpty = children.length === 0 && text.trim() === '';
  if (isEmpty && (attributes.nil === 'true' || xml.types.includes('null')) && !xml.types.includes('string'))
    return null;
  if (xml.kind === 'array') {
    const items = readSchema(document, findItems(document, xml.schema));
    return children.map((child) => toValue(document, { ...items, isWrapped: true }, child));
  }
  if (xml.kind === 'object') return isEmpty || text.trim() === '' ? toObject(document, xml, element) : text;
  if (children.length > 0) return xml.types.length === 0 ? toObject(document, xml, element) : { text };
  return toPrimitive(xml.types, text);
}

function toObject(document: Document, xml: XmlSchema, { attributes, children }: XmlElement): Node {
  const names = xml.schema === undefined ? [] : [...getPartProperties(getSchemaParts(document, xml.schema, ALL_PARTS))];
  const values = new Map<string, unknown>();
  const used = new Set<XmlElement>();
  for (const [key, pointer] of names) {
    const property = readSchema(document, pointer);
    const name = removePrefix(property.name ?? key);
    if (property.isAttribute) {
      if (attributes[name] !== undefined) values.set(key, toPrimitive(property.types, attributes[name]));
      continue;
    }
    const items = property.kind === 'array' ? readSchema(document, findItems(document, pointer)) : undefined;
    const isList = items !== undefined && !property.isWrapped;
    const itemNames = isList ? [removePrefix(items.name ?? key), name] : [name];
    const found = children.filter((child) => itemNames.includes(child.name));
    for (const child of found) used.add(child);
    if (found.length === 0) continue;
    const entries = found.map((child) => toValue(document, { ...(isList ? items : property), isWrapped: true }, child));
    values.set(key, isList || entries.length > 1 ? entries : entries[0]);
  }
  for (const child of children.filter((one) => !used.has(one)))
    values.set(
      child.name,
      toValue(document, readSchema(document, findProperty(document, xml.schema, child.name)), child),
    );
  return Object.fromEntries(values);
}

/** Converts a text to the type of its schema. Returns the text if it does not represent a value of this type. */
function toPrimitive(types: readonly unknown[], text: string): unknown {
  const trimmed = text.trim();
  const isNumber = types.includes('integer') || types.includes('number');
  if (isNumber && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (types.includes('boolean') && /^(?:true|false|1|0)$/.test(trimmed)) return trimmed === 'true' || trimmed === '1';
  return text;
}

/**
 * Returns whether servers may read different values from the XML of a value: XML has no null, no empty array and no
 * empty object, and many parsers remove whitespace around a text.
 */
export function isAmbiguousInXml(value: unknown): boolean {
  if (value === null || value === '') return true;
  if (typeof value === 'string') return value.trim() !== value;
  if (typeof value === 'number') return !/^-?\d{1,15}(?:\.\d{1,9})?$/.test(String(value));
  if (typeof value !== 'object') return false;
  const inner = Object.values(value);
  return inner.length === 0 || inner.some(isAmbiguousInXml);
}

/**
 * Returns whether a value in an XML response can be compared with its schema: the schema describes an object or an
 * array.
 * `schema`: its JSON Pointer.
 */
export function isXmlSchema(document: Document, schema: string): boolean {
  return readSchema(document, schema).kind !== 'value' && isNode(getNode(document, resolvePointer(document, schema)));
}
