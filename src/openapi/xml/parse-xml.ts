import type * as Saxes from 'saxes';
import { loadPackage } from '../../util/load-package.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import type { Document, Node } from '../document.ts';
import { parseNumber } from '../typed-values.ts';
import { readXmlProperty, readXmlSchema, type XmlContract, type XmlSchema } from './xml-schema.ts';

/** A parsed element. Names have no prefix. */
interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
  /** The number of elements: this one, and those at all levels inside. */
  size: number;
}

/** The maximum nesting of elements. It prevents stack overflows. */
const MAX_DEPTH = 500;

/** Parses an XML document. Throws a `SyntaxError` if it is not well-formed. */
function parseDocument(text: string): XmlElement {
  const encoding = /^<\?xml[^>]*\sencoding\s*=\s*["']([^"']*)/.exec(text)?.[1] ?? 'UTF-8';
  if (!/^(?:utf-?8|us-ascii)$/i.test(encoding))
    throw new SyntaxError(`the XML declaration has the encoding ${encoding}: use UTF-8`);
  const { SaxesParser } = loadPackage<typeof Saxes>('saxes');
  const parser = new SaxesParser({ xmlns: false });
  const top: XmlElement = { name: '', attributes: {}, children: [], text: '', size: 1 };
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
    const attributesByName = Object.fromEntries(named);
    const element = { name: removePrefix(name), attributes: attributesByName, children: [], text: '', size: 1 };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => {
    const { size = 0 } = open.pop() ?? {};
    const parent = open.at(-1);
    if (parent) parent.size += size;
  });
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
 * With `oneOf` or `anyOf`, returns the value of the first alternative that is valid.
 * A text that can't be converted stays a string, so that the schema rejects it.
 * Throws a `SyntaxError` if the text is not well-formed XML, or if the root element does not have an XML name of the
 * schema.
 * `schema`: the JSON Pointer of the schema.
 */
export function parseXml(contract: XmlContract, schema: string, text: string): unknown {
  const root = parseDocument(text);
  const xml = readXmlSchema(contract.normalized, schema);
  const names = listNames(xml);
  if (names.length > 0 && !names.map(removePrefix).includes(root.name))
    throw new SyntaxError(`the root element is <${root.name}>: use ${names.map((name) => `<${name}>`).join(' or ')}`);
  return new XmlReader(contract).read(xml, root);
}

/** Returns the names that an element of a schema can have; an empty array if it can have any name. */
function listNames({ name, alternatives }: XmlSchema): readonly string[] {
  const names = alternatives.length === 0 ? [name] : alternatives.map((alternative) => alternative.name);
  const given = names.filter((one) => one !== undefined);
  return given.length === names.length ? [...new Set(given)] : [];
}

/**
 * How many elements are compared with the schemas, to choose between alternatives.
 * An element counts once for each comparison, and with all elements inside. After that, the alternatives are read as
 * one schema with all their properties.
 */
const MAX_COMPARED = 1_500;

/** Returns the alternatives of a schema that have names, by name. XML can have thousands of elements. */
const indexAlternatives = memoizeByObject(({ alternatives }: XmlSchema): ReadonlyMap<string, readonly XmlSchema[]> => {
  const index = new Map<string, XmlSchema[]>();
  for (const alternative of alternatives) {
    if (alternative.name === undefined) continue;
    const name = removePrefix(alternative.name);
    index.set(name, [...(index.get(name) ?? []), alternative]);
  }
  return index;
});

/** Converts elements to values. */
class XmlReader {
  readonly #contract: XmlContract;
  readonly #document: Document;
  /** The values of elements, because the alternatives of a schema can have the same properties. */
  readonly #known = new Map<XmlElement, Map<XmlSchema, unknown>>();
  #leftToCompare = MAX_COMPARED;

  constructor(contract: XmlContract) {
    this.#contract = contract;
    this.#document = contract.normalized;
  }

  read(xml: XmlSchema, element: XmlElement): unknown {
    const known = this.#known.get(element) ?? new Map<XmlSchema, unknown>();
    this.#known.set(element, known);
    if (!known.has(xml)) known.set(xml, this.#readFirstValid(xml, element));
    return known.get(xml);
  }

  #readFirstValid(xml: XmlSchema, element: XmlElement): unknown {
    const named = xml.alternatives.length === 0 ? undefined : indexAlternatives(xml).get(element.name);
    if (named && named.length < xml.alternatives.length) return this.#readNamed(xml, named, element);
    const merged = this.#readAs(xml, element);
    if (xml.isUniform || this.#isValid(xml, element, merged)) return merged;
    for (const alternative of xml.alternatives) {
      if (this.#leftToCompare <= 0) break;
      const value = this.#readAs(alternative, element);
      if (this.#isValid(xml, element, value)) return value;
    }
    return merged;
  }

  /**
   * Reads an element as one of the alternatives that have its name.
   * Throws a `SyntaxError` if it has the content of an alternative with another name.
   */
  #readNamed(xml: XmlSchema, named: readonly XmlSchema[], element: XmlElement): unknown {
    const values = named.map((alternative) => this.#readAs(alternative, element));
    const isValid = (value: unknown, index: number) =>
      named[index]?.pointers.every((pointer) => this.#contract.getErrors(pointer, value).length === 0) === true;
    const fitting = values.find(isValid);
    if (fitting !== undefined) return fitting;
    const [first] = values;
    if (this.#isValid(xml, element, first))
      throw new SyntaxError(`the content of the element <${element.name}> does not match its schema`);
    return first;
  }

  #isValid({ pointers: [schema = ''] }: XmlSchema, { size }: XmlElement, value: unknown): boolean {
    this.#leftToCompare -= size;
    if (this.#leftToCompare <= 0) return false;
    const errors = this.#contract.getErrors(schema, value);
    // The comparison was too much work, and the elements around this one would be even more.
    if (errors.some(({ keyword }) => keyword === 'unusable')) this.#leftToCompare = 0;
    return errors.length === 0;
  }

  /** Converts an element to a value of one schema, without its alternatives. */
  #readAs(xml: XmlSchema, element: XmlElement): unknown {
    const { children, attributes, text } = element;
    const hasText = text.trim() !== '';
    if (children.length === 0 && !hasText) {
      if (NIL.has(attributes.nil)) return null;
      const isEmpty = Object.keys(attributes).length === 0;
      if (isEmpty && xml.types.includes('null') && !xml.types.includes('string')) return null;
    }
    if (xml.kind === 'array') {
      const items = readXmlSchema(this.#document, xml.items);
      return children.map((child) => this.read(items, child));
    }
    if (xml.kind === 'object')
      return hasText && !getNames(this.#document)(xml).text ? text : this.#readObject(xml, element);
    if (children.length > 0) return xml.types.length === 0 ? this.#readObject(xml, element) : { text };
    return toPrimitive(xml.types, text);
  }

  #readObject(xml: XmlSchema, element: XmlElement): Node {
    const names = getNames(this.#document)(xml);
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
      const property =
        chooseProperty(names.elements.get(child.name), lists) ?? this.#findOther(xml, child.name, others);
      const value = this.read(property.items ?? property.schema, child);
      const list = lists.get(property);
      if (list) list.push(value);
      else lists.set(property, [value]);
    }
    for (const [{ key, items }, list] of lists) values.set(key, items || list.length > 1 ? list : list[0]);
    const { text } = names;
    const hasText =
      element.text.trim() !== '' || (element.children.length === 0 && xml.required.includes(text?.key ?? ''));
    if (text && hasText) values.set(text.key, toPrimitive(text.schema.types, element.text));
    // An empty list without an element of its own has no elements.
    for (const key of names.requiredLists) if (!values.has(key)) values.set(key, []);
    return Object.fromEntries(values);
  }

  #findOther(xml: XmlSchema, name: string, others: Map<string, XmlProperty>): XmlProperty {
    const other = others.get(name) ?? createProperty(this.#document, name, readXmlProperty(this.#document, xml, name));
    others.set(name, other);
    return other;
  }
}

/** The values of the attribute `xsi:nil` of an element without a value. */
const NIL: ReadonlySet<string | undefined> = new Set(['true', '1']);

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
  /** The property that has the text of the element. */
  readonly text: XmlProperty | undefined;
  /** The required lists whose entries are elements beside the other properties. */
  readonly requiredLists: readonly string[];
}

/** Returns the names of the properties of an object. They are computed once for each schema. */
const getNames = memoizeByObject((document: Document) =>
  memoizeByObject((xml: XmlSchema): XmlNames => {
    const attributes = new Map<string, XmlProperty>();
    const elements = new Map<string, XmlProperty[]>();
    let text: XmlProperty | undefined;
    for (const [key, pointer] of xml.properties) {
      const property = createProperty(document, key, readXmlSchema(document, pointer));
      const { schema, items } = property;
      const own = toElementNames(schema, key);
      const names = items ? [...toElementNames(items, key), ...own] : own;
      if (schema.textNode) text ??= property;
      else if (schema.isAttribute) attributes.set(removePrefix(schema.name ?? key), property);
      else for (const one of new Set(names)) elements.set(one, [...(elements.get(one) ?? []), property]);
    }
    const lists = [...elements.values()].flat().filter(({ items }) => items !== undefined);
    const requiredLists = [...new Set(lists.map(({ key }) => key))].filter((key) => xml.required.includes(key));
    return { attributes, elements, text, requiredLists };
  }),
);

/** Returns the names of the elements of a property. Its alternatives can have different names. */
function toElementNames({ name, alternatives }: XmlSchema, key: string): readonly string[] {
  const names = [name, ...alternatives.map((alternative) => alternative.name)];
  return names.map((one) => removePrefix(one ?? key));
}

function createProperty(document: Document, key: string, schema: XmlSchema): XmlProperty {
  const isList = schema.kind === 'array' && !schema.isWrapped;
  return { key, schema, items: isList ? readXmlSchema(document, schema.items) : undefined };
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
