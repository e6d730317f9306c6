import { isInexactInteger } from '../util/limits.ts';
import { type Document, isNode, type Node } from './document.ts';
import { type Branch, getBranches } from './schema-parts.ts';

/** The rules for reading text as values of the types of a schema. */
export interface TextRules {
  readonly document: Document;
  /**
   * Returns whether a value is valid against the schema at a JSON Pointer.
   * Called only if a text can stand for several values.
   */
  readonly isValid: (schema: string, value: unknown) => boolean;
}

/** A JSON number (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Decision: an integer in a parameter or a form has only digits. So `1e0` is not another name of the entry 1. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/**
 * Converts the texts in a parameter or a form to the types of a schema: `5` to a number if the schema allows numbers.
 * A single text becomes an array with one entry if the schema requires an array.
 * If a text can stand for several values, returns the first that is valid: with
 * `oneOf: [{ type: integer }, { type: string }]`, `5` is a number and `x` a string.
 * A text that does not fit stays unchanged, so that the schema rejects it.
 * `texts`: the possible forms of the sent value, in their order of preference.
 * A form is a text, or an object or array of texts.
 */
export function readTexts(rules: TextRules, schema: string, texts: readonly unknown[]): unknown {
  return new TextReader(rules).read([schema], texts);
}

/**
 * Converts the possible forms of a sent value, as `readTexts` does.
 * `schema`: the JSON Pointer of the schema of the value.
 */
export type ConvertTexts = (schema: string, texts: readonly unknown[]) => unknown;

/** Returns the first form of a sent value, without converting its texts. */
export const keepTexts: ConvertTexts = (_schema, [first]) => first;

/** A value that was JSON in a form, so that its texts are not converted. */
export class ParsedText {
  constructor(readonly value: unknown) {}
}

class TextReader {
  readonly #rules: TextRules;
  readonly #getBranches: ReturnType<typeof getBranches>;
  /** The results for objects and arrays, because the alternatives of a schema can have the same properties. */
  readonly #known = new Map<object, Map<string, unknown>>();

  constructor(rules: TextRules) {
    this.#rules = rules;
    this.#getBranches = getBranches(rules.document);
  }

  /**
   * Returns the first value that is valid against all of `schemas`, or else the first value.
   * `texts`: the possible forms of the sent value.
   */
  read(schemas: readonly string[], texts: readonly unknown[], isEntry = false): unknown {
    const branches = this.#getBranches(schemas);
    const [branch, otherBranch] = branches;
    const [first] = texts;
    // The usual case, which a long list has for each entry: one schema and one type.
    const types = otherBranch ? undefined : branch?.types;
    const isScalar = types?.size === 1 && (isEntry || !types.has('array'));
    if (types && isScalar && typeof first === 'string' && texts.length === 1)
      return readScalar(types, first)[0] ?? first;
    const values = texts.flatMap((text) => branches.flatMap((branch) => this.#readBranch(branch, text, isEntry)));
    const distinct = values.length === 1 ? values : removeDuplicates(values);
    if (distinct.length === 1) return distinct[0];
    const { isValid } = this.#rules;
    return distinct.find((value) => schemas.every((schema) => isValid(schema, value))) ?? distinct[0];
  }

  #readNested(schemas: readonly string[], text: unknown, isEntry: boolean): unknown {
    if (text instanceof ParsedText) return text.value;
    if (schemas.length === 0) return text;
    if (typeof text !== 'object' || text === null) return this.read(schemas, [text], isEntry);
    const known = this.#known.get(text) ?? new Map<string, unknown>();
    this.#known.set(text, known);
    const key = schemas.join(' ');
    const value = known.has(key) ? known.get(key) : this.read(schemas, [text], isEntry);
    known.set(key, value);
    return value;
  }

  /**
   * Returns the values that a text can stand for.
   * `isEntry`: whether the text is an entry of an array, and is not an array itself.
   */
  #readBranch(branch: Branch, text: unknown, isEntry: boolean): readonly unknown[] {
    const { types } = branch;
    if (text instanceof ParsedText) return [text.value];
    if (Array.isArray(text)) {
      // Some clients send a single value as an array: `name[]=x`.
      if (text.length === 1 && types && !types.has('array')) return this.#readBranch(branch, text[0], isEntry);
      return [text.map((entry, index) => this.#readNested(branch.getItem(index), entry, true))];
    }
    if (isNode(text)) return [this.#readObject(branch, text)];
    if (typeof text !== 'string') return [text];
    const values = readScalar(types, text);
    if (types?.has('array') && !isEntry) values.push([this.#readNested(branch.getItem(0), text, true)]);
    return values.length === 0 ? [text] : values;
  }

  #readObject(branch: Branch, text: Node): Node {
    const entries = Object.entries(text).map(([name, value]) => [
      name,
      this.#readNested(branch.getProperty(name), value, false),
    ]);
    return Object.fromEntries(entries);
  }
}

/**
 * Returns the number that a text stands for; undefined if it is not a number as in JSON, or if it is an integer that
 * JavaScript can't represent.
 * `isInteger`: whether the text must have only digits.
 */
export function parseNumber(text: string, isInteger = false): number | undefined {
  return (isInteger ? INTEGER : NUMBER).test(text) && !isInexactInteger(text) ? Number(text) : undefined;
}

/** Returns the values without arrays and objects that a text can stand for. */
function readScalar(types: ReadonlySet<string> | undefined, text: string): unknown[] {
  if (!types) return [text];
  const values: unknown[] = [];
  const isNumeric = types.has('number') || types.has('integer');
  const number = isNumeric ? parseNumber(text, !types.has('number')) : undefined;
  if (number !== undefined) values.push(number);
  if (types.has('boolean') && (text === 'true' || text === 'false')) values.push(text === 'true');
  if (types.has('string')) values.push(text);
  if (types.has('null') && text === '') values.push(null);
  return values;
}

/** Removes values that are equal to an earlier one. */
function removeDuplicates(values: readonly unknown[]): readonly unknown[] {
  const seen = new Set<unknown>();
  return values.filter((value) => {
    // JSON can't represent the value Infinity, so numbers are compared as they are.
    const key = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
    return !seen.has(key) && seen.add(key);
  });
}
