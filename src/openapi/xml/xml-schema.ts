import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from '../document.ts';
import { getBranchParts } from '../schema-branches.ts';
import {
  ALL_PARTS,
  getPartItems,
  getPartProperties,
  getPartTypes,
  getSchemaParts,
  type SchemaPart,
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
  return toXmlSchema(all, alternatives.length > 1 ? alternatives : []);
}

function toXmlSchema(parts: readonly SchemaPart[], alternatives: readonly XmlSchema[] = []): XmlSchema {
  const types = getPartTypes(parts);
  const xml: Node = Object.assign({}, ...parts.map(({ node }) => toNode(node.xml)).toReversed());
  const properties = getPartProperties(parts);
  const items = getPartItems(parts);
  const open = parts.find(({ node }) => isNode(node.additionalProperties));
  const toName = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const isObject = types.includes('object') || properties.size > 0;
  const isArray = types.includes('array') || items !== undefined;
  return {
    pointers: parts.map(({ pointer }) => pointer),
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
    alternatives,
  };
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
