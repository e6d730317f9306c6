import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, type SchemaPart, toNode } from '../document.ts';
import {
  ALL_PARTS,
  getBranchParts,
  getPartItems,
  getPartProperties,
  getPartTypes,
  getSchemaParts,
} from '../schema-parts.ts';
import type { SchemaValidator } from '../schema-validator.ts';

/** The parts of a contract with which XML is read and written. */
export interface XmlContract {
  readonly normalized: Document;
  /** Returns the errors of a value against the schema at a JSON Pointer. */
  readonly getErrors: SchemaValidator;
}

/** What the XML Object of a schema says (OpenAPI, XML Object), and the schemas inside. */
export interface XmlSchema {
  /** The JSON Pointers of all schemas that apply: the schema itself, and those in its `allOf`. */
  readonly pointers: readonly string[];
  readonly kind: 'object' | 'array' | 'value';
  readonly types: readonly unknown[];
  readonly name: string | undefined;
  readonly prefix: string | undefined;
  readonly namespace: string | undefined;
  readonly isAttribute: boolean;
  readonly isWrapped: boolean;
  /** Whether the schema is a text in the element around it: `text` or `cdata` of `nodeType` (OpenAPI 3.2). */
  readonly textNode: 'text' | 'cdata' | undefined;
  /** The JSON Pointers of the property schemas, by property name. */
  readonly properties: ReadonlyMap<string, string>;
  /** The JSON Pointer of the schema of the properties that are not in `properties`. */
  readonly additional: string | undefined;
  /** The JSON Pointer of the schema of the entries of an array. */
  readonly items: string | undefined;
  /**
   * The alternatives of a schema with `oneOf` or `anyOf`; empty for other schemas.
   * The schema itself has the properties and types of all its alternatives.
   */
  readonly alternatives: readonly XmlSchema[];
  /**
   * Whether the alternatives read each element in the same way, so that the schema itself reads it as its alternatives
   * do.
   */
  readonly isUniform: boolean;
  /** The names of the required properties. */
  readonly required: readonly string[];
}

/** Returns the schemas of a document by JSON Pointer. Each is read once, because XML can have thousands of elements. */
const getSchemas = memoizeByObject((_document: Document) => new Map<string | undefined, XmlSchema>());

/** Returns what XML needs of the schema at a JSON Pointer. Without a pointer, the schema allows any value. */
export function readXmlSchema(document: Document, schema: string | undefined): XmlSchema {
  const known = getSchemas(document);
  const read = known.get(schema) ?? createSchema(document, schema);
  known.set(schema, read);
  return read;
}

function createSchema(document: Document, schema: string | undefined): XmlSchema {
  if (schema === undefined) return toXmlSchema([]);
  const alternatives = getBranchParts(document, schema).map((parts) => toXmlSchema(parts));
  const all = getSchemaParts(document, schema, ALL_PARTS);
  if (alternatives.length < 2) return toXmlSchema(all);
  return { ...toXmlSchema(all, alternatives), isUniform: areUniform(document, alternatives) };
}

/** Returns whether alternatives are objects without names, whose properties with the same name have the same types. */
function areUniform(document: Document, alternatives: readonly XmlSchema[]): boolean {
  if (!alternatives.every(({ kind, name }) => kind === 'object' && name === undefined)) return false;
  const known = new Map<string, string>();
  for (const { properties, additional } of alternatives) {
    if (additional !== undefined) return false;
    for (const [name, pointer] of properties) {
      const parts = getSchemaParts(document, pointer, ALL_PARTS);
      const text = JSON.stringify([
        getPartTypes(parts),
        parts.map(({ node }) => node.xml),
        parts.map((part) => part.pointer),
      ]);
      const isScalar = parts.length === 1 && getPartProperties(parts).size === 0 && getPartItems(parts) === undefined;
      const form = isScalar ? JSON.stringify([getPartTypes(parts), parts[0]?.node.xml]) : text;
      if ((known.get(name) ?? form) !== form) return false;
      known.set(name, form);
    }
  }
  return true;
}

function toXmlSchema(parts: readonly SchemaPart[], alternatives: readonly XmlSchema[] = []): XmlSchema {
  const types = listTypes(parts);
  const xml: Node = Object.assign({}, ...parts.map(({ node }) => toNode(node.xml)).toReversed());
  const properties = getPartProperties(parts);
  const items = getPartItems(parts);
  const open = parts.find(({ node }) => isNode(node.additionalProperties));
  const toName = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const isObject = types.includes('object') || properties.size > 0;
  const isArray = types.includes('array') || items !== undefined;
  const { nodeType } = xml;
  return {
    pointers: parts.map(({ pointer }) => pointer),
    kind: isObject ? 'object' : isArray ? 'array' : 'value',
    types,
    name: toName(xml.name),
    prefix: toName(xml.prefix),
    namespace: toName(xml.namespace),
    isAttribute: xml.attribute === true || nodeType === 'attribute',
    isWrapped: xml.wrapped === true || (isArray && !isObject && nodeType === 'element'),
    textNode: nodeType === 'text' || nodeType === 'cdata' ? nodeType : undefined,
    properties,
    additional: open && `${open.pointer}/additionalProperties`,
    items,
    alternatives,
    isUniform: alternatives.length === 0,
    required: parts.flatMap(({ node }) => (Array.isArray(node.required) ? node.required.map(String) : [])),
  };
}

