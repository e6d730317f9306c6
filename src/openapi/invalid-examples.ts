import type { ErrorObject } from 'ajv';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer, parsePointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { toSeed } from '../util/random.ts';
import type { Steps } from '../util/slices.ts';
import { removeSatisfiedUnions } from './alternatives.ts';
import { describeError } from './describe-error.ts';
import { type Document, getNode, isNode, type Node, resolvePointer, toNode } from './document.ts';
import { isJsonType } from './media-types.ts';
import { type DocumentValidator, groupByPointer, isReadOrWriteOnly, type SchemaValidator } from './schema-validator.ts';
import { type DocumentedItems, getDocumentedItems } from './stream-items.ts';
import { mapNodes } from './walk-schemas.ts';

/**
 * An example in a document whose value can be sent in a response: the example of a response, of a header or of a
 * schema.
 */
interface DocumentedExample {
  /** The JSON Pointer of the value. */
  readonly pointer: string;
  /** The JSON Pointer of the schema. */
  readonly schema: string;
  readonly value: unknown;
}

/**
 * Returns the examples of responses, headers and schemas in a document.
 * Leaves out the examples of parameters and of request bodies, and values without a schema.
 */
const listExamples = memoizeByObject((document: Document): readonly DocumentedExample[] => {
  const examples = new Map<string, DocumentedExample>();
  mapNodes(document, (node, pointer) => {
    if (!('example' in node) && !('examples' in node)) return node;
    if (IN_REQUEST.test(pointer)) return node;
    const found = isNode(node.schema) ? listMediaExamples(document, node, pointer) : listOwnExamples(node, pointer);
    const items = getItems(document, pointer);
    const own = items ? found.flatMap((example) => listItemExamples(items, example)) : found;
    for (const example of own) examples.set(example.pointer, example);
    return node;
  });
  return [...examples.values()];
});

/** Matches the JSON Pointers of parts that only requests have. */
const IN_REQUEST = /\/(?:parameters|requestBody|requestBodies|callbacks|webhooks)\//;

/** Returns what a document says about the items of the Media Type Object at a JSON Pointer, if it is a stream. */
function getItems(document: Document, pointer: string): DocumentedItems | undefined {
  const [type = '', content] = parsePointer(pointer).toReversed();
  if (content !== 'content') return undefined;
  const [schema, itemSchema] = ['schema', 'itemSchema'].map((name) =>
    getNode(document, `${pointer}/${name}`) === undefined ? undefined : `${pointer}/${name}`,
  );
  return getDocumentedItems(document, type, { schema, itemSchema });
}

/** Returns the items in the example of a stream: the entries of a list, or a single item. A text is no JSON value. */
function listItemExamples(
  { schema }: DocumentedItems,
  { pointer, value }: DocumentedExample,
): readonly DocumentedExample[] {
  if (schema === undefined || typeof value === 'string') return [];
  if (!Array.isArray(value)) return [{ pointer, schema, value }];
  return value.map((item, index) => ({ pointer: `${pointer}/${index}`, schema, value: item }));
}

/** Returns the examples of a media type or a header, which has its schema in the keyword `schema`. */
function listMediaExamples(document: Document, { example, examples, ...rest }: Node, pointer: string) {
  const schema = `${pointer}/schema`;
  const own = example === undefined ? [] : [{ pointer: `${pointer}/example`, schema, value: example }];
  // A parameter outside of a request has a name and a place.
  if (typeof rest.in === 'string') return [];
  const named = Object.keys(toNode(examples)).flatMap((name) => {
    const place = resolvePointer(document, `${pointer}/examples${formatPointer(name)}`);
    const own = ['dataValue', 'value'].map((key) => `${place}/${key}`);
    const found = own.find((one) => getNode(document, one) !== undefined);
    if (found !== undefined) return [{ pointer: found, schema, value: getNode(document, found) }];
    const serialized = readSerialized(document, pointer, place);
    return serialized && 'value' in serialized ? [{ schema, ...serialized }] : [];
  });
  // Like the mock, uses `example` only if there are no named examples.
  return named.length > 0 ? named : own;
}

