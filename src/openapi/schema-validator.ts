import type { Ajv, ErrorObject, Options, ValidateFunction } from 'ajv';
import { formatPointer } from '../util/json-pointer.ts';
import { ajvOptions, compileAt, createContractAjv, removeData } from './ajv.ts';
import { isUnionError, selectAlternatives } from './alternatives.ts';
import { type Document, isNode, listNodes, type Node, resolveNode, toNode } from './document.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * Validates a value against a schema, and returns the errors.
 * `pointer`: the JSON Pointer of the schema in the document.
 */
export type SchemaValidator = (pointer: string, value: unknown) => readonly ErrorObject[];

/**
 * A validator for the schemas of a document.
 * `getDocument`: returns the document to which `schema` and `parentSchema` of its errors belong.
 */
export type DocumentValidator = SchemaValidator & { readonly getDocument: () => Document };

/** Options of a validator. */
interface ValidatorOptions {
  /** Further options of ajv. */
  readonly ajv?: Options;
  /** Returns the precompiled validator of the schema at a JSON Pointer; undefined if there is none. */
  readonly findCompiled?: (pointer: string) => ValidateFunction | undefined;
  readonly limits?: WorkLimits;
  /**
   * Whether the errors stay as ajv reports them, also those of alternatives. This is faster if only the number of
   * errors matters.
   */
  readonly isPlain?: boolean;
  /** Validates a value if it exceeds the limits. Without it, such a value has an error with the keyword `unusable`. */
  readonly fallback?: SchemaValidator;
}

/** The maximum work of the validators of an ajv instance for one value. */
export interface WorkLimits {
  /** The maximum number of calls of validators. */
  readonly calls: number;
  /** The maximum number of errors, also of errors in alternatives that do not apply. */
  readonly errors: number;
}

const TOO_MUCH_WORK =
  'comparing a value of this size with the alternatives of the schema takes too long: use a smaller value';

/**
 * Counts the work of the validators of an ajv instance for a value.
 * A recursive schema with alternatives can need a number of calls that doubles with each level of the value, and a
 * value can have an error for each alternative of each of its entries.
 */
class WorkCounter {
  #calls = 0;
  #errors = 0;
  #isExceeded = false;

  constructor(private readonly limits: WorkLimits) {}

