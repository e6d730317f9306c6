import type { Ajv, Options } from 'ajv';
import type AjvFormats from 'ajv-formats';
import { loadPackage } from '../util/load-package.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { type Document, omitKeys } from './document.ts';
import { formats } from './formats.ts';
import { mapNodes } from './walk-schemas.ts';

/** The ajv options for requests and responses. Each error has the invalid value and its schema (`verbose`). */
export const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  validateSchema: false,
  // JSON.parse turns 1e400 into Infinity, which is not a JSON number.
  strictNumbers: true,
  // 4.35 counts as a multiple of 0.01, despite rounding errors.
  multipleOfPrecision: 9,
  // Validators that are precompiled call the function by this name.
  code: { regExp: Object.assign(createPattern, { code: 'createPattern' }) },
};

/** Compiles a `pattern` for ajv. An invalid pattern matches every string. */
export function createPattern(pattern: string): RegExp {
  return compilePattern(pattern) ?? /^/;
}

/** Creates an ajv with a document as the schema `contract`. `options`: further options of ajv. */
export function createContractAjv(document: Document, options: Options): Ajv {
  // Loaded on first use, because the server can start without it.
  const { Ajv: AjvClass } = loadPackage<{ Ajv: typeof Ajv }>('ajv');
  return addJsonFormats(new AjvClass({ ...ajvOptions, ...options })).addSchema(removeExamples(document), 'contract');
}

/** Returns the schema that refers to the schema at a JSON Pointer of the contract. */
export function toContractReference(pointer: string): { readonly $ref: string } {
  return { $ref: `contract#${pointer.split('/').map(encodeURIComponent).join('/')}` };
}

/** Returns a document without examples, because ajv would search the examples for schemas with an id. */
function removeExamples(document: Document): Document {
  return mapNodes(document, (node) => omitKeys(node, EXAMPLE_KEYS));
}

const EXAMPLE_KEYS = ['example', 'examples', 'x-refused-examples'];

/** An ajv for any dialect of JSON Schema. */
type AnyAjv = Parameters<AjvFormats.FormatsPlugin>[0];

/** Adds the formats of JSON Schema and OpenAPI to an ajv, which otherwise ignores formats. Returns the ajv. */
export function addJsonFormats<Instance extends AnyAjv>(ajv: Instance): Instance {
  loadPackage<AjvFormats.FormatsPlugin>('ajv-formats')(ajv);
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  return ajv;
}

/** Compiles the `pattern` of a schema, in Unicode mode if the pattern is valid in Unicode mode. Returns undefined for an invalid pattern. */
export function compilePattern(pattern: string): RegExp | undefined {
  return tryOrUndefined(() => new RegExp(pattern, 'u')) ?? tryOrUndefined(() => new RegExp(pattern));
}
