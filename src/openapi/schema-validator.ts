import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type { Document } from 'openapi-backend';
import { isNode, resolveNode } from './document.ts';
import { addJsonFormats } from './formats.ts';
import { compilePattern } from './pattern.ts';
import { mapNodes } from './walk-schemas.ts';

/** The ajv options of requests and responses. Errors have the value and the schema. */
export const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // JSON.parse turns 1e400 into Infinity, which is not a number of JSON.
  strictNumbers: true,
  // 4.35 is a multiple of 0.01, whatever the binary remainder.
  multipleOfPrecision: 9,
  code: { regExp: Object.assign((pattern: string) => compilePattern(pattern) ?? /^/, { code: 'new RegExp' }) },
};

/** Removes the examples of a document, in which ajv would look for schemas with an id. */
function removeExamples(document: Document): Document {
  return mapNodes(document, (node) =>
    Object.fromEntries(Object.entries(node).filter(([key]) => !EXAMPLE_KEYS.has(key))),
  );
}

const EXAMPLE_KEYS: ReadonlySet<string> = new Set(['example', 'examples', 'x-refused-examples']);

/** Returns the errors of a value against the schema at a JSON Pointer of a document. */
export type SchemaValidator = (pointer: string, value: unknown) => readonly ErrorObject[];

/**
 * Creates a validator for the schemas of a document. ajv is created and each schema compiled when first needed. No value is valid against a schema that
 * ajv can't compile: the error has the keyword `unusable`. `options`: further options of ajv.
 */
export function createSchemaValidator(getDocument: () => Document, options: Options = {}): SchemaValidator {
  const compiled = new Map<string, ValidateFunction | ErrorObject>();
  let ajv: Ajv | undefined;
  const compile = (pointer: string) => {
    ajv ??= addJsonFormats(new Ajv({ ...ajvOptions, ...options, validateSchema: false })).addSchema(
      removeExamples(getDocument()),
      'contract',
    );
    return ajv.compile({ $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` });
  };
  return (pointer, value) => {
    let validate = compiled.get(pointer);
    if (validate === undefined) {
      try {
        validate = compile(pointer);
      } catch (error) {
        validate = createUnusableError(pointer, error as Error);
      }
      compiled.set(pointer, validate);
    }
    if (typeof validate !== 'function') return [validate];
    try {
      validate(value);
    } catch (error) {
      // A schema that contains itself recurses without end.
      return [createUnusableError(pointer, error as Error)];
    }
    return validate.errors ?? [];
  };
}

function createUnusableError(pointer: string, error: Error): ErrorObject {
  const message = `can't be validated because the schema at #${pointer} is not usable: ${error.message}`;
  return { keyword: 'unusable', instancePath: '', schemaPath: '', params: {}, message };
}

/** Returns the document for one direction: `readOnly` properties aren't required in requests, nor `writeOnly` ones in responses (OpenAPI 3.0, Schema Object). */
export function createDirectionView(document: Document, text: string, only: Direction): Document {
  if (!text.includes(only)) return document;
  return mapNodes(document, (node) => {
    const { required, properties } = node;
    if (!Array.isArray(required) || !isNode(properties)) return node;
    return { ...node, required: required.filter((name) => !isOneWay(document, properties[name], only)) };
  });
}

type Direction = 'readOnly' | 'writeOnly';

/** Returns whether a property is read-only or write-only. */
export function isOneWay(document: Document, property: unknown, only: Direction): boolean {
  return [property, resolveNode(document, property)].some((schema) => isNode(schema) && schema[only] === true);
}
