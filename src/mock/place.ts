import type { Node } from '../openapi/document.ts';
import type { Random } from '../util/random.ts';

/** Options of a generated value. */
export interface GeneratorOptions {
  readonly seed: number;
  /** The seed of objects with an `id`. Their values depend only on this seed and on the `id`, and not on their place. */
  readonly entitySeed?: number;
  /** Whether the examples and defaults in schemas are used. */
  readonly usesExamples: boolean;
  /** Whether optional properties and entries are omitted. */
  readonly isBare: boolean;
  /** Whether all optional properties are included, up to the maximum depth. */
  readonly isFull?: boolean;
  /** The query of the request. With `x-present-with: { owner: expand=owner }`, a schema includes `owner` only for `?expand=owner`. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The name of the property that has the value, or of what the value describes. */
  readonly name?: string;
  /** Known values: the value itself, or an object with the values of properties. The value at `*` applies to all entries of an array. */
  readonly given?: unknown;
}

/** The place of a value within the generated value. */
export interface Place {
  readonly seed: number;
  /** The name of the property. */
  readonly name: string;
  /** The name of what the value belongs to, such as a schema name. */
  readonly subject: string;
  readonly given: unknown;
  /** The references that were followed to the place. */
  readonly ancestors: readonly string[];
  /** The number of objects around the value. */
  readonly depth: number;
  /** The number of values that can be generated here. */
  readonly budget: number;
  /** Whether the value is part of an object with an `id`. */
  readonly isInEntity: boolean;
  /** Whether optional properties with objects and arrays are omitted. */
  readonly isLean: boolean;
  /** Whether the value is an entry of an array after the first one. Its examples would repeat an id. */
  readonly isRepeated?: boolean;
}

/** The input for generating an object or an array. */
export interface ContainerInput extends Children {
  readonly schema: Node;
  readonly place: Place;
  readonly options: GeneratorOptions;
  readonly random: Random;
}

/** The functions with which an object or an array generates its parts. */
export interface Children {
  /** Returns whether a property is omitted. */
  readonly isExcluded: (property: unknown) => boolean;
  /** Returns whether the values of a schema are objects or arrays. */
  readonly isContainer: (schema: unknown) => boolean;
  /** Returns whether a schema can be used again within its own values. */
  readonly canRecur: (schema: unknown) => boolean;
  /** Generates a property or an entry. */
  readonly generate: (schema: unknown, place: Place) => unknown;
}
