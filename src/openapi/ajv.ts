import type { Ajv, Options, ValidateFunction } from 'ajv';
import type AjvFormats from 'ajv-formats';
import { loadPackage } from '../util/load-package.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { type Document, isNode, type Node, omitKeys } from './document.ts';
import { createUniqueItems, formats } from './formats.ts';
import { createPattern } from './patterns/pattern.ts';
import { getKind, mapNodes } from './walk-schemas.ts';

/** The ajv options for requests and responses. Each error has the invalid value and its schema (`verbose`). */
export const ajvOptions: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  validateSchema: false,
  // Without `validateSchema`, the metaschema of the dialect is not needed.
  meta: false,
  // JSON.parse turns 1e400 into Infinity, which is not a JSON number.
  strictNumbers: true,
  // 4.35 counts as a multiple of 0.01, despite rounding errors.
  multipleOfPrecision: 9,
  code: {
    // The code of precompiled validators calls the function by this name.
    regExp: Object.assign(createPattern, { code: 'createPattern' }),
    // Optimizing the code of many alternatives takes most of the time, and V8 runs it as fast without.
    optimize: false,
  },
};

/**
 * Creates an ajv instance, and adds a document to it as the schema `contract`.
 * `document`: a document without examples and extensions, from `removeData`.
 * `options`: options that override `ajvOptions`.
 */
export function createContractAjv(document: Document, options: Options): Ajv {
  const ownProperties = hasInheritedName(document);
  const ajv = createAjv(document, { ...ajvOptions, ownProperties, ...options });
  return extendAjv(ajv).addSchema(document, 'contract');
}

/**
 * Creates an ajv instance for the schemas of a document.
 * Loads ajv on first use, because the server can start without ajv.
 */
export function createAjv(document: Document, options: Options): Ajv {
  const isSeparate = usesDynamicReferences(document) || hidesReferences(document);
  const inlineRefs = isSeparate ? false : MAX_INLINED_KEYWORDS;
  const allOptions = { ...options, inlineRefs };
  return usesDialect2020(document)
    ? createAjv2020(allOptions)
    : new (loadPackage<{ Ajv: typeof Ajv }>('ajv').Ajv)(allOptions);
}

/**
 * The maximum number of keywords in a schema whose code ajv repeats for each `$ref` to it.
 * Without a number, ajv searches each schema for references in 2^n steps if alternatives are nested n times.
 * With a number, it does not look for dynamic references.
 */
const MAX_INLINED_KEYWORDS = 1_000;

/** Returns whether a document has dynamic references. Each document is searched once. */
const usesDynamicReferences = memoizeByObject((document: Document) => hasDynamicReference(document));

function hasDynamicReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasDynamicReference);
  if (!isNode(value)) return false;
  for (const key in value) if (/^\$(?:dynamic|recursive)/.test(key) || hasDynamicReference(value[key])) return true;
  return false;
}

/**
 * Returns whether a property has a `$ref` and the name of a keyword such as `type`.
 * With a number, ajv does not search the values of these keywords for references, and can't resolve such a `$ref` in
 * repeated code (`SIMPLE_INLINED` in `ajv/lib/compile/resolve.ts`).
 */
const hidesReferences = memoizeByObject((document: Document) => hasHiddenReference(document));

const UNSEARCHED_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'format',
  'pattern',
  'maxLength',
  'minLength',
  'maxProperties',
  'minProperties',
  'maxItems',
  'minItems',
  'maximum',
  'minimum',
  'uniqueItems',
  'multipleOf',
  'required',
  'enum',
  'const',
]);

function hasHiddenReference(value: unknown, isUnsearched = false): boolean {
  if (Array.isArray(value)) return value.some((entry) => hasHiddenReference(entry, isUnsearched));
  if (!isNode(value)) return false;
  if (isUnsearched && '$ref' in value) return true;
  for (const key in value)
    if (hasHiddenReference(value[key], isUnsearched || UNSEARCHED_KEYWORDS.has(key))) return true;
  return false;
}

/** Creates an ajv instance for the keywords of JSON Schema 2020-12. */
function createAjv2020(options: Options): Ajv {
  return new (loadPackage<{ Ajv2020: typeof Ajv }>('ajv/dist/2020.js').Ajv2020)(options);
}

/**
 * The JSON Schema keywords for which the class `Ajv2020` is needed, because the smaller class `Ajv` does not validate
 * them.
 */
const KEYWORDS_2020: ReadonlySet<string> = new Set([
  'prefixItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'dependentSchemas',
  'dependentRequired',
  'minContains',
  'maxContains',
]);

/** Returns whether a document has a keyword that only JSON Schema 2020-12 has. */
const usesDialect2020 = memoizeByObject((document: Document): boolean => hasKeyword2020(document));

function hasKeyword2020(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasKeyword2020);
  if (!isNode(value)) return false;
  for (const key in value) if (KEYWORDS_2020.has(key) || hasKeyword2020(value[key])) return true;
  return false;
}

/**
 * Returns whether a document has a property or a parameter with a name that every JavaScript object inherits, such as
 * `constructor`.
 * If so, ajv must ignore inherited values, which makes the validation slower.
 */
export const hasInheritedName = memoizeByObject((document: Document): boolean => findInheritedName(document));

/**
 * Returns whether every JavaScript object inherits a property with this name, such as `constructor`.
 * Returns false for `__proto__`, which ajv can't validate.
 */
function isInherited(name: string): boolean {
  return name in Object.prototype && name !== '__proto__';
}

function findInheritedName(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(findInheritedName);
  if (!isNode(value)) return false;
  for (const key in value)
    if (isInherited(key) || (key === 'name' && isInherited(String(value[key])))) return true;
    else if (findInheritedName(value[key])) return true;
  return false;
}

/**
 * Compiles the schema at a JSON Pointer of the document of an ajv instance from `createContractAjv`.
 * Throws an error if ajv can't compile the schema, or if there is none.
 */
export function compileAt(ajv: Ajv, pointer: string): ValidateFunction {
  const $ref = `contract#${pointer.split('/').map(encodeURIComponent).join('/')}`;
  // Takes half the time of the compilation of a schema that has only this reference.
  return ajv.getSchema($ref) ?? ajv.compile({ $ref });
}

/**
 * Returns a document without examples and extensions, because ajv would search them for schemas with an id.
 * The result for a document is always the same object, so the ajv instances of a document share it.
 */
export const removeData = memoizeByObject((document: Document): Document => {
  const isRemoved = (key: string, value: unknown) =>
    getKind(key, false) === 'value' && typeof value === 'object' && !VALIDATED_DATA.includes(key);
  return mapNodes(document, (node): Node => {
    const removed: string[] = [];
    for (const key in node) if (isRemoved(key, node[key])) removed.push(key);
    return omitKeys(node, removed);
  });
});

/** The keywords whose values are data that ajv needs for the validation. */
const VALIDATED_DATA = ['enum', 'const', 'default'];

/** An ajv instance for any dialect of JSON Schema. */
type AnyAjv = Parameters<AjvFormats.FormatsPlugin>[0];

/**
 * Adds the formats of JSON Schema and OpenAPI to an ajv instance, and replaces keywords for which ajv can take
 * quadratic time.
 * Returns the instance.
 * Without formats, ajv ignores the keyword `format`.
 */
export function extendAjv<Instance extends AnyAjv>(ajv: Instance): Instance {
  loadPackage<AjvFormats.FormatsPlugin>('ajv-formats')(ajv);
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  ajv.removeKeyword('uniqueItems').addKeyword(createUniqueItems());
  return ajv;
}