/** The text of an example as it is sent. `value`: what it means. `error`: why it is not valid JSON. */
type SerializedExample = { readonly pointer: string } & ({ readonly value: unknown } | { readonly error: string });

/**
 * Parses the `serializedValue` (OpenAPI 3.2) of an example of a JSON media type.
 * Returns undefined if there is none.
 * `media`: the JSON Pointer of the Media Type Object. `example`: that of the example.
 */
function readSerialized(document: Document, media: string, example: string): SerializedExample | undefined {
  const [type = '', content] = parsePointer(media).toReversed();
  const pointer = `${example}/serializedValue`;
  const text = getNode(document, pointer);
  if (content !== 'content' || !isJsonType(type) || typeof text !== 'string') return undefined;
  try {
    return { pointer, value: JSON.parse(text) as unknown };
  } catch (error) {
    return { pointer, error: (error as Error).message };
  }
}

/** Returns an issue for each example of a JSON response that has a `serializedValue` that is not valid JSON. */
function listInvalidTexts(document: Document): readonly Issue[] {
  const issues = new Map<string, Issue>();
  mapNodes(document, (node, media) => {
    if (!isNode(node.examples) || IN_REQUEST.test(media)) return node;
    for (const name of Object.keys(node.examples)) {
      const place = resolvePointer(document, `${media}/examples${formatPointer(name)}`);
      const read = readSerialized(document, media, place);
      if (!read || !('error' in read)) continue;
      const problem = `is not valid JSON (${read.error})`;
      issues.set(read.pointer, createIssue(read.pointer, { rule: 'json', problem, remedy: 'correct the text' }));
    }
    return node;
  });
  return [...issues.values()];
}

/**
 * Returns the examples of a schema: the keyword `example`, or the entries of the keyword `examples` (JSON Schema
 * 2020-12).
 */
function listOwnExamples({ example, examples }: Node, schema: string): readonly DocumentedExample[] {
  const list = Array.isArray(examples) ? examples : [];
  const several = list.map((value, index) => ({ pointer: `${schema}/examples/${index}`, schema, value }));
  return example === undefined ? several : [{ pointer: `${schema}/example`, schema, value: example }, ...several];
}

/** The examples of a document that violate their schemas, and the mistakes in them. */
interface InvalidExamples {
  /**
   * Validates a value like the validator of responses, but leaves out errors that an example of the document has as
   * well: an example is sent as it is written, also inside a generated value.
   */
  readonly validate: SchemaValidator;
  /** Like `validate`, but a missing property is an error, also if an example lacks the property. */
  readonly validateComplete: SchemaValidator;
  /**
   * Returns the JSON Pointer of an example with the same mistake: the same value of the same property breaks the same
   * rule.
   * Returns undefined if there is none.
   * `schema`: the JSON Pointer of the schema of the validated value.
   */
  find(schema: string, error: ErrorObject): string | undefined;
  /**
   * Finds the first error of each invalid example.
   * Compiles the schemas of the examples, which takes seconds for a large document.
   */
  list(): Steps<readonly Issue[]>;
}

/** Creates the functions that handle invalid examples of a document. `validate`: the validator of responses. */
export function createInvalidExamples(document: Document, validate: DocumentValidator): InvalidExamples {
  let index: ReadonlyMap<number, readonly DocumentedExample[]> | undefined;
  const mistakes = new Map<DocumentedExample, ReadonlySet<string>>();
  const getMistakes = (example: DocumentedExample) => {
    const known =
      mistakes.get(example) ??
      new Set(validate(example.schema, example.value).map((error) => toMistake(example.schema, error)));
    mistakes.set(example, known);
    return known;
  };
  const find = (schema: string, error: ErrorObject) => {
    index ??= indexValues(listExamples(document));
    const candidates = error.data === undefined ? undefined : index.get(hashValue(getDecisive(error)));
    if (!candidates) return undefined;
    const mistake = toMistake(schema, error);
    return candidates.find((example) => getMistakes(example).has(mistake))?.pointer;
  };
  const createValidate = (isAlwaysError: (error: ErrorObject) => boolean) => {
    const validateValue: SchemaValidator = (pointer, value) => {
      const errors = validate(pointer, value);
      if (errors.length === 0) return errors;
      const own = errors.filter((error) => isAlwaysError(error) || find(pointer, error) === undefined);
      if (own.length === errors.length) return errors;
      const isValid = (schema: string, data: unknown) => validateValue(schema, data).length === 0;
      return removeSatisfiedUnions(validate.getDocument(), own, isValid);
    };
    return validateValue;
  };
  return {
    validate: createValidate(() => false),
    validateComplete: createValidate(({ keyword }) => keyword === 'required'),
    find,
    list: () => listIssues(document, validate),
  };
}

