import { addToGroup } from '../util/groups.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { isIdName, normalizeName, toSingular } from '../util/names.ts';
import { type Document, getTarget, isNode, type Node, resolveNode, resolvePointer, toNode } from './document.ts';
import { isJsonType } from './media-types.ts';
import { EXAMPLE_SCHEMA, getMediaExamples } from './responses.ts';
import { getRoutes } from './routes.ts';
import { mapNodes } from './walk-schemas.ts';

/** Matches the JSON Pointer of a Media Type Object, and captures its media type. */
const MEDIA = /\/content\/([^/]+~1[^/]+)$/;

/**
 * Returns a normalized document in which the Media Type Objects that describe JSON only by examples also have a schema
 * of these.
 * This schema says which properties there are. Requests and responses are not validated against it.
 */
export function addExampleSchemas(document: Document): Document {
  return mapNodes(document, (node, pointer) => addExampleSchema(document, node, pointer));
}

function addExampleSchema(document: Document, node: Node, pointer: string): Node {
  const [, type] = MEDIA.exec(pointer) ?? [];
  if (type === undefined || !isJsonType(type.replaceAll('~1', '/'))) return node;
  const schema = toNode(getTarget(document, `${pointer}/schema`));
  const own = ['example' in schema ? [schema.example] : [], schema.examples ?? []].flat();
  const examples = [...getMediaExamples(document, pointer, type).map(({ value }) => value), ...own];
  const known = examples.filter(
    (value) => isNode(value) || (Array.isArray(value) && (value.length === 0 || value.some(isNode))),
  );
  const isRequest = /\/requestBod(?:y|ies)\//.test(pointer);
  if (known.length === 0) return node;
  const segments = listSegments(findPath(document, pointer));
  const describer = new ExampleDescriber(document, isRequest, segments);
  const described = isOpen(document, schema)
    ? describer.describe(known, segments.at(-1))
    : describer.complete(schema, known);
  // An empty list says nothing, unless other examples have its entries.
  if (described?.type === 'array' && Object.keys(toNode(described.items)).length === 0) return node;
  return described ? { ...node, [EXAMPLE_SCHEMA]: described } : node;
}

/** Keywords of a schema that describe nothing in an object or in the objects of a list. */
const OPEN_KEYWORDS = ['type', 'title', 'description', 'example', 'examples', 'nullable'];

/** Returns whether a schema allows any object, or any list of objects. */
function isOpen(document: Document, schema: Node): boolean {
  const { type = 'object', additionalProperties = true, items, ...rest } = schema;
  const isAny = additionalProperties === true || Object.keys(toNode(additionalProperties)).length === 0;
  const isContainer = [type].flat().some((one) => one === 'object' || one === 'array');
  if (!isAny || !isContainer || Object.keys(rest).some((key) => !OPEN_KEYWORDS.includes(key))) return false;
  return type !== 'array' || items === undefined || isOpen(document, toNode(resolveNode(document, items)));
}

/** The maximum depth of nested values that are described. */
const MAX_DEPTH = 6;

/** The maximum number of objects around an entry. */
const MAX_ENVELOPES = 3;

/** The maximum number of entries of a list that are described. */
const MAX_ENTRIES = 20;

/** The maximum number of objects in the examples of a response that are compared with others. */
const MAX_OBJECTS = 500;

/** The minimum number of common properties of two objects in examples that are of the same kind. */
const MIN_COMMON = 3;

/**
 * An object in the example of a success response. `isNew`: whether it is in the response to its creation.
 * `name`: the name of the property or the path that has it, or a list with it.
 */
interface Shown {
  readonly object: Node;
  readonly name: string;
  readonly isNew: boolean;
}

/** Returns the path of the first operation with the example at a JSON Pointer, or whose response refers to it. */
function findPath(document: Document, pointer: string): string {
  const [kind, path = ''] = parsePointer(pointer);
  if (kind === 'paths') return path;
  const refers = (response: string) => pointer.startsWith(`${resolvePointer(document, response)}/`);
  return getRoutes(document).find(({ responses }) => responses.some((one) => refers(one.pointer)))?.path ?? '';
}

