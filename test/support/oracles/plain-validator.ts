/** Any node of a schema. */
type Schema = Readonly<Record<string, unknown>>;

/** The rule of each JSON Schema keyword in openapi.yaml. Undefined for keywords that do not restrict a value. */
const RULES: Readonly<Record<string, ((value: unknown, limit: never, schema: Schema) => boolean) | undefined>> = {
  type: (value, limit: string) => TYPES[limit]?.(value) ?? false,
  enum: (value, limit: readonly unknown[]) => limit.includes(value),
  minimum: (value, limit: number) => typeof value !== 'number' || value >= limit,
  maximum: (value, limit: number) => typeof value !== 'number' || value <= limit,
  multipleOf: (value, limit: number) => typeof value !== 'number' || Number.isInteger(value / limit),
  minLength: (value, limit: number) => typeof value !== 'string' || [...value].length >= limit,
  maxLength: (value, limit: number) => typeof value !== 'string' || [...value].length <= limit,
  minItems: (value, limit: number) => !Array.isArray(value) || value.length >= limit,
  required: (value, limit: readonly string[]) => !isObject(value) || limit.every((name) => Object.hasOwn(value, name)),
  format: (value, limit: string) => typeof value !== 'string' || (FORMATS[limit]?.test(value) ?? false),
  properties: undefined,
  items: undefined,
  allOf: undefined,
  description: undefined,
};

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
};

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i,
  'uri-reference': /^(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*(?:#(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*)?$/i,
  'json-pointer': /^(?:\/(?:[^~/]|~[01])*)*$/,
  int64: /^/,
};

/**
 * Validates a value against a schema of the shop's contract. Undocumented properties are not allowed. Returns the issues; an empty list if the value is
 * valid. It implements the specification of JSON Schema without Ajv, so that tests find defects of Ajv. Throws an error for an unknown keyword.
 */
export function getPlainIssues(schema: Schema, value: unknown): readonly string[] {
  return [...ownTroubles(schema, value, ''), ...strangers(schema, value, '')];
}

function ownTroubles(schema: Schema, value: unknown, place: string): readonly string[] {
  return [
    ...Object.entries(schema).flatMap(([keyword, limit]) => {
      if (!(keyword in RULES) && !keyword.startsWith('x-')) throw new Error(`the keyword ${keyword} is not known here`);
      return RULES[keyword]?.(value, limit as never, schema) === false ? [`${place} ${keyword} ${limit}`] : [];
    }),
    ...list(schema.allOf).flatMap((part) => ownTroubles(part, value, place)),
    ...parts(schema, value, place).flatMap(([part, entry, at]) => ownTroubles(part, entry, at)),
  ];
}

/** Returns an issue for each property of an object that no part of its schema defines. */
function strangers(schema: Schema, value: unknown, place: string): readonly string[] {
  const all = [schema, ...list(schema.allOf)];
  const named = all.flatMap(({ properties = {} }) => Object.keys(properties as object));
  const isNamed = named.length > 0 && isObject(value);
  return [
    ...(isNamed ? Object.keys(value).filter((name) => !named.includes(name)) : []).map(
      (name) => `${place}/${name} is strange`,
    ),
    ...all.flatMap((part) => parts(part, value, place).flatMap(([inner, entry, at]) => strangers(inner, entry, at))),
  ];
}

/** Returns the entries and properties of a value that a schema describes, each with its schema and its JSON Pointer. */
function parts({ properties, items }: Schema, value: unknown, place: string) {
  if (Array.isArray(value) && items)
    return value.map((entry, number) => [items as Schema, entry as unknown, `${place}/${number}`] as const);
  if (!isObject(value)) return [];
  return Object.entries((properties ?? {}) as Record<string, Schema>).flatMap(([name, schema]) =>
    Object.hasOwn(value, name) ? [[schema, value[name], `${place}/${name}`] as const] : [],
  );
}

function list(schemas: unknown): readonly Schema[] {
  return Array.isArray(schemas) ? schemas : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