/** Returns a text that is equal for two errors if the same value of the same property violates the same rule. */
function toMistake(schema: string, error: ErrorObject): string {
  const { keyword, params, parentSchema, instancePath } = error;
  const name = parsePointer(instancePath).findLast((step) => !/^\d+$/.test(step)) ?? getPropertyName(schema);
  return JSON.stringify([keyword, params, parentSchema, name, getDecisive(error)]);
}

/** The keywords for which only the names of the properties of an object count. */
const NAME_KEYWORDS = ['required', 'additionalProperties', 'unevaluatedProperties', 'minProperties', 'maxProperties'];

/**
 * Returns the part of an invalid value because of which it breaks a rule.
 * The id of an object does not matter if another property is missing.
 */
function getDecisive({ keyword, data }: ErrorObject): unknown {
  return NAME_KEYWORDS.includes(keyword) && isNode(data) ? listNames(data) : data;
}

function listNames(value: Node): readonly string[] {
  return Object.keys(value).sort();
}

/**
 * Returns the name of the property to which a schema belongs: `tags` for `…/properties/tags/items`.
 * Returns undefined for any other schema.
 */
function getPropertyName(schema: string): string | undefined {
  const [, name] = /\/properties\/([^/]+)(?:\/items)*$/.exec(schema) ?? [];
  return name === undefined ? undefined : parsePointer(`/${name}`)[0];
}

/**
 * Maps the hash of each value in the examples, also of nested values and of the names in an object, to the examples
 * that contain the value.
 */
function indexValues(examples: readonly DocumentedExample[]): ReadonlyMap<number, readonly DocumentedExample[]> {
  const index = new Map<number, DocumentedExample[]>();
  for (const example of examples)
    hashValue(example.value, (hash) => {
      const found = index.get(hash);
      if (!found) index.set(hash, [example]);
      else if (found.at(-1) !== example) found.push(example);
    });
  return index;
}

/**
 * Returns the 32-bit hash of a JSON value.
 * Equal values have equal hashes.
 * `visit`: is called with the hash of the value, of each nested value, and of the names in each object.
 */
function hashValue(value: unknown, visit: (hash: number) => void = () => {}): number {
  const parts = isNode(value)
    ? Object.entries(value).map(([name, inner]) => `${name} ${hashValue(inner, visit)}`)
    : Array.isArray(value)
      ? value.map((inner) => hashValue(inner, visit))
      : [JSON.stringify(value)];
  const hash = toSeed(`${Array.isArray(value)}${isNode(value)}${parts.join()}`);
  visit(hash);
  if (isNode(value)) visit(hashValue(listNames(value)));
  return hash;
}

function* listIssues(document: Document, validate: SchemaValidator): Steps<readonly Issue[]> {
  const issues = [...listInvalidTexts(document)];
  for (const { pointer, schema, value } of listExamples(document)) {
    yield;
    const errors = validate(schema, value).filter((error) => error.keyword !== 'unusable' && !isReadOnlyMissing(error));
    const [[place, error] = []] = groupByPointer(errors);
    if (place !== undefined && error) issues.push(createIssue(pointer + place, describeError(error)));
  }
  return issues;

  /**
   * Returns whether an error reports a missing `readOnly` property.
   * The example of a schema is often the example of a request.
   */
  function isReadOnlyMissing({ keyword, params, parentSchema }: ErrorObject): boolean {
    const property = toNode(toNode(parentSchema).properties)[params.missingProperty];
    return keyword === 'required' && isReadOrWriteOnly(document, property, 'readOnly');
  }
}
