import type * as Saxes from 'saxes';
import { loadPackage } from '../util/load-package.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from './document.ts';
import { removeTypeParameters } from './media-types.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getPartTypes, getSchemaParts } from './schema-parts.ts';
import { parseNumber } from './typed-values.ts';

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

/** What the XML Object of a schema says (OpenAPI, XML Object), and the schemas inside. */
interface XmlSchema {
  readonly kind: 'object' | 'array' | 'value';
  readonly types: readonly unknown[];
  readonly name: string | undefined;
  readonly prefix: string | undefined;
  readonly namespace: string | undefined;
  readonly isAttribute: boolean;
  readonly isWrapped: boolean;
  /** The JSON Pointers of the property schemas, by property name. */
  readonly properties: ReadonlyMap<string, string>;
  /** The JSON Pointer of the schema of the properties that are not in `properties`. */
  readonly additional: string | undefined;
  /** The JSON Pointer of the schema of the entries of an array. */
  readonly items: string | undefined;
}

/** Returns the schemas of a document by JSON Pointer. Each is read once, because XML can have thousands of elements. */
const getSchemas = memoizeByObject((_document: Document) => new Map<string | undefined, XmlSchema>());

function readSchema(document: Document, schema: string | undefined): XmlSchema {
  const known = getSchemas(document);
  const read = known.get(schema) ?? createSchema(document, schema);
  known.set(schema, read);
  return read;
}

function createSchema(document: Document, schema: string | undefined): XmlSchema {
  const parts = schema === undefined ? [] : getSchemaParts(document, schema, ALL_PARTS);
  const types = getPartTypes(parts);
  const xml: Node = Object.assign({}, ...parts.map(({ node }) => toNode(node.xml)).toReversed());
  const properties = getPartProperties(parts);
  const items = getPartItems(parts);
  const open = parts.find(({ node }) => isNode(node.additionalProperties));
  const toName = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const isObject = types.includes('object') || properties.size > 0;
  const isArray = types.includes('array') || items !== undefined;
  return {
    kind: isObject ? 'object' : isArray ? 'array' : 'value',
    types,
    name: toName(xml.name),
    prefix: toName(xml.prefix),
    namespace: toName(xml.namespace),
    isAttribute: xml.attribute === true,
    isWrapped: xml.wrapped === true,
    properties,
    additional: open && `${open.pointer}/additionalProperties`,
    items,
  };
}

/** Reads the schema of a property. A property that is not listed has that of `additionalProperties`. */
function readProperty(document: Document, { properties, additional }: XmlSchema, name: string): XmlSchema {
  return readSchema(document, properties.get(name) ?? additional);
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
    const property = readProperty(document, xml, key);
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
  const items = readSchema(document, xml.items);
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
    const own = Object.entries(attributes).filter(([key]) => !/^xmlns(?::|$)/.test(key));
    const named = own.map(([key, value]) => [removePrefix(key), value] as const);
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
  return toValue(document, xml, root);
}

function toValue(document: Document, xml: XmlSchema, element: XmlElement): unknown {
  const { children, attributes, text } = element;
  const isEmpty = children.length === 0 && text.trim() === '';
  if (isEmpty && (attributes.nil === 'true' || xml.types.includes('null')) && !xml.types.includes('string'))
    return null;
  if (xml.kind === 'array') {
    const items = readSchema(document, xml.items);
    return children.map((child) => toValue(document, items, child));
  }
  if (xml.kind === 'object') return isEmpty || text.trim() === '' ? toObject(document, xml, element) : text;
  if (children.length > 0) return xml.types.length === 0 ? toObject(document, xml, element) : { text };
  return toPrimitive(xml.types, text);
}

/** A property in the elements or attributes of an object. */
interface XmlProperty {
  readonly key: string;
  readonly schema: XmlSchema;
  /** The schema of the entries, if each entry is an element beside the other properties. */
  readonly items: XmlSchema | undefined;
}

/** The properties of an object by the names of their attributes and elements. */
interface XmlNames {
  readonly attributes: ReadonlyMap<string, XmlProperty>;
  readonly elements: ReadonlyMap<string, readonly XmlProperty[]>;
}

