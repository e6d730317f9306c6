import type { Contract } from '../openapi/contract.ts';
import { getNode, getTarget, isNode, type Node, toNode } from '../openapi/document.ts';
import type { Example } from '../openapi/responses.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import type { DocumentedItems } from '../openapi/stream-items.ts';
import { mixSeed } from '../util/random.ts';
import { parseWrittenStream } from '../util/streams.ts';
import type { ResponsePreferences } from './choose-response.ts';

/** The number of items of a mocked stream, if neither the schema nor the request asks for another one. */
const DEFAULT_ITEMS = 3;

/** The maximum number of different generated items. Further items repeat them. */
const MAX_GENERATED = 100;

/** What a stream of a mock is created from. `type`: the media type. */
interface ItemInput {
  readonly items: DocumentedItems;
  readonly type: string;
  readonly example: Example | undefined;
  readonly preferences: ResponsePreferences;
}

/**
 * Creates the items of a stream: those of the example, or generated ones.
 * Returns undefined if there are neither an example nor a schema.
 */
export function createItems(
  contract: Pick<Contract, 'normalized' | 'isValid'>,
  generator: ItemGenerator,
  { items, type, example, preferences: { items: count, dynamic } }: ItemInput,
): readonly unknown[] | undefined {
  if (example && !dynamic) return repeatItems(getExampleItems(type, example.value), count);
  return items.schema === undefined ? undefined : generateItems(contract, items, generator, count);
}

/** Returns the items of an example: the entries of a list, the items in a text of the stream, or the example alone. */
function getExampleItems(contentType: string, example: unknown): readonly unknown[] {
  if (Array.isArray(example)) return example;
  if (typeof example !== 'string') return [example];
  const { items, error } = parseWrittenStream(contentType, example);
  return items.length === 0 || error !== undefined ? [example] : items;
}

/** Repeats items until there are `count` of them, or returns the first ones. */
function repeatItems(items: readonly unknown[], count: number | undefined): readonly unknown[] {
  if (count === undefined || items.length === 0) return items;
  return Array.from({ length: count }, (_, index) => items[index % items.length]);
}

/** Generates a value for the schema at a JSON Pointer, or for an inline schema without a pointer. */
export interface ItemGenerator {
  readonly seed: number;
  /** Generates a valid value. Throws an `HttpProblemError` if it finds none. */
  readonly generateValid: (schema: string, seed: number) => unknown;
  /** Generates a value that can be invalid; undefined if the schema requires too much. */
  readonly generateList: (schema: unknown, seed: number) => unknown;
}

/**
 * Generates the items of a stream.
 * Their number is that of the request, else as the schema of the list limits it.
 */
function generateItems(
  { normalized, isValid }: Pick<Contract, 'normalized' | 'isValid'>,
  items: DocumentedItems,
  { seed, ...generator }: ItemGenerator,
  count: number | undefined,
): readonly unknown[] {
  const { schema, list, areEvents, data, isEncoded } = items;
  if (schema === undefined) return [];
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = toNode(getNode(normalized, list ?? ''));
  const wanted = count ?? Math.min(Math.max(DEFAULT_ITEMS, Number(minItems)), Number(maxItems));
  const length = Math.min(wanted, MAX_GENERATED);
  const generateAll = (pointer: string) => {
    const node = { type: 'array', items: { $ref: `#${pointer}` }, minItems: length, maxItems: length };
    // The entries of a list have different ids.
    const listed = generator.generateList(node, seed);
    const entries: readonly unknown[] = Array.isArray(listed) ? listed : [];
    return Array.from({ length }, (_, index) => {
      const entry = entries[index];
      return entry !== undefined && isValid(pointer, entry)
        ? entry
        : generator.generateValid(pointer, mixSeed(seed, index));
    });
  };
  const getProperty = (name: string) => {
    const properties = getPartProperties(getSchemaParts(normalized, schema, ALL_PARTS));
    return toNode(getTarget(normalized, properties.get(name) ?? ''));
  };
  const values = generateAll(schema);
  if (!areEvents || data === undefined) return repeatItems(values, wanted);
  const contents = isEncoded ? generateAll(data).map((content) => JSON.stringify(content)) : undefined;
  const hasNames = isNamed(getProperty('event'));
  const events = values.map((value, index) => {
    if (!isNode(value)) return value;
    // `retry` would change how the client behaves, and `onmessage` does not get an event with an invented name.
    const { retry: _, event, ...fields } = value;
    const changed = {
      ...(event !== undefined && hasNames ? { event } : {}),
      ...fields,
      ...('id' in value ? { id: String(index + 1) } : {}),
      ...(contents ? { data: contents[index] } : {}),
    };
    return isValid(schema, changed) ? changed : value;
  });
  return repeatItems(events, wanted);
}

/** Returns whether the schema of a text says which texts are possible. */
function isNamed(schema: Node): boolean {
  return ['enum', 'const', 'example', 'examples', 'default', 'oneOf', 'anyOf'].some((keyword) => keyword in schema);
}
