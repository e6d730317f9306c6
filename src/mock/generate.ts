import { type Document, isNode, type Node } from '../openapi/document.ts';
import { isOnly } from '../openapi/schema-validator.ts';
import type { Random } from '../util/random.ts';
import { wholeSchema } from './merge-schema.ts';
import { numberOf } from './numbers.ts';
import { textOf } from './strings.ts';

/** How a value is made of a schema. */
export interface Making {
  readonly random: Random;
  /** Takes the examples that schemas give. */
  readonly usesExamples: boolean;
  /** Leaves out what needn't be there. */
  readonly isBare: boolean;
  /** Leaves out nothing that may be there, as far as it isn't nested deeply. */
  readonly isFull?: boolean;
  /** The query of the request that it is made for: `x-present-with` of a schema names for a property the parameter and the value with which it is there. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
}

/** How often one reference may lead to itself, and how deep values are nested, before only what must be there is made. */
const TURNS = 1;
const DEPTH = 4;

/** How likely it is that a property that needn't be there is. */
const OPTIONAL = 0.8;

/** How likely it is that a value is null which may be. */
const NULL = 0.05;

/** How many entries a list has that may have any number. */
const ENTRIES = { least: 1, most: 3 };

/** How often an entry is made anew that a list of different ones has already. */
const TRIES = 60;

/** How deep values may be nested by what must be there. */
const DEEPEST = 100;

/** A schema by which something that must be there has to hold itself, without end. */
export class EndlessSchemaError extends Error {
  override readonly name = 'EndlessSchemaError';
}

/**
 * Makes values of the schemas of a document, without properties that go only the other way; they hold by them as far as one pass can tell, which
 * whoever uses them checks.
 */
export function createGenerator(
  document: Document,
  otherWay: 'readOnly' | 'writeOnly' = 'writeOnly',
): (node: unknown, making: Making) => unknown {
  function value(node: unknown, name: string, making: Making, above: readonly string[]): unknown {
    const { random } = making;
    const isShort = (reference: string) => above.filter((one) => one === reference).length < TURNS;
    const { schema, references } = wholeSchema(document, node, random, isShort);
    const path = [...above, ...(references.length > 0 ? references : [''])];
    if (path.length > DEEPEST) throw new EndlessSchemaError();
    const isBare = making.isBare || path.length > DEPTH || references.some((reference) => !isShort(reference));
    if ('const' in schema) return schema.const;
    if (making.usesExamples) {
      const [example] = Array.isArray(schema.examples) ? schema.examples : [schema.example ?? schema.default];
      if (example !== undefined) return example;
    }
    if (Array.isArray(schema.enum) && schema.enum.length > 0) return chosenOf(schema.enum, making);
    switch (typeOf(schema, making)) {
      case 'object':
        return object(schema, name, { ...making, isBare }, path);
      case 'array':
        return array(schema, name, { ...making, isBare }, path);
      case 'integer':
        return numberOf(schema, name, random, true);
      case 'number':
        return numberOf(schema, name, random, false);
      case 'boolean':
        return random.next() < 0.5;
      case 'null':
        return null;
      default:
        return textOf(schema, name, random);
    }
  }

  function object(schema: Node, name: string, making: Making, path: readonly string[]): Node {
    const { random, isBare } = making;
    const properties = isNode(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    // No object yet: a property may be called `__proto__`.
    const made = new Map<string, unknown>();
    const fits = () => made.size < Number(schema.maxProperties ?? Number.POSITIVE_INFINITY);
    for (const key of required) {
      if (isOnly(document, properties[key], otherWay)) continue;
      made.set(key, value(properties[key] ?? spare(schema), key, making, path));
    }
    for (const [key, property] of Object.entries(properties)) {
      if (made.has(key) || !fits() || isOnly(document, property, otherWay)) continue;
      const isWanted =
        isPresent(schema, key, making) ??
        (!isBare && (making.usesExamples || making.isFull || random.next() < OPTIONAL));
      if (isWanted) made.set(key, value(property, key, making, path));
    }
    const least = Math.max(Number(schema.minProperties ?? 0), isMap(schema, properties) && !isBare ? 2 : 0);
    for (let number = 1; made.size < least && fits() && number <= TRIES; number++) {
      const [key, property] = another(schema, number, random);
      if (!made.has(key)) made.set(key, value(property, name, making, path));
    }
    return Object.fromEntries(made);
  }

  function array(schema: Node, name: string, making: Making, path: readonly string[]): readonly unknown[] {
    const { random, isBare } = making;
    const least = Math.max(Number(schema.minItems ?? 0), schema.contains === undefined ? 0 : 1);
    const most = Number(schema.maxItems ?? Number.POSITIVE_INFINITY);
    const wanted = isBare ? least : Math.max(least, random.whole(ENTRIES.least, ENTRIES.most));
    const made: unknown[] = [];
    const seen = new Set<string>();
    for (let tries = TRIES + wanted; made.length < Math.min(wanted, most) && tries > 0; tries--) {
      const items = schema.items ?? {};
      const isContained = schema.contains !== undefined && made.length === 0;
      const entry = value(isContained ? { allOf: [items, schema.contains] } : items, singular(name), making, path);
      const text = JSON.stringify(entry);
      if (schema.uniqueItems === true && seen.has(text)) continue;
      seen.add(text);
      made.push(entry);
    }
    return made;
  }

  return (node, making) => value(node, '', making, []);
}

/** Of some values one, no null where there is another. */
function chosenOf(values: readonly unknown[], { random, usesExamples }: Making): unknown {
  const some = values.filter((value) => value !== null);
  if (usesExamples) return some[0] ?? null;
  return random.pick(some.length > 0 && random.next() > NULL ? some : values);
}

function typeOf(schema: Node, { random }: Making): unknown {
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== 'null');
  if (types.length === 0) return 'null';
  const type = types.length > 1 ? random.pick(types) : types[0];
  if (type !== undefined) return type;
  if (
    ['properties', 'additionalProperties', 'required', 'minProperties', 'patternProperties'].some(
      (key) => key in schema,
    )
  )
    return 'object';
  if (['items', 'minItems', 'uniqueItems', 'contains'].some((key) => key in schema)) return 'array';
  if (['minimum', 'maximum', 'multipleOf'].some((key) => key in schema)) return 'number';
  const excluded = isNode(schema.not) && !('enum' in schema.not) ? [schema.not.type].flat() : [];
  return ['string', 'integer', 'boolean'].find((one) => !excluded.includes(one));
}

/** A further property of an object: its name, by a pattern where the schema has one for names, and its schema. */
function another(schema: Node, number: number, random: Random): readonly [key: string, property: unknown] {
  const [[pattern, property] = []] = Object.entries(isNode(schema.patternProperties) ? schema.patternProperties : {});
  if (pattern !== undefined) return [textOf({ pattern }, 'key', random), property];
  const key = isNode(schema.propertyNames) ? textOf(schema.propertyNames, 'key', random) : `key${number}`;
  return [key, spare(schema)];
}

/** What the properties of an object are that it doesn't name. */
function spare({ additionalProperties }: Node): unknown {
  return isNode(additionalProperties) ? additionalProperties : {};
}

function isMap({ additionalProperties, patternProperties }: Node, properties: Node): boolean {
  return (isNode(additionalProperties) || isNode(patternProperties)) && Object.keys(properties).length === 0;
}

/** Whether a property is there by what the request asks for; undefined where the schema says nothing of that. */
function isPresent(schema: Node, property: string, { query }: Making): boolean | undefined {
  const conditions = schema['x-present-with'];
  const [name = '', wanted] = isNode(conditions) ? String(conditions[property] ?? '').split('=') : [];
  return wanted === undefined ? undefined : query[name] === wanted;
}

/** The name of an entry of a list of that name. */
function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
}
