import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type { Document } from 'openapi-backend';
import { isNode, resolveNode } from './document.ts';
import { addJsonFormats } from './formats.ts';
import { compilePattern } from './pattern.ts';
import { mapNodes } from './walk-schemas.ts';

/** How ajv judges here, requests and answers alike: by everything that is wrong, with the value and the schema at hand. */
export const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // JSON.parse makes 1e400 Infinity, which is no number of JSON's.
  strictNumbers: true,
  // 4.35 is a multiple of 0.01, whatever is left of it in binary.
  multipleOfPrecision: 9,
  code: { regExp: Object.assign((pattern: string) => compilePattern(pattern) ?? /^/, { code: 'new RegExp' }) },
};

/** A document without its examples, in which ajv would look for schemas with an id. */
function withoutExamples(document: Document): Document {
  return mapNodes(document, (node) => Object.fromEntries(Object.entries(node).filter(([key]) => !EXAMPLES.has(key))));
}

const EXAMPLES: ReadonlySet<string> = new Set(['example', 'examples', 'x-refused-examples']);

/** What is wrong with a value by the schema at a pointer of a document; empty where nothing is. */
export type SchemaValidator = (pointer: string, value: unknown) => readonly ErrorObject[];

/**
 * A judge by the schemas of a document, with further options of ajv; ajv and each schema are made when they are first needed. By a schema that ajv
 * can't use nothing holds: the error says why.
 */
export function createSchemaValidator(document: () => Document, options: Options = {}): SchemaValidator {
  const compiled = new Map<string, ValidateFunction | ErrorObject>();
  let ajv: Ajv | undefined;
  const compile = (pointer: string) => {
    ajv ??= addJsonFormats(new Ajv({ ...ajvOptions, ...options, validateSchema: false })).addSchema(
      withoutExamples(document()),
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
        validate = unusable(pointer, error as Error);
      }
      compiled.set(pointer, validate);
    }
    if (typeof validate !== 'function') return [validate];
    try {
      validate(value);
    } catch (error) {
      // A schema that is part of itself is gone into without end.
      return [unusable(pointer, error as Error)];
    }
    return validate.errors ?? [];
  };
}

function unusable(pointer: string, { message }: Error): ErrorObject {
  const said = `can't be judged, since the schema at #${pointer} can't be used: ${message}`;
  return { keyword: 'unusable', instancePath: '', schemaPath: '', params: {}, message: said };
}

/** A document as it stands for one direction: what is only read needn't be in requests, what is only written not in answers (OpenAPI 3.0, Schema Object). */
export function viewOf(document: Document, text: string, only: OneWay): Document {
  if (!text.includes(only)) return document;
  return mapNodes(document, (node) => {
    const { required, properties } = node;
    if (!Array.isArray(required) || !isNode(properties)) return node;
    return { ...node, required: required.filter((name) => !isOnly(document, properties[name], only)) };
  });
}

type OneWay = 'readOnly' | 'writeOnly';

/** Whether a property goes one way alone. */
export function isOnly(document: Document, property: unknown, only: OneWay): boolean {
  return [property, resolveNode(document, property)].some((one) => isNode(one) && one[only] === true);
}
