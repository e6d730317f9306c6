import type { ErrorObject } from 'ajv';

/** A schema, as far as sentences are made of it. */
interface Described {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly multipleOf?: number;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly not?: Described;
  readonly anyOf?: readonly Described[];
}

/** The remedy for a parameter that was sent more than once. */
export const GIVE_IT_ONCE = 'give it once';

/** What would be right instead of what ajv found, as a request to the reader. Needs ajv's `verbose` errors. */
export function getRemedy({ keyword, params, data, parentSchema, instancePath }: ErrorObject): string {
  const schema = (parentSchema ?? {}) as Described;
  if (keyword === 'required') return `give ${expected(schema.properties?.[params.missingProperty] ?? {}, 'it')}`;
  if (keyword === 'additionalProperties') {
    return suggestName(params.additionalProperty, Object.keys(schema.properties ?? {}));
  }
  if (keyword === 'minProperties') return `give at least one of ${list(Object.keys(schema.properties ?? {}))}`;
  if (keyword === 'depth') return 'nest less';
  if (keyword === 'finite') return `use a number of at most ${Number.MAX_VALUE}`;
  if (keyword === 'type' && Array.isArray(data) && instancePath.startsWith('/query/')) return GIVE_IT_ONCE;
  return ruleRemedy(keyword, schema) ?? `use ${expected(schema)}`;
}

/** What a rule about the properties of an object asks for: its own description, else the names in it; undefined for what is no such rule. */
function ruleRemedy(keyword: string, { description, type, not, anyOf = [] }: Described): string | undefined {
  const isRule = keyword === 'not' || (keyword === 'anyOf' && anyOf.some(isRuleBranch));
  if (!isRule) return undefined;
  if (description !== undefined && type === undefined) return lowerFirst(description);
  if (not)
    return Object.keys(not).join() === 'required' ? `leave out ${list(not.required ?? [])}` : 'use another value';
  return anyOf.every(isRuleBranch) ? `give ${alternatives(anyOf.map(({ required = [] }) => required))}` : undefined;
}

/** Whether a branch of an `anyOf` only asks for properties. */
function isRuleBranch(branch: Described): boolean {
  return Object.keys(branch).join() === 'required';
}

function alternatives(names: readonly (readonly string[])[]): string {
  const isPlain = names.every(({ length }) => length === 1);
  return isPlain ? list(names.flat()) : names.map((some) => some.join(' and ')).join(', or ');
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** What to do with a name that isn't known: the name among `known` that was probably meant, else to leave it out. */
export function suggestName(name: string, known: readonly string[]): string {
  const similar = similarName(name, known);
  return similar === undefined ? 'leave it out' : `did you mean ${similar}?`;
}

/** The known name that is spelt almost like `name`, whatever the case; undefined where there is none. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  return known.find((candidate) => isNear(name.toLowerCase(), candidate.toLowerCase()));
}

/** Whether two names are alike but for at most two letters at one place: the same beginning and the same end. */
function isNear(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return start + end >= 2 && Math.max(a.length, b.length) - start - end <= 2;
}

/** What a schema asks for, in words. */
function expected(schema: Described, otherwise = 'another value'): string {
  if (schema.enum) return list(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf) return list(schema.anyOf.map((each) => expected(each)));
  if (schema.type === 'integer') return `a whole number${range(schema)}`;
  if (schema.type === 'number') return `a number${range(schema)}${steps(schema)}`;
  if (schema.type === 'array' && schema.minItems) return `a list of at least ${schema.minItems}`;
  // The schema of a name has no need of a type.
  if (schema.type === 'string' || (schema.type === undefined && schema.pattern !== undefined)) return text(schema);
  return NAMES[schema.type ?? ''] ?? otherwise;
}

const NAMES: Readonly<Record<string, string>> = { object: 'an object', array: 'a list', boolean: 'true or false' };

function text({ format, pattern, minLength = 0, maxLength }: Described): string {
  if (format) return `a ${format}`;
  if (pattern !== undefined) return `a text that matches ${pattern}`;
  if (maxLength !== undefined) return `a text of ${minLength} to ${maxLength} characters`;
  return minLength > 0 ? 'a text that is not empty' : 'a text';
}

function steps({ multipleOf }: Described): string {
  return multipleOf === undefined ? '' : ` in steps of ${multipleOf}`;
}

function range({ minimum, maximum }: Described): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}
