import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Document } from 'openapi-backend';
import { NAMED, VERBATIM } from './dialect.ts';
import { at, isNode, pointerOf, settledPointer } from './document.ts';

/** How ajv judges here, requests and answers alike: by everything that is wrong, with the value and the schema at hand. */
export const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  // 4.35 is a multiple of 0.01, whatever is left of it in binary.
  multipleOfPrecision: 9,
  code: { regExp: Object.assign(expressionOf, { code: 'new RegExp' }) },
};

/** A regular expression of a schema, in Unicode mode where it can be read so: many are not written for it. What is none lets every text pass. */
function expressionOf(pattern: string): RegExp {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Not in this mode.
    }
  }
  return /^/;
}

/** Gives an ajv the formats of JSON Schema and OpenAPI; without them it lets every text pass. */
export function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv);
  return ajv;
}

/** A document without its examples, in which ajv would look for schemas with an id. */
function withoutExamples(document: Document): Document {
  const visit = (node: unknown, isNames: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry) => visit(entry, false));
    if (!isNode(node)) return node;
    const entries = Object.entries(node).filter(([key]) => isNames || !EXAMPLES.has(key));
    return Object.fromEntries(
      entries.map(([key, value]) => [
        key,
        !isNames && VERBATIM.has(key) ? value : visit(value, !isNames && NAMED.has(key)),
      ]),
    );
  };
  return visit(document, false) as Document;
}

const EXAMPLES: ReadonlySet<string> = new Set(['example', 'examples', 'x-refused-examples']);

/** What is wrong with a value by the schema at a pointer of a document; empty where nothing is. */
export type SchemaJudge = (pointer: string, value: unknown) => readonly ErrorObject[];

/**
 * A judge by the schemas of a document, with further options of ajv; ajv and each schema are made when they are first needed. By a schema that ajv
 * can't use nothing holds: the error says why.
 */
export function schemaJudge(document: () => Document, options: Options = {}): SchemaJudge {
  const compiled = new Map<string, ValidateFunction | ErrorObject>();
  let ajv: Ajv | undefined;
  const compile = (pointer: string) => {
    ajv ??= withFormats(new Ajv({ ...ajvOptions, ...options, validateSchema: false })).addSchema(
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
export function viewOf(document: Document, text: string, only: 'readOnly' | 'writeOnly'): Document {
  if (!text.includes(only)) return document;
  const isOnly = (property: unknown) =>
    isNode(property) && at(document, `${settledIn(document, property)}/${only}`) === true;
  const visit = (node: unknown, isNames: boolean): unknown => {
    if (Array.isArray(node)) return node.map((entry) => visit(entry, false));
    if (!isNode(node)) return node;
    const visited = Object.fromEntries(
      Object.entries(node).map(([key, value]) => [
        key,
        !isNames && VERBATIM.has(key) ? value : visit(value, !isNames && NAMED.has(key)),
      ]),
    );
    const { required, properties } = node;
    if (isNames || !Array.isArray(required) || !isNode(properties)) return visited;
    return {
      ...visited,
      required: required.filter((name) => !isOnly(properties[name]) && !isNodeOnly(properties[name], only)),
    };
  };
  return visit(document, false) as Document;
}

function isNodeOnly(property: unknown, only: string): boolean {
  return isNode(property) && property[only] === true;
}

function settledIn(document: Document, { $ref }: { readonly $ref?: unknown }): string {
  return typeof $ref === 'string' ? settledPointer(document, pointerOf($ref)) : '/x-none';
}
