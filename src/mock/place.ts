import { isNode, type Node } from '../openapi/document.ts';
import type { Random } from '../util/random.ts';
import type { RequestedPage } from './describe-page.ts';
import type { GenerationLimit } from './generation-limit.ts';

/** Options for generating a value. */
export interface GeneratorOptions {
  readonly seed: number;
  /**
   * The seed for objects with an `id`.
   * The values of an object with an `id` depend only on this seed and on the `id`, and not on the place of the object.
   */
  readonly entitySeed?: number;
  /** Whether the examples and defaults in schemas are used. */
  readonly usesExamples: boolean;
  /** Whether optional properties and entries are omitted. */
  readonly omitsOptional: boolean;
  /** Whether all optional properties are included, up to the maximum depth. */
  readonly includesOptional?: boolean;
  /**
   * The query of the request.
   * With `x-present-with: { owner: expand=owner }`, a schema includes `owner` only for `?expand=owner`.
   */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The page of the list that the request asks for, if the value is a page. */
  readonly page?: RequestedPage | undefined;
  /** The name of the property or resource that the value is for, such as `pet`. Realistic values depend on the name. */
  readonly name?: string;
  /**
   * Known values: the value itself, or an object with the values of properties.
   * The value at `*` applies to all entries of an array.
   */
  readonly knownValues?: unknown;
  /** Limits the work of this and other attempts to generate the value (default: a limit for one attempt). */
  readonly limit?: GenerationLimit | undefined;
}

/** Options with the limit of the work. */
export type LimitedOptions = GeneratorOptions & { readonly limit: GenerationLimit };

/** The position at which a value is generated inside the whole value, and the settings for this position. */
export interface Place {
  readonly seed: number;
  /** The name of the property. */
  readonly name: string;
  /** The name of the object that has the value, such as the schema name `Pet`. */
  readonly subject: string;
  readonly knownValues: unknown;
  /** The references that were followed on the way to this place. A schema without references adds an empty string. */
  readonly ancestors: readonly string[];
  /** The number of objects around the value. */
  readonly depth: number;
  /** The maximum number of values to generate at this place. */
  readonly budget: number;
  /** Whether the value is part of an object with an `id`. */
  readonly isInEntity: boolean;
  /** Whether optional properties with objects and arrays are omitted. */
  readonly omitsContainers: boolean;
  /**
   * Whether the value is an array entry after the first.
   * An example with an id is not used for these entries, because the id would be repeated.
   */
  readonly isRepeated?: boolean;
}

/** The input for generating an object or an array. */
export interface ContainerInput extends Children {
  readonly schema: Node;
  readonly place: Place;
  readonly options: LimitedOptions;
  readonly random: Random;
}

/** The functions that generate the properties of an object or the entries of an array. */
export interface Children {
  /**
   * Returns whether a property is omitted because it is `writeOnly` or `readOnly`.
   * `property`: the schema of the property.
   */
  readonly isExcluded: (property: unknown) => boolean;
  /** Returns whether the values of a schema are objects or arrays. */
  readonly isContainer: (schema: unknown) => boolean;
  /** Returns whether a value of a schema can be generated here without endless recursion. */
  readonly canRecur: (schema: unknown) => boolean;
  /** Generates a property or an entry. */
  readonly generate: (schema: unknown, place: Place) => unknown;
}

/**
 * Returns a copy of `value` with known values: `{ id: 7 }` replaces the property `id` of an object, and
 * `{ '*': { id: 7 } }` replaces it in all entries of an array.
 * Replaces only values of the same type.
 */
export function setKnownValues(value: unknown, knownValues: unknown): unknown {
  if (knownValues === undefined) return value;
  if (!isNode(knownValues)) return typeof value === typeof knownValues ? knownValues : value;
  if (Array.isArray(value)) return value.map((entry) => setKnownValues(entry, knownValues['*']));
  if (!isNode(value)) return value;
  const known = Object.entries(knownValues).filter(([name]) => Object.hasOwn(value, name));
  return { ...value, ...Object.fromEntries(known.map(([name, inner]) => [name, setKnownValues(value[name], inner)])) };
}
