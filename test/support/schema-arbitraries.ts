import fc from 'fast-check';

/** A schema of JSON Schema. */
export type JsonSchema = { readonly [keyword: string]: unknown };

const anyInteger = fc
  .record({ least: fc.integer({ min: -1_000_000, max: 1_000_000 }), span: fc.nat(1_000), kind: fc.nat(3) })
  .map(({ least, span, kind }): JsonSchema => {
    const bounds = [
      { minimum: least, maximum: least + span },
      { exclusiveMinimum: least, exclusiveMaximum: least + span + 2 },
      { minimum: least },
      { maximum: least },
    ];
    return { type: 'integer', ...bounds[kind] };
  });

/** A multiple of the step lies within the bounds. */
const anyMultiple = fc
  .record({ step: fc.constantFrom(0.01, 0.05, 0.1, 0.25, 0.5, 1.5, 3, 7), count: fc.integer({ min: -50, max: 5_000 }) })
  .map(({ step, count }): JsonSchema => {
    const least = step * (count - 0.5);
    return {
      type: Number.isInteger(step) ? 'integer' : 'number',
      multipleOf: step,
      minimum: least,
      maximum: least + step * 2,
    };
  });

const anyNumber = fc
  .record({
    least: fc.integer({ min: -1e6, max: 1e6 }),
    span: fc.integer({ min: 1, max: 1e5 }),
    isExclusive: fc.boolean(),
  })
  .map(({ least, span, isExclusive }): JsonSchema => {
    const bounds = [least / 1_000, (least + span) / 1_000];
    return isExclusive
      ? { type: 'number', exclusiveMinimum: bounds[0], exclusiveMaximum: bounds[1] }
      : { type: 'number', minimum: bounds[0], maximum: bounds[1] };
  });

const FORMATS = [
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uri-template',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
  'regex',
  'byte',
];

const anyFormatted = fc.constantFrom(...FORMATS).map((format): JsonSchema => ({ type: 'string', format }));

const anyText = fc.record({ minLength: fc.nat(60), span: fc.nat(20), isOpen: fc.boolean() }).map(
  ({ minLength, span, isOpen }): JsonSchema => ({
    type: 'string',
    minLength,
    ...(isOpen ? {} : { maxLength: minLength + span }),
  }),
);

const PATTERNS: readonly JsonSchema[] = [
  { pattern: '^[A-Z]{2}-\\d{4}$' },
  { pattern: '^[a-f0-9]{24}$' },
  { pattern: '^(red|green|blue)$' },
  { pattern: '^\\+[1-9]\\d{6,14}$' },
  { pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 30 },
  { pattern: '^[a-z]+$', minLength: 12, maxLength: 14 },
  { pattern: '^\\d{3,}$', minLength: 8, maxLength: 8 },
  { pattern: '\\d' },
  { pattern: '^\\w+@\\w+\\.com$' },
  { pattern: '^.{5}$' },
  { pattern: '^v\\d+\\.\\d+\\.\\d+$' },
];

const anyPatterned = fc.constantFrom(...PATTERNS).map((pattern): JsonSchema => ({ type: 'string', ...pattern }));

const anyChoice = fc
  .uniqueArray(fc.oneof(fc.string({ maxLength: 6 }), fc.integer(), fc.boolean(), fc.constant(null)), {
    minLength: 1,
    maxLength: 5,
  })
  .map((values): JsonSchema => ({ enum: values }));

const anyLeaf = fc.oneof(
  anyInteger,
  anyMultiple,
  anyNumber,
  anyFormatted,
  anyText,
  anyPatterned,
  anyChoice,
  fc.constantFrom<JsonSchema>({ type: 'boolean' }, { const: 7 }, { type: 'null' }, {}),
);

const anyName = fc.constantFrom('id', 'name', 'email', 'priceCents', 'createdAt', 'tags', 'size', 'note', 'x-y z');

/** Schemas that some value holds by, nested within one another. */
export const { schema: anySchema } = fc.letrec<{ schema: JsonSchema }>((tie) => {
  const inner = tie('schema');
  const anyList = fc
    .record({ items: inner, minItems: fc.nat(3), span: fc.nat(3) })
    .map(({ items, minItems, span }): JsonSchema => ({ type: 'array', items, minItems, maxItems: minItems + span }));
  const anySet = fc
    .record({ items: fc.oneof(anyNumber, fc.constant({ type: 'string', format: 'uuid' })), minItems: fc.nat(8) })
    .map(({ items, minItems }): JsonSchema => ({ type: 'array', items, minItems, uniqueItems: true }));
  const anyWholeSet = fc
    .uniqueArray(fc.string({ maxLength: 4 }), { minLength: 1, maxLength: 6 })
    .map(
      (values): JsonSchema => ({ type: 'array', items: { enum: values }, minItems: values.length, uniqueItems: true }),
    );
  const anyProperties = fc.dictionary(anyName, inner, { maxKeys: 5 });
  const anyObject = fc
    .record({ properties: anyProperties, isClosed: fc.boolean(), isRequired: fc.array(fc.boolean(), { maxLength: 5 }) })
    .map(({ properties, isClosed, isRequired }): JsonSchema => {
      const required = Object.keys(properties).filter((_, place) => isRequired[place]);
      return { type: 'object', properties, required, ...(isClosed ? { additionalProperties: false } : {}) };
    });
  const anyMap = fc
    .record({ additionalProperties: inner, minProperties: fc.nat(4), span: fc.nat(2) })
    .map(({ span, ...schema }): JsonSchema => {
      return { type: 'object', ...schema, maxProperties: schema.minProperties + span };
    });
  const anyParts = fc.tuple(inner, inner, inner).map(
    ([one, two, three]): JsonSchema => ({
      allOf: [
        { type: 'object', required: ['one'], properties: { one } },
        { type: 'object', required: ['two'], properties: { two, both: { type: 'integer', minimum: 3 } } },
      ],
      required: ['both'],
      properties: { three, both: { type: 'integer', maximum: 5 } },
    }),
  );
  const anyAlternative = fc.tuple(fc.constantFrom('oneOf', 'anyOf'), inner, inner).map(
    ([keyword, one, two]): JsonSchema => ({
      type: 'object',
      required: ['kind'],
      [keyword]: [
        { properties: { kind: { const: 'one' }, value: one } },
        { properties: { kind: { const: 'two' }, value: two } },
      ],
    }),
  );
  const anyUnion = fc.constantFrom<JsonSchema>(
    { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    { anyOf: [{ type: 'string', format: 'email' }, { type: 'null' }] },
    { type: ['string', 'null'], minLength: 3 },
    { type: ['integer', 'boolean'], minimum: 2 },
  );
  const anyNested = fc.oneof(anyList, anySet, anyWholeSet, anyObject, anyMap, anyParts, anyAlternative, anyUnion);
  return { schema: fc.oneof({ maxDepth: 3 }, anyLeaf, anyNested) };
});