/** Returns the names of the properties of an object. They are computed once for each schema. */
const getNames = memoizeByObject((document: Document) =>
  memoizeByObject((xml: XmlSchema): XmlNames => {
    const attributes = new Map<string, XmlProperty>();
    const elements = new Map<string, XmlProperty[]>();
    for (const [key, pointer] of xml.properties) {
      const property = createProperty(document, key, readSchema(document, pointer));
      const { schema, items } = property;
      const name = removePrefix(schema.name ?? key);
      if (schema.isAttribute) attributes.set(name, property);
      const names = schema.isAttribute ? [] : items ? [removePrefix(items.name ?? key), name] : [name];
      for (const one of new Set(names)) elements.set(one, [...(elements.get(one) ?? []), property]);
    }
    return { attributes, elements };
  }),
);

function createProperty(document: Document, key: string, schema: XmlSchema): XmlProperty {
  const isList = schema.kind === 'array' && !schema.isWrapped;
  return { key, schema, items: isList ? readSchema(document, schema.items) : undefined };
}

function toObject(document: Document, xml: XmlSchema, element: XmlElement): Node {
  const names = getNames(document)(xml);
  const values = new Map<string, unknown>();
  for (const [name, text] of Object.entries(element.attributes)) {
    const property = names.attributes.get(name);
    if (property) values.set(property.key, toPrimitive(property.schema.types, text));
  }
  /** The values of each property that is an element, in the order of the elements. */
  const lists = new Map<XmlProperty, unknown[]>();
  /** The properties that the schema does not list, by name. */
  const others = new Map<string, XmlProperty>();
  for (const child of element.children) {
    const property = chooseProperty(names.elements.get(child.name), lists) ?? findOther(child.name);
    const value = toValue(document, property.items ?? property.schema, child);
    const list = lists.get(property);
    if (list) list.push(value);
    else lists.set(property, [value]);
  }
  for (const [{ key, items }, list] of lists) values.set(key, items || list.length > 1 ? list : list[0]);
  return Object.fromEntries(values);

  function findOther(name: string): XmlProperty {
    const other = others.get(name) ?? createProperty(document, name, readProperty(document, xml, name));
    others.set(name, other);
    return other;
  }
}

/**
 * Returns the property to which an element belongs.
 * Several properties have the same element if they refer to the same named schema: each gets one, in their order.
 */
function chooseProperty(
  properties: readonly XmlProperty[] = [],
  lists: ReadonlyMap<XmlProperty, unknown>,
): XmlProperty | undefined {
  return properties.find((property) => property.items === undefined && !lists.has(property)) ?? properties.at(-1);
}

/** Converts a text to the type of its schema. Returns the text if it does not represent a value of this type. */
function toPrimitive(types: readonly unknown[], text: string): unknown {
  const trimmed = text.trim();
  const isInteger = types.includes('integer') && !types.includes('number');
  const number = isInteger || types.includes('number') ? parseDecimal(trimmed, isInteger) : undefined;
  if (number !== undefined) return number;
  if (types.includes('boolean') && /^(?:true|false|1|0)$/.test(trimmed)) return trimmed === 'true' || trimmed === '1';
  return text;
}

/** The numbers in XML (XML Schema Part 2, `integer` and `double`), which can have a plus sign and leading zeros. */
const XML_NUMBER = /^([+-]?)0*(\d*)(?:(\.)(\d*))?((?:e[+-]?\d+)?)$/i;

/** Returns the number that a text stands for; undefined if it stands for none, or if JavaScript can't represent it. */
function parseDecimal(text: string, isInteger: boolean): number | undefined {
  const [, sign, whole, point, fraction, power = ''] = (/^[+-]?\.?\d/.test(text) && XML_NUMBER.exec(text)) || [];
  const decimal = `${sign === '-' ? '-' : ''}${whole || '0'}${point ? `.${fraction || '0'}` : ''}${power}`;
  return sign === undefined ? undefined : parseNumber(decimal, isInteger);
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