/** Matches segments that the paths of different entries have in common, and parameters. */
const COMMON_SEGMENT = /^$|\{|^(?:api|rest|v\d+)$/i;

/** Returns the normalized names of the segments of a path that can name entries, in the singular. */
function listSegments(path: string): readonly string[] {
  const fixed = path.split('/').filter((segment) => !COMMON_SEGMENT.test(segment));
  return fixed.map((segment) => normalizeName(toSingular(segment)));
}

/** Returns the objects in the examples of the success responses of a document, by the segments of their paths. */
const indexShown = memoizeByObject((document: Document): ReadonlyMap<string, readonly Shown[]> => {
  const index = new Map<string, Shown[]>();
  for (const { method, path, responses } of getRoutes(document)) {
    const segments = listSegments(path);
    for (const { name, media } of responses.filter((one) => one.name.startsWith('2')))
      for (const { examples } of Object.values(media))
        for (const one of listObjects(examples, method === 'POST' && name === '201', segments.at(-1) ?? ''))
          for (const segment of new Set(segments)) addToGroup(index, segment, one);
  }
  return index;
});

function listObjects(
  examples: readonly { readonly value: unknown }[],
  isNew: boolean,
  segment: string,
): readonly Shown[] {
  const found: Shown[] = [];
  const add = (value: unknown, name: string, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || found.length >= MAX_OBJECTS) return;
    // An object without an id at the top level can be an envelope.
    const isEnvelope = depth === 0 && isNode(value) && !Object.keys(value).some(isIdName);
    if (isNode(value)) found.push({ object: value, name: isEnvelope ? '' : name, isNew });
    for (const [key, inner] of Object.entries(value).slice(0, MAX_ENTRIES))
      add(inner, isNode(value) ? key : name, depth + 1);
  };
  for (const { value } of examples) add(value, segment, 0);
  return found;
}

/** Returns the objects of the same kind in the examples of success responses whose paths have a common segment. */
function listAlike(document: Document, segments: readonly string[], objects: readonly Node[]): readonly Shown[] {
  const own = new Set(objects.flatMap(Object.keys));
  const types = new Set(objects.map(getResourceType));
  const candidates = new Set(segments.slice(-2).flatMap((segment) => indexShown(document).get(segment) ?? []));
  return [...candidates].filter(({ object }) => {
    const others = Object.keys(object);
    const common = others.filter((name) => own.has(name)).length;
    const isAlike = common >= MIN_COMMON && common * 2 > Math.max(others.length, own.size);
    return isAlike && types.has(getResourceType(object));
  });
}

/** Returns the type of a resource object of JSON:API; undefined for another object. */
function getResourceType({ type, attributes }: Node): unknown {
  return isNode(attributes) ? type : undefined;
}

/** Returns the objects with the name of a list, or the singular of this name, at paths with this name or in lists. */
function listNamed(document: Document, segments: readonly string[], list: string): readonly Node[] {
  const own = normalizeName(toSingular(list));
  const isNamed = ({ name }: Shown) => name !== '' && normalizeName(toSingular(name)) === own;
  const found = new Set([own, ...segments.slice(-2)].flatMap((segment) => indexShown(document).get(segment) ?? []));
  return [...found].filter(isNamed).map(({ object }) => object);
}

/**
 * Describes values in examples. `isRequest`: whether clients send the values, so that none of them is required.
 * `segments`: the segments of the path.
 */
class ExampleDescriber {
  constructor(
    private readonly document: Document,
    private readonly isRequest: boolean,
    private readonly segments: readonly string[],
  ) {}

  /** Returns a schema of the values of a property. */
  describe(values: readonly unknown[], name = '', depth = 0, isInEntry = false): Node {
    const known = values.filter((value) => value !== null && value !== undefined);
    const kinds = new Set(known.map((value) => (Array.isArray(value) ? 'array' : typeof value)));
    const [kind = ''] = kinds;
    if (depth > MAX_DEPTH) return {};
    // Values of several types have no type. The first one is the example in all operations.
    if (kinds.size !== 1) return values.length === 0 ? {} : { example: known[0] ?? null };
    const described = this.#describeKind(known, { kind, name, depth, isInEntry });
    if (known.length === values.length) return described;
    const isEmpty = values[0] === null;
    return { ...described, type: [described.type, 'null'], ...(isEmpty && { example: null }) };
  }

  /**
   * Returns a schema that also describes the entries in its lists and objects without a schema of their own, such as
   * the `data` of `{ success, data }`.
   * Returns undefined if there are none.
   */
  complete(schema: Node, values: readonly unknown[], depth = 0): Node | undefined {
    const own = toNode(resolveNode(this.document, schema));
    const objects = values.flat().filter(isNode);
    if (objects.length === 0 || depth > MAX_ENVELOPES) return undefined;
    // Clients choose the properties of a free object in an entry, such as its settings.
    if (!isNode(own.items) && !isOpen(this.document, own) && objects.some(hasId)) return undefined;
    const isList = isNode(own.items) || values.some(Array.isArray);
    const isAny = isOpen(this.document, toNode(resolveNode(this.document, own.items ?? own)));
    // The objects in a list without an id can be pages instead of entries.
    if (depth > 0 && isAny && isList && !objects.every((one) => Object.keys(one).some(isIdName))) return undefined;
    if (depth > 0 && isOpen(this.document, own)) return this.describe(values, '', depth);
    if (isNode(own.items)) {
      const items = this.complete(own.items, objects, depth);
      return items && { ...own, items };
    }
    const known = toNode(own.properties);
    const described = Object.keys(known).flatMap((name) => {
      const inner = objects.flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
      const property = this.complete(toNode(known[name]), inner, depth + 1);
      return property ? [[name, property] as const] : [];
    });
    if (described.length === 0) return undefined;
    const beside = depth === 0 && own.additionalProperties !== false ? this.#describeBeside(known, objects) : {};
    return { ...own, properties: { ...known, ...beside, ...Object.fromEntries(described) } };
  }