/** Returns the types of a schema. Without `type`, they are those of the allowed values. */
function listTypes(parts: readonly SchemaPart[]): readonly unknown[] {
  const types = getPartTypes(parts);
  if (types.length > 0) return types;
  const values = parts.flatMap(({ node }) => [
    ...(Array.isArray(node.enum) ? node.enum : []),
    ...('const' in node ? [node.const] : []),
  ]);
  return values.map((value) => (value === null ? 'null' : typeof value));
}

/** Reads the schema of a property. A property that is not listed has that of `additionalProperties`. */
export function readXmlProperty(document: Document, { properties, additional }: XmlSchema, name: string): XmlSchema {
  return readXmlSchema(document, properties.get(name) ?? additional);
}

/**
 * Returns whether a value in an XML response can be compared with its schema: the schema describes an object or an
 * array.
 * `schema`: its JSON Pointer.
 */
export function isXmlSchema(document: Document, schema: string): boolean {
  return (
    readXmlSchema(document, schema).kind !== 'value' && isNode(getNode(document, resolvePointer(document, schema)))
  );
}

/** Characters that XML 1.0 can't contain, not even escaped (XML 1.0, section 2.2). */
export const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * Matches a name of an element or attribute without a prefix: letters, digits, `_`, `.` and `-` in any language.
 * XML also allows a few other characters (XML 1.0, section 2.3), and does not allow these three letters.
 */
const NAME = /^(?!.*[ªµº])[\p{L}_][\p{L}\p{M}\p{Nd}_.-]*$/u;

/** The attributes of an element without a value (XML Schema Part 1, section 2.6.2). */
const NIL = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"';

/**
 * Formats a value as an XML document, by the XML Objects of its schema.
 * `schema`: the JSON Pointer of the schema; without it, the elements have the names of the properties.
 * Returns undefined if XML can't represent the value, for example a string with a control character.
 */
export function formatXml(contract: XmlContract, schema: string | undefined, value: unknown): string | undefined {
  const root = chooseAlternative(contract, readXmlSchema(contract.normalized, schema), value);
  const isWrapped = root.kind === 'array' || Array.isArray(value);
  const name = schema === undefined ? 'root' : getRootName(contract.normalized, schema, root);
  const text = formatElement(contract, { ...root, isWrapped }, name, value);
  return FORBIDDEN.test(text) || text.includes(INVALID) ? undefined : `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;
}

/** Returns the name of the root element: the XML name of the schema, else the name of the component schema. */
function getRootName(document: Document, schema: string, { name, pointers }: XmlSchema): string {
  const components = [resolvePointer(document, schema), ...pointers].flatMap(
    (pointer) => /^\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1] ?? [],
  );
  return name ?? components[0] ?? 'root';
}

/** Returns the first alternative of a schema for which a value is valid. Returns the schema itself if there is none. */
function chooseAlternative(contract: XmlContract, xml: XmlSchema, value: unknown): XmlSchema {
  const isValid = ({ pointers }: XmlSchema) =>
    pointers.every((pointer) => contract.getErrors(pointer, value).length === 0);
  return xml.alternatives.find(isValid) ?? xml;
}

/** Marks a part that can't be represented. XML can't contain this character. */
const INVALID = '\u0000';

function formatElement(contract: XmlContract, schema: XmlSchema, propertyName: string, value: unknown): string {
  const xml = chooseAlternative(contract, schema, value);
  const ownName = xml.name ?? propertyName;
  if (!NAME.test(ownName)) return INVALID;
  if (Array.isArray(value)) return formatList(contract, xml, propertyName, value);
  const name = toQualifiedName(xml, ownName);
  const declared = declareNamespace(xml);
  if (value === null) return `<${name}${declared}${NIL}/>`;
  if (!isNode(value)) return `<${name}${declared}>${escapeText(String(value))}</${name}>`;
  const attributes = new Set([declared]);
  const children = Object.entries(value).map(([key, one]) => {
    const property = readXmlProperty(contract.normalized, xml, key);
    if (property.textNode && typeof one !== 'object') return formatText(property.textNode, String(one));
    if (!property.isAttribute || typeof one === 'object') return formatElement(contract, property, key, one);
    // The namespace of an attribute without a prefix would be that of its element.
    if (property.prefix) attributes.add(declareNamespace(property));
    attributes.add(` ${toQualifiedName(property, property.name ?? key)}="${escapeText(String(one))}"`);
    return NAME.test(property.name ?? key) ? '' : INVALID;
  });
  return `<${name}${[...attributes].join('')}>${children.join('')}</${name}>`;
}

function formatText(node: 'text' | 'cdata', text: string): string {
  return node === 'text' ? escapeText(text) : `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** Formats an array: one element for each entry, which a wrapped array has in an element of its own. */
function formatList(contract: XmlContract, xml: XmlSchema, propertyName: string, list: readonly unknown[]): string {
  const items = readXmlSchema(contract.normalized, xml.items);
  const wrapper = xml.name ?? propertyName;
  const defaultName = xml.isWrapped ? wrapper : propertyName;
  const entries = list.map((entry) =>
    formatElement(contract, { ...chooseAlternative(contract, items, entry), isWrapped: true }, defaultName, entry),
  );
  if (!xml.isWrapped) return entries.join('');
  const name = toQualifiedName(xml, wrapper);
  return `<${name}${declareNamespace(xml)}>${entries.join('')}</${name}>`;
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
