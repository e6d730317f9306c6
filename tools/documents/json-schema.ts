import { type Document, isObject, list, type Node } from './document.ts';

/** Who sends a value: a request has no required `readOnly` properties, a response no required `writeOnly` ones. */
export type Sender = 'request' | 'response';

/** The surroundings of a schema that is translated. */
interface Translation {
  readonly document: Document;
  readonly sender: Sender;
  /** Returns a reference to the definition of the target of a reference. */
  refer(reference: string): Node;
  /** Returns the name of a format for a pattern that is invalid in Unicode mode. */
  nameFormat(pattern: RegExp): string;
}

/** A JSON Schema with the formats that it needs. */
export interface JsonSchema {
  readonly schema: Node;
  readonly formats: Readonly<Record<string, RegExp>>;
}

const SCHEMAS = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const MORE_SCHEMAS = ['unevaluatedProperties', 'unevaluatedItems'];
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMA_MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const VALUES = ['type', 'enum', 'const', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'];
const MORE_VALUES = ['dependentRequired', 'minContains', 'maxContains'];
const FORMATS = ['date-time', 'date', 'time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uuid'];

/** The keywords that only values of a type have. The validator refuses them beside another type, where they mean nothing. */
const TYPED: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  array: [
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
    'unevaluatedItems',
  ],
  object: [
    'properties',
    'patternProperties',
    'additionalProperties',
    'required',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ],
};

/** Translates a schema of a document to a JSON Schema 2020-12 with all referenced schemas as definitions. */
export function toJsonSchema(document: Document, schema: unknown, sender: Sender): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const formats: Record<string, RegExp> = {};
  const translation: Translation = {
    document,
    sender,
    refer(reference) {
      let name = names.get(reference);
      if (name === undefined) {
        name = `definition${names.size}`;
        names.set(reference, name);
        definitions[name] = translate(document.at(reference) ?? {}, translation);
      }
      return { $ref: `#/$defs/${name}` };
    },
    nameFormat(pattern) {
      formats[`as${pattern}`] = pattern;
      return `as${pattern}`;
    },
  };
  const translated = translate(schema, translation) as Node;
  const root = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...translated, $defs: definitions };
  // Removes keywords that are undefined.
  return { schema: JSON.parse(JSON.stringify(root)), formats };
}

function translate(schema: unknown, translation: Translation): unknown {
  if (!isObject(schema)) return schema === false ? false : {};
  const { $ref, nullable, ...rest } = schema;
  const isOld = String(translation.document.root.openapi).startsWith('3.0');
  const target = typeof $ref === 'string' ? translation.refer($ref) : {};
  const own = typeof $ref === 'string' && isOld ? {} : translateKeywords(rest, translation);
  const whole = { ...own, ...target };
  return nullable === true && isOld ? { anyOf: [whole, { enum: [null] }] } : whole;
}

function translateKeywords(schema: Node, translation: Translation): Node {
  const inner = (value: unknown) => translate(value, translation);
  const made: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if ([...VALUES, ...COUNTS, ...MORE_VALUES].includes(key)) made[key] = value;
    if (key === 'format' && FORMATS.includes(value as string)) made[key] = value;
    if ([...SCHEMAS, ...MORE_SCHEMAS].includes(key)) made[key] = inner(value);
    if (SCHEMA_LISTS.includes(key) && list(value).length > 0) made[key] = list(value).map(inner);
    if (SCHEMA_MAPS.includes(key) && isObject(value)) made[key] = mapValues(value, inner);
  }
  return withoutOtherTypes({
    ...made,
    ...required(schema, translation),
    ...bound(schema, 'minimum', 'exclusiveMinimum'),
    ...bound(schema, 'maximum', 'exclusiveMaximum'),
    ...discriminated(schema, translation),
    ...pattern(schema, translation),
  });
}

function withoutOtherTypes(schema: Node): Node {
  if (schema.type === undefined) return schema;
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).map((type) =>
    type === 'integer' ? 'number' : type,
  );
  const refused = Object.entries(TYPED).flatMap(([type, keywords]) => (types.includes(type) ? [] : keywords));
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !refused.includes(keyword)));
}

function mapValues(node: Node, map: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, map(value)]));
}

/** Returns the required properties without those that the sender does not send. */
function required({ required: names, properties }: Node, { sender, document }: Translation): Node {
  if (!Array.isArray(names)) return {};
  const omitted = sender === 'request' ? 'readOnly' : 'writeOnly';
  const isOmitted = (name: string) => document.resolve((properties as Node | undefined)?.[name])[omitted] === true;
  return { required: [...new Set(names)].filter((name) => !isOmitted(name)) };
}

/** Translates the boolean of OpenAPI 3.0. */
function bound(schema: Node, name: string, exclusiveName: string): Node {
  if (typeof schema[exclusiveName] !== 'boolean') return {};
  return schema[exclusiveName] === true
    ? { [exclusiveName]: schema[name], [name]: undefined }
    : { [exclusiveName]: undefined };
}

/** Translates a discriminator of referenced alternatives: only the alternative that its value names must match. */
function discriminated({ oneOf, anyOf, discriminator, required: names }: Node, { refer, document }: Translation): Node {
  const alternatives = list(oneOf ?? anyOf);
  if (!isObject(discriminator) || alternatives.length === 0) return {};
  if (!alternatives.every((one) => isObject(one) && typeof one.$ref === 'string')) return {};
  const { propertyName } = discriminator as { propertyName: string };
  const named = discriminatorValues(document, discriminator, alternatives as readonly { $ref: string }[]);
  if (!alternatives.every((one) => named.some(([, reference]) => reference === (one as Node).$ref))) return {};
  return {
    oneOf: undefined,
    anyOf: undefined,
    required: [...new Set([...list(names), propertyName])],
    properties: { [propertyName]: { enum: named.map(([value]) => value) } },
    allOf: named.map(([value, $ref]) => ({
      if: { required: [propertyName], properties: { [propertyName]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: that is its name in JSON Schema.
      then: refer($ref),
    })),
  };
}

/**
 * Returns the values of a discriminator with the references that they stand for. Without a mapping, the value of a schema is its name, unless the schema lists
 * other values for the property.
 */
export function discriminatorValues(
  document: Document,
  discriminator: Node,
  alternatives: readonly { readonly $ref: string }[],
): readonly (readonly [string, string])[] {
  const mapping = (discriminator.mapping ?? {}) as Readonly<Record<string, string>>;
  return alternatives.flatMap(({ $ref }) => {
    const name = $ref.replace(/^.*\//, '');
    const isNamed = (value: string) => [$ref, name].includes(mapping[value] ?? '');
    const values = Object.keys(mapping).filter(isNamed);
    const properties = (document.resolve({ $ref }).properties ?? {}) as Node;
    const { enum: own } = document.resolve(properties[String(discriminator.propertyName)]);
    const names = Array.isArray(own) && !own.includes(name) ? [] : [name];
    return (values.length > 0 ? values : names).map((value) => [value, $ref] as const);
  });
}

/** Translates a pattern: one that is invalid in Unicode mode becomes a format, and one that is invalid in JavaScript is ignored. */
function pattern({ pattern: source }: Node, { nameFormat }: Translation): Node {
  if (typeof source !== 'string') return {};
  if (isPattern(source, 'u')) return { pattern: source };
  return isPattern(source, '') ? { format: nameFormat(new RegExp(source)) } : {};
}

function isPattern(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}
