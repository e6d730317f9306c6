import type { Document } from 'openapi-backend';
import { MAX_JSON_DEPTH } from '../util/json-limits.ts';
import { getNode, isNode, resolvePointer } from './document.ts';
import { type Example, examplesIn } from './responses.ts';

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** How a value is written that is a list or an object; undefined where it is a text as it stands. */
  readonly shape: Shape | undefined;
  /** The names of its properties, where these stand in the query by themselves. */
  readonly fields: readonly string[];
  /** Whether a name without a value is as none. */
  readonly mayBeEmpty: boolean;
  readonly examples: readonly Example[];
  /** JSON Pointer of where it is described. */
  readonly pointer: string;
}

type Shape = 'list' | 'commas' | 'blanks' | 'bars' | 'deep' | 'deep list' | 'fields' | 'pairs' | 'json';

/** Headers that are no parameters, whatever a document says (OpenAPI 3.0, Parameter Object). */
const NO_PARAMETERS = ['accept', 'content-type', 'authorization'];

/** The parameters of an operation: its own, and those of its path that it doesn't give otherwise. */
export function parametersAt(document: Document, operation: string): readonly Parameter[] {
  const path = operation.slice(0, operation.lastIndexOf('/'));
  const found = new Map<string, Parameter>();
  for (const list of [`${operation}/parameters`, `${path}/parameters`]) {
    const nodes = getNode(document, list);
    for (const place of Array.isArray(nodes) ? nodes.keys() : []) {
      const parameter = parameterAt(document, resolvePointer(document, `${list}/${place}`));
      if (parameter && !found.has(`${parameter.in} ${parameter.name}`)) {
        found.set(`${parameter.in} ${parameter.name}`, parameter);
      }
    }
  }
  return [...found.values()];
}

function parameterAt(document: Document, pointer: string): Parameter | undefined {
  const node = getNode(document, pointer);
  if (!isNode(node) || typeof node.name !== 'string') return undefined;
  const place = node.in as Parameter['in'];
  if (place === 'header' && NO_PARAMETERS.includes(node.name.toLowerCase())) return undefined;
  const type = typeAt(document, `${pointer}/schema`);
  const shape = shapeOf(node, type);
  const properties = getNode(document, `${resolvePointer(document, `${pointer}/schema`)}/properties`);
  return {
    name: node.name,
    in: place,
    shape,
    fields: shape === 'fields' && isNode(properties) ? Object.keys(properties) : [],
    mayBeEmpty: node.allowEmptyValue === true,
    examples: examplesIn(document, pointer),
    pointer,
  };
}

function shapeOf({ in: place, style, explode, content }: Record<string, unknown>, type: unknown): Shape | undefined {
  if (isNode(content)) return 'application/json' in content ? 'json' : undefined;
  const types = Array.isArray(type) ? type : [type];
  if (style === 'deepObject') return types.includes('array') ? 'deep list' : 'deep';
  if (types.includes('object')) return place === 'query' && explode !== false ? 'fields' : 'pairs';
  if (!types.includes('array')) return undefined;
  if (place !== 'query') return 'commas';
  if (style === 'spaceDelimited') return 'blanks';
  if (style === 'pipeDelimited') return 'bars';
  return explode === false ? 'commas' : 'list';
}

/** The value of a parameter as its schema has it; what can't be read so stays as it was sent, for the schema to refuse. */
export function shaped(shape: Shape, value: string | readonly string[]): unknown {
  switch (shape) {
    case 'list':
    case 'deep list':
      return Array.isArray(value) ? value : [value];
    case 'commas':
      return parted(value, ',');
    case 'blanks':
      return parted(value, / |%20/);
    case 'bars':
      return parted(value, '|');
    case 'json':
      return typeof value === 'string' ? fromJson(value) : value;
    case 'pairs':
      return typeof value === 'string' ? fromPairs(value.split(',')) : value;
    case 'deep':
    case 'fields':
      return value;
  }
}

function parted(value: string | readonly string[], by: string | RegExp): unknown {
  return typeof value === 'string' ? value.split(by) : value;
}

/** The object of a list in which names and values take turns. */
function fromPairs(parts: readonly string[]): object {
  const names = parts.filter((_, place) => place % 2 === 0);
  return Object.fromEntries(names.map((name, place) => [name, parts[2 * place + 1] ?? '']));
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The parameter that a name in a query belongs to, and the keys in it: of `filter[colour][not]` they are `filter`, `colour` and `not`. */
export function deepName(name: string): { readonly parameter: string; readonly keys: readonly string[] } | undefined {
  const [, parameter, keys] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  const names = keys?.slice(1, -1).split('][') ?? [];
  // What is deeper is no parameter of any operation.
  if (parameter === undefined || names.length === 0 || names.length > MAX_JSON_DEPTH) return undefined;
  return { parameter, keys: names };
}

/** The type that a schema says, itself or in a part of its `allOf`. */
function typeAt(document: Document, schema: string): unknown {
  const pointer = resolvePointer(document, schema);
  const node = getNode(document, pointer);
  if (!isNode(node) || node.type !== undefined || !Array.isArray(node.allOf))
    return isNode(node) ? node.type : undefined;
  return [...node.allOf.keys()]
    .map((place) => typeAt(document, `${pointer}/allOf/${place}`))
    .find((type) => type !== undefined);
}
