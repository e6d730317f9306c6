import type { CoverageKind } from '../control/operation.ts';
import type { Contract } from '../openapi/contract.ts';
import { type Document, isNode, type Node, resolvePointer, toNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { DocumentedMedia, DocumentedResponse, Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getSchemaParts } from '../openapi/schema-parts.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';

/** A part of an operation in the contract that a request or a response can use. */
export interface Point {
  readonly kind: CoverageKind;
  /** The name in reports, such as `404` or `query sort = "asc"`. Unique for its kind in the operation. */
  readonly name: string;
  /** The JSON Pointer of the part in the contract. */
  readonly pointer: string;
}

/** Points of a value: its properties, its entries and the values of its `enum`. The numbers are indexes of points. */
export interface ValuePoints {
  readonly own: number | undefined;
  readonly properties: ReadonlyMap<string, ValuePoints>;
  readonly entries: ValuePoints | undefined;
  /** By the value as JSON. */
  readonly values: ReadonlyMap<string, number>;
}

export interface ExamplePoint extends Example {
  readonly index: number;
  /** The length of the value as JSON. Values with another length are different. */
  readonly length: number;
}

/** The points of a body with one media type. */
export interface MediaPoints {
  readonly index: number;
  readonly examples: readonly ExamplePoint[];
  readonly value: ValuePoints | undefined;
}

export interface ParameterPoints {
  readonly parameter: Parameter;
  /** Undefined for a required parameter. */
  readonly index: number | undefined;
  readonly examples: readonly ExamplePoint[];
  /** By the value as text. */
  readonly values: ReadonlyMap<string, number>;
}

export interface StatusPoints {
  readonly index: number;
  readonly media: ReadonlyMap<string, MediaPoints>;
}

/** The points of an operation, in the order of the document. The first point is the operation itself. */
export interface OperationPoints {
  readonly route: Route;
  readonly points: readonly Point[];
  readonly parameters: readonly ParameterPoints[];
  readonly bodies: ReadonlyMap<string, MediaPoints>;
  readonly statuses: ReadonlyMap<DocumentedResponse, StatusPoints>;
}

/**
 * The maximum number of properties and values of a contract.
 * Each operation has an equal share of them, but at least 50 and at most 1,000.
 * Further properties and values have no points.
 */
const MAX_CONTRACT_VALUES = 50_000;
const MIN_OPERATION_VALUES = 50;
const MAX_OPERATION_VALUES = 1_000;

/** The maximum number of levels of a body that have points. */
const MAX_DEPTH = 8;

/** Returns a function that lists the points of an operation of a contract, which takes place at its first call. */
export const getContractPoints = memoizeByObject(({ normalized, routes }: Contract) => {
  const share = Math.floor(MAX_CONTRACT_VALUES / Math.max(1, routes.length));
  const maxValues = Math.min(MAX_OPERATION_VALUES, Math.max(MIN_OPERATION_VALUES, share));
  return memoizeByObject((route: Route): OperationPoints => new PointList(normalized, maxValues).list(route));
});

interface TypedMedia extends DocumentedMedia {
  readonly type: string;
  readonly pointer: string;
}

/** The body of a request or of a response. `part`: its name in reports, such as `response 200`. */
interface BodyPart {
  readonly part: string;
  readonly isRequest: boolean;
}

/** Where the schemas of a value are, and what its points are called. */
interface ValuePlace extends BodyPart {
  /** The JSON Pointers of the schemas. */
  readonly schemas: readonly string[];
  /** The path of the value in the body, with `*` for the entries of a list. */
  readonly path: string;
  /** The schemas around the value, at which a recursion ends. */
  readonly around: readonly Node[];
}

const NO_VALUES: ReadonlyMap<string, number> = new Map();

class PointList {
  readonly #points: Point[] = [];
  readonly #names = new Map<string, number>();
  #left: number;

  constructor(
    private readonly document: Document,
    maxValues: number,
  ) {
    this.#left = maxValues;
  }

  list(route: Route): OperationPoints {
    this.#add('operation', route.operationId, route.pointer);
    const parameters = route.parameters.map((parameter) => this.#listParameter(parameter));
    const requestBody = `${route.pointer}/requestBody`;
    const bodies = this.#listMedia(route.bodyMedia, requestBody, { part: 'body', isRequest: true });
    const statuses = new Map(
      route.responses.map((response) => {
        const { name, pointer, media } = response;
        const index = this.#add('status', name, pointer);
        const listed = this.#listMedia(media, pointer, { part: `response ${name}`, isRequest: false });
        return [response, { index, media: listed }];
      }),
    );
    return { route, points: this.#points, parameters, bodies, statuses };
  }

  #add(kind: CoverageKind, name: string, pointer: string): number {
    const key = `${kind} ${name}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    this.#points.push({ kind, name, pointer });
    this.#names.set(key, this.#points.length - 1);
    return this.#points.length - 1;
  }

  /** Adds a property or a value, unless the operation has too many of them. */
  #addValue(kind: 'property' | 'value', name: string, pointer: string): number | undefined {
    if (this.#left <= 0) return undefined;
    this.#left--;
    return this.#add(kind, name, pointer);
  }

  #listParameter(parameter: Parameter): ParameterPoints {
    const name = `${parameter.in} ${parameter.name}`;
    const index = parameter.isRequired ? undefined : this.#add('parameter', name, parameter.pointer);
    // The texts of an object in a query are not compared with its examples.
    const named = parameter.examples.filter(({ name: own, value }) => own !== undefined && !hasObject(value));
    const examples = this.#listExamples(named, name, parameter);
    const schemas = [parameter.schema, `${parameter.schema}/items`];
    const found = schemas.flatMap((schema) => this.#getParts([schema]));
    // The text of a parameter cannot be null.
    const values = this.#listValues(found, name, (value) => (value === null ? undefined : String(value)));
    return { parameter, index, examples, values };
  }

  /** `parent`: the JSON Pointer of the request body or of the response. */
  #listMedia(media: DocumentedResponse['media'], parent: string, part: BodyPart): ReadonlyMap<string, MediaPoints> {
    const content = `${resolvePointer(this.document, parent)}/content`;
    return new Map(
      Object.entries(media).map(([type, one]) => [
        type,
        this.#listBody({ ...one, type, pointer: content + formatPointer(type) }, part),
      ]),
    );
  }

  #listBody({ type, pointer, schema, examples }: TypedMedia, body: BodyPart): MediaPoints {
    const index = this.#add('media-type', `${body.part} ${type}`, pointer);
    const listed = this.#listExamples(examples, body.part, { pointer, type });
    const place = { ...body, schemas: schema === undefined ? [] : [schema], path: '', around: [] };
    return { index, examples: listed, value: this.#listValue(place, undefined) };
  }

  /** `type`: the media type, which distinguishes examples with the same name. */
  #listExamples(
    examples: readonly Example[],
    part: string,
    { pointer, type = '' }: { readonly pointer: string; readonly type?: string },
  ): readonly ExamplePoint[] {
    return examples.map((example) => {
      const { name, value } = example;
      const place = name === undefined ? '/example' : formatPointer('examples', name);
      const own = name === undefined ? part : `${part} ${name}`;
      const isKnown = this.#names.has(`example ${own}`);
      const index = this.#add('example', isKnown ? `${own} ${type}` : own, pointer + place);
      return { ...example, index, length: JSON.stringify(value)?.length ?? 0 };
    });
  }

  #getParts(schemas: readonly string[]) {
    return schemas.flatMap((schema) => getSchemaParts(this.document, schema, ALL_PARTS));
  }

  #listValues(
    parts: ReturnType<typeof getSchemaParts>,
    name: string,
    toKey: (value: unknown) => string | undefined,
  ): ReadonlyMap<string, number> {
    const lists = parts.filter(({ node }) => Array.isArray(node.enum));
    if (lists.length === 0) return NO_VALUES;
    const values = new Map<string, number>();
    for (const { pointer, node } of lists)
      for (const [index, value] of (node.enum as unknown[]).entries()) {
        const key = toKey(value);
        if (key === undefined || hasObject(value) || !allowsType(node.type, value)) continue;
        const point = this.#addValue('value', `${name} = ${JSON.stringify(value)}`, `${pointer}/enum/${index}`);
        if (point !== undefined) values.set(key, point);
      }
    return values;
  }

  /** Returns undefined if the value has no points. */
  #listValue(place: ValuePlace, own: number | undefined): ValuePoints | undefined {
    const { part, path, around } = place;
    const parts = this.#getParts(place.schemas).filter(({ node }) => !around.includes(node));
    if (around.length >= MAX_DEPTH || this.#left <= 0)
      return own === undefined ? undefined : { own, properties: new Map(), entries: undefined, values: NO_VALUES };
    const inner = { ...place, around: [...around, ...parts.map(({ node }) => node)] };
    const values = this.#listValues(parts, `${part}${path === '' ? '' : ` ${path}`}`, JSON.stringify);
    const properties = this.#listProperties(parts, inner);
    const items = parts.flatMap(({ pointer, node }) => (isNode(node.items) ? [`${pointer}/items`] : []));
    const entries =
      items.length === 0 ? undefined : this.#listValue({ ...inner, schemas: items, path: `${path}/*` }, undefined);
    const hasPoints = own !== undefined || values.size > 0 || properties.size > 0 || entries !== undefined;
    return hasPoints ? { own, properties, entries, values } : undefined;
  }

  #listProperties(parts: ReturnType<typeof getSchemaParts>, place: ValuePlace): ReadonlyMap<string, ValuePoints> {
    const schemas = new Map<string, string[]>();
    for (const { pointer, node } of parts)
      for (const [name, schema] of Object.entries(toNode(node.properties))) {
        if (toNode(schema)[place.isRequest ? 'readOnly' : 'writeOnly'] === true) continue;
        const known = schemas.get(name) ?? [];
        schemas.set(name, [...known, pointer + formatPointer('properties', name)]);
      }
    const properties = new Map<string, ValuePoints>();
    for (const [name, pointers] of schemas) {
      const path = place.path + formatPointer(name);
      const own = place.isRequest ? this.#addValue('property', `${place.part} ${path}`, pointers[0] ?? '') : undefined;
      const points = this.#listValue({ ...place, schemas: pointers, path }, own);
      if (points) properties.set(name, points);
    }
    return properties;
  }
}

function hasObject(value: unknown): boolean {
  return [value].flat().some((one) => typeof one === 'object' && one !== null);
}

/** Returns whether the keyword `type` allows null. Other values of an `enum` are not compared with their type. */
function allowsType(type: unknown, value: unknown): boolean {
  return value !== null || type === undefined || [type].flat().includes('null');
}