  /** Returns the schemas of the objects beside known properties, such as the `meta` of a page. */
  #describeBeside(known: Node, values: readonly Node[]): Node {
    const names = [...new Set(values.flatMap(Object.keys))].filter((name) => !Object.hasOwn(known, name));
    const objects = names.filter((name) => values.every((value) => isNode(value[name])));
    return Object.fromEntries(
      objects.map((name) => [
        name,
        this.describe(
          values.map((value) => value[name]),
          name,
          1,
        ),
      ]),
    );
  }

  #describeKind(values: readonly unknown[], place: Place & { readonly kind: string }): Node {
    const { kind, name, depth, isInEntry } = place;
    const [example] = values;
    if (kind === 'array') {
      const own = values.flat().slice(0, MAX_ENTRIES);
      // The entries of an empty list can be in other examples.
      const items =
        own.length > 0 || this.isRequest ? own : listNamed(this.document, this.segments, name).slice(0, MAX_ENTRIES);
      return { type: kind, items: this.describe(items, name, depth + 1, isInEntry) };
    }
    if (kind === 'object') return this.#describeObjects(values.map(toNode), place);
    if (kind === 'number') {
      const isId = normalizeName(name).endsWith('id') && values.every(Number.isInteger);
      return { type: isId ? 'integer' : kind, example };
    }
    const format = FORMATS.find(([, form]) => values.every((value) => form.test(String(value))))?.[0];
    return { type: kind, example, ...(format && { format }) };
  }

  /** The first values of a new object are the examples of its properties. */
  #describeObjects(objects: readonly Node[], { name, depth, isInEntry }: Place): Node {
    const names = [...new Set(objects.flatMap(Object.keys))];
    const alike = this.isRequest ? [] : listAlike(this.document, this.segments, objects);
    const [newest, others] = [true, false].map((isNew) => alike.filter((one) => one.isNew === isNew));
    const all = [...[newest, others].flatMap((some = []) => some.map(({ object }) => object)), ...objects];
    const isEntry = !this.isRequest && (isInEntry || objects.some(hasId));
    const properties = names.map((key) => {
      const values = all.flatMap((one) => (Object.hasOwn(one, key) ? [one[key]] : []));
      const isFree = isEntry && isFreeObject(key, values);
      return [key, isFree ? { type: 'object', example: values[0] } : this.describe(values, key, depth + 1, isEntry)];
    });
    const described = { type: 'object', properties: Object.fromEntries(properties) };
    if (this.isRequest) return { ...described, additionalProperties: true };
    const shown = [...alike.map(({ object }) => object), ...objects];
    // An item in a list of an entry, such as a line of an order, can have other properties.
    if (isInEntry && !objects.some(hasOwnId) && !MEMBERS.test(name))
      return { ...described, additionalProperties: true };
    const isPart = depth > 0 && !objects.some(hasId);
    const required = names.filter((key) => shown.every((one) => Object.hasOwn(one, key)));
    return { ...described, required, ...(isPart && { additionalProperties: true }) };
  }
}

/** Where values are. `isInEntry`: whether they are in an object with an id. */
interface Place {
  readonly name: string;
  readonly depth: number;
  readonly isInEntry: boolean;
}

/** Returns whether an object has an id of its own. */
function hasOwnId(object: Node): boolean {
  return Object.keys(object).some((name) => ['id', 'uuid', 'guid'].includes(normalizeName(name)));
}

/** Matches the names of ids that envelopes have. */
const ENVELOPE_ID = /^(?:request|trace|correlation|transaction)/i;

/** Returns whether an object has an id, so that it is an entry and no envelope. */
function hasId(object: Node): boolean {
  return Object.keys(object).some((name) => isIdName(name) && !ENVELOPE_ID.test(name));
}

/** Matches the members of resource objects of JSON:API with properties and links. */
const MEMBERS = /^(?:attributes|relationships|links|meta)$/;

/** Returns whether the values of a property of an entry are objects without an id, such as its settings. */
function isFreeObject(name: string, values: readonly unknown[]): boolean {
  return !MEMBERS.test(name) && values.every((value) => isNode(value) && !hasId(value));
}

/** The formats of texts. */
const FORMATS: readonly (readonly [format: string, form: RegExp])[] = [
  ['date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/],
  ['date', /^\d{4}-\d\d-\d\d$/],
  ['uuid', /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i],
];