  /** Whether a limit was exceeded since the last reset. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  reset(): void {
    this.#calls = 0;
    this.#errors = 0;
    this.#isExceeded = false;
  }

  /** Throws an error if there are too many calls for one value. */
  addCall(): void {
    if (++this.#calls > this.limits.calls) this.#fail();
  }

  /** Throws an error if there are too many errors for one value. */
  addError(): void {
    if (++this.#errors > this.limits.errors) this.#fail();
  }

  #fail(): never {
    this.#isExceeded = true;
    throw new Error(TOO_MUCH_WORK);
  }

  /**
   * Returns ajv options with which each validator counts its work.
   * In the code of a validator, `self` is the ajv instance with these options.
   */
  addTo(options: Options): Options & { readonly workCounter: WorkCounter } {
    const process = (code: string) =>
      code
        .replaceAll(VALIDATOR_START, '$&self.opts.workCounter.addCall();')
        .replaceAll(ADDED_ERROR, '$&self.opts.workCounter.addError();');
    return { ...options, code: { ...options.code, process }, workCounter: this };
  }
}

/** Matches the start of the function of a validator. */
const VALIDATOR_START = /function validate\d+\(data, \{[^{}]*\}=\{\}\)\{/g;

/** Matches the code that adds an error to the list of errors. */
const ADDED_ERROR = /vErrors\.push\(err\d+\);\}/g;

/** The limits for responses and data. The calls take about a second. */
const DATA_LIMITS: WorkLimits = { calls: 500_000, errors: Number.POSITIVE_INFINITY };

/** How deep alternatives of alternatives are selected for error messages. Each level compiles a schema of its own. */
const MAX_SELECTED_DEPTH = 10;

/**
 * Creates a validator for the schemas of a document.
 * A schema that is not precompiled is compiled on first use.
 * If ajv can't compile a schema, every value has an error with the keyword `unusable`.
 */
export function createSchemaValidator(getDocument: () => Document, options: ValidatorOptions = {}): DocumentValidator {
  const { findCompiled = () => undefined, limits = DATA_LIMITS, fallback } = options;
  const compiled = new Map<string, ValidateFunction | ErrorObject>();
  let ajv: Ajv | undefined;
  let document: Document | undefined;
  const counter = new WorkCounter(limits);
  const getOwnDocument = () => {
    document ??= removeData(getDocument());
    return document;
  };
  const compile = (pointer: string) => {
    try {
      ajv ??= createContractAjv(getOwnDocument(), counter.addTo({ ...ajvOptions, ...options.ajv }));
      return compileAt(ajv, pointer);
    } catch (error) {
      return createUnusableError(pointer, error as Error);
    }
  };
  const run = (validate: ValidateFunction | ErrorObject, pointer: string, value: unknown): readonly ErrorObject[] => {
    compiled.set(pointer, validate);
    if (typeof validate !== 'function') return [validate];
    counter.reset();
    try {
      validate(value);
    } catch (error) {
      if (counter.isExceeded && fallback) return fallback(pointer, value);
      // A schema that contains itself causes endless recursion, or too many calls.
      return [createUnusableError(pointer, error as Error)];
    }
    const errors = validate.errors ?? NO_ERRORS;
    // The errors refer to the value, which can be large.
    validate.errors = null;
    return errors;
  };
  const validateNested = (pointer: string, value: unknown, depth: number): readonly ErrorObject[] => {
    const errors = run(compiled.get(pointer) ?? findCompiled(pointer) ?? compile(pointer), pointer, value);
    return errors.length === 0 ? errors : select(errors, pointer, value, depth);
  };
  const select = (errors: readonly ErrorObject[], pointer: string, value: unknown, depth: number) => {
    if (options.isPlain || depth > MAX_SELECTED_DEPTH || !errors.some(isUnionError)) return errors;
    // `selectAlternatives` compares the schemas in errors with those of the document.
    // A precompiled validator has only copies, so the schema is compiled again.
    const own = document ? errors : run(compile(pointer), pointer, value);
    const validateDeeper = (inner: string, data: unknown) => validateNested(inner, data, depth + 1);
    return document ? selectAlternatives(document, own, validateDeeper) : own;
  };
  const validateValue: SchemaValidator = (pointer, value) => validateNested(pointer, value, 0);
  return Object.assign(validateValue, { getDocument: getOwnDocument });
}

const NO_ERRORS: readonly ErrorObject[] = [];

function createUnusableError(pointer: string, error: Error): ErrorObject {
  const message = `can't be validated because the schema at #${pointer} is not usable: ${error.message}`;
  return createErrorObject({ keyword: 'unusable', message });
}

/** Creates an ajv error for a rule that ajv does not check. */
export function createErrorObject(parts: Pick<ErrorObject, 'keyword'> & Partial<ErrorObject>): ErrorObject {
  return { instancePath: '', schemaPath: '', params: {}, ...parts };
}

/**
 * Returns one error for each invalid value, by the JSON Pointer of the value.
 * If a value has several errors, prefers the error of an `anyOf` or `oneOf`, else the first error.
 * The error of a missing or unknown property has the pointer of this property.
 */
export function groupByPointer(errors: readonly ErrorObject[]): ReadonlyMap<string, ErrorObject> {
  const byPointer = new Map<string, ErrorObject>();
  for (const error of errors) {
    if (isErrorOfBranch(error) || (error.keyword === 'if' && errors.length > 1)) continue;
    const pointer = getPointer(error);
    if (!byPointer.has(pointer) || error.keyword === 'anyOf' || error.keyword === 'oneOf')
      byPointer.set(pointer, error);
  }
  return byPointer;
}

/**
 * Returns whether an error reports a missing property for one alternative in
 * `anyOf: [{ required: [a] }, { required: [b] }]`, or in such a `oneOf`.
 * This error is omitted, because the error of the `anyOf` or `oneOf` describes all alternatives.
 */
function isErrorOfBranch({ keyword, schemaPath, parentSchema = {} }: ErrorObject): boolean {
  return (
    keyword === 'required' &&
    schemaPath.includes('Of/') &&
    /\/(?:anyOf|oneOf)\/\d+\/required$/.test(schemaPath) &&
    !('properties' in parentSchema)
  );
}

function getPointer({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  if (keyword === 'propertyNames') return instancePath + formatPointer(params.propertyName);
  if (propertyName !== undefined) return instancePath + formatPointer(propertyName);
  if (keyword === 'required' || keyword === 'dependentRequired')
    return instancePath + formatPointer(params.missingProperty);
  const unknownName = getUnknownName({ params });
  if (unknownName !== undefined) return instancePath + formatPointer(unknownName);
  return instancePath;
}

/** Returns the name of the unknown property to which an error refers; undefined for other errors. */
export function getUnknownName({ params }: Pick<ErrorObject, 'params'>): string | undefined {
  return params.additionalProperty ?? params.unevaluatedProperty;
}

/**
 * Returns a copy of the document in which properties with the keyword `only` are never required (OpenAPI 3.0, Schema
 * Object).
 * `only`: `readOnly` for the validation of requests, `writeOnly` for responses.
 * `text`: the text of the document.
 * If the text does not contain the keyword, returns the document itself.
 */
export function createDirectionView(document: Document, text: string | Buffer, only: Direction): Document {
  if (!text.includes(only)) return document;
  /**
   * Returns a copy of a schema that does not require properties with the keyword `only`.
   * `whole`: the schema that defines the properties.
   */
  const relax = (node: Node, whole: Node): Node => {
    if (!Array.isArray(node.required)) return node;
    const { required } = node;
    const rest = required.filter((name) => !isReadOrWriteOnly(document, findProperty(document, whole, name), only));
    return rest.length === required.length ? node : { ...node, required: rest };
  };
  return mapNodes(document, (node) => {
    const { allOf: parts } = node;
    if (!Array.isArray(parts)) return isNode(node.properties) ? relax(node, node) : node;
    // A part of `allOf` can require a property of another part.
    const allOf = parts.map((part) => (isNode(part) ? relax(part, node) : part));
    return relax(allOf.every((part, index) => part === parts[index]) ? node : { ...node, allOf }, node);
  });
}

/**
 * Returns the schema of a property, from the `properties` of a schema or of the schemas in its `allOf`; undefined if
 * there is none.
 */
function findProperty(document: Document, schema: Node, name: string): unknown {
  const nodes = listNodes(document, schema).map(({ properties }) => toNode(properties));
  return nodes.find((properties) => Object.hasOwn(properties, name))?.[name];
}

type Direction = 'readOnly' | 'writeOnly';

/**
 * Returns whether a property has the keyword `readOnly` or `writeOnly` with the value true.
 * A reference is followed.
 * `only`: the keyword.
 */
export function isReadOrWriteOnly(document: Document, property: unknown, only: Direction): boolean {
  return [property, resolveNode(document, property)].some((schema) => isNode(schema) && schema[only] === true);
}
