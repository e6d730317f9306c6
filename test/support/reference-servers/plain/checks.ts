import type { Violation } from './refusal.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A function that returns the JSON Schema keywords that a value violates. */
type Rules = (value: unknown) => string[];

interface Field {
  readonly rules: Rules;
  readonly required: boolean;
  readonly remedy: string;
}

/** The rules for the properties of a body, by name. */
export type Fields = Readonly<Record<string, Field>>;

const uuidRules: Rules = (value) => {
  if (typeof value !== 'string') return ['type'];
  return [...(UUID.test(value) ? [] : ['format']), ...([...value].length > 36 ? ['maxLength'] : [])];
};

function quantityRules(maximum: number): Rules {
  return (value) => {
    if (typeof value !== 'number') return ['type'];
    const broken = { type: !isWhole(value), minimum: value < 1, maximum: value > maximum };
    return Object.entries(broken).flatMap(([rule, breaks]) => (breaks ? [rule] : []));
  };
}

// A number such as 1e400 is an integer in JSON, although JavaScript parses it as Infinity.
function isWhole(value: number): boolean {
  return Number.isInteger(value) || Math.abs(value) === Number.POSITIVE_INFINITY;
}

const optionRules: Rules = (value) =>
  typeof value === 'string' || (typeof value === 'number' && isWhole(value)) ? [] : ['anyOf'];

/** The rules for the body of `POST /api/cart-items`. */
export const newCartItem: Fields = {
  productId: { rules: uuidRules, required: true, remedy: 'give a uuid' },
  quantity: { rules: quantityRules(10), required: true, remedy: 'give a whole number from 1 to 10' },
};

/** The rules for the body of `PUT /api/cart-items/{productId}`. */
export const cartItemChange: Fields = {
  quantity: { rules: quantityRules(1_000_000), required: false, remedy: 'give a whole number from 1 to 1000000' },
  deliveryOptionId: { rules: optionRules, required: false, remedy: 'give a string or a whole number' },
};

/** Returns the violations of a body: properties that break their rules, and required properties that are missing. */
export function bodyViolations(fields: Fields, body: unknown): Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return asViolations('body', '', body, ['type'], 'send a JSON object');
  }
  return Object.entries(fields).flatMap(([name, { rules, required, remedy }]): Violation[] => {
    const value: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
    if (value !== undefined) return asViolations('body', `/${name}`, value, rules(value), remedy);
    return required ? [{ in: 'body', pointer: `/${name}`, rule: 'required', remedy }] : [];
  });
}

/** Returns the violations of a path parameter that must be a UUID. */
export function pathViolations(name: string, value: string): Violation[] {
  return asViolations('path', `/${name}`, value, uuidRules(value), 'give a uuid');
}

/** Returns the violations of a query parameter. A request can contain it once. */
export function queryViolations(query: URLSearchParams, name: string): Violation[] {
  const values = query.getAll(name);
  return asViolations('query', `/${name}`, values, values.length > 1 ? ['type'] : [], 'give it once');
}

/** Returns the violations of the query parameters `limit` and `after`, which select a page. */
export function pageViolations(query: URLSearchParams): Violation[] {
  return Object.entries(pageRules).flatMap(([name, { rules, remedy }]) => {
    const values = query.getAll(name);
    if (values.length > 1) return asViolations('query', `/${name}`, values, ['type'], 'give it once');
    return values.flatMap((value) => asViolations('query', `/${name}`, value, rules(value), remedy));
  });
}

const pageRules: Readonly<Record<string, { readonly rules: Rules; readonly remedy: string }>> = {
  limit: {
    rules: (text) => (String(text).trim() === '' ? ['type'] : quantityRules(1_000)(toNumber(String(text)))),
    remedy: 'give a whole number from 1 to 1000',
  },
  after: { rules: uuidRules, remedy: 'give a uuid' },
};

// A text that is not a number stays a text, so that it violates `type`.
function toNumber(text: string): unknown {
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function asViolations(
  where: Violation['in'],
  pointer: string,
  value: unknown,
  rules: string[],
  remedy: string,
): Violation[] {
  return rules.map((rule) => ({ in: where, pointer, rule, value: shortened(value, 3), remedy }));
}

// Deep values are truncated, because they would overflow the call stack of `JSON.stringify`.
function shortened(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > 200 ? `${value.slice(0, 199)}…` : value;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, 10).map((each) => shortened(each, depth - 1));
  const entries = Object.entries(value).slice(0, 10);
  return Object.fromEntries(entries.map(([name, each]) => [name.slice(0, 200), shortened(each, depth - 1)]));
}
