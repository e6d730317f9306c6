import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Document } from 'openapi-backend';

/** How ajv judges here, requests and answers alike: by everything that is wrong, with the value and the schema at hand. */
export const ajvOptions: Options = { strict: false, allErrors: true, verbose: true };

/** Gives an ajv the formats of JSON Schema and OpenAPI; without them it lets every text pass. */
export function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv);
  return ajv;
}

/** What is wrong with a value by the schema at a pointer of a document; empty where nothing is. */
export type SchemaJudge = (pointer: string, value: unknown) => readonly ErrorObject[];

/** A judge by the schemas of a document, with further options of ajv; ajv and each schema are made when they are first needed. */
export function schemaJudge(document: () => Document, options: Options = {}): SchemaJudge {
  const compiled = new Map<string, ValidateFunction>();
  let ajv: Ajv | undefined;
  return (pointer, value) => {
    let validate = compiled.get(pointer);
    if (!validate) {
      ajv ??= withFormats(new Ajv({ ...ajvOptions, ...options, validateSchema: false })).addSchema(
        document(),
        'contract',
      );
      validate = ajv.compile({ $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` });
      compiled.set(pointer, validate);
    }
    validate(value);
    return validate.errors ?? [];
  };
}
