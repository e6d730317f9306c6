/** How many operations and component schemas there are. */
const OPERATIONS = 600;
const SCHEMAS = 150;

type Schema = Readonly<Record<string, unknown>>;

const name = (number: number) => `Thing${number % SCHEMAS}`;
const reference = (number: number): Schema => ({ $ref: `#/components/schemas/${name(number)}` });

const TEXTS: readonly Schema[] = [
  { type: 'string' },
  { type: 'string', minLength: 3, maxLength: 12 },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'date' },
  { type: 'string', format: 'email' },
  { type: 'string', format: 'uuid' },
  { type: 'string', format: 'uri' },
  { type: 'string', format: 'ipv4' },
  { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$' },
  { type: 'string', pattern: '^(red|green|blue)$' },
  { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 30 },
  { type: 'string', enum: ['new', 'paid', 'sent'] },
  { type: 'string', nullable: true, maxLength: 5 },
];

const NUMBERS: readonly Schema[] = [
  { type: 'integer' },
  { type: 'integer', minimum: 1, maximum: 10 },
  { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true },
  { type: 'number', multipleOf: 0.01, minimum: 0, maximum: 100 },
  { type: 'number', minimum: -1, maximum: 1 },
  { type: 'integer', enum: [1, 2, 3] },
];

const text = (number: number) => TEXTS[number % TEXTS.length];
const figure = (number: number) => NUMBERS[number % NUMBERS.length];

/** Ways to make a component schema of a number; each refers to others, in cycles only through what may be left out or empty. */
const MAKERS: readonly ((number: number) => Schema)[] = [
  (number) => ({
    type: 'object',
    required: ['id', 'size'],
    additionalProperties: false,
    properties: { id: text(number), size: figure(number), next: reference(number + 1), back: reference(number) },
  }),
  (number) => ({
    type: 'object',
    required: ['parts', 'tags'],
    properties: {
      parts: { type: 'array', items: reference(number * 7 + 1) },
      tags: { type: 'array', uniqueItems: true, minItems: 2, maxItems: 4, items: TEXTS[5] },
    },
  }),
  (number) => ({
    allOf: [
      { type: 'object', required: ['name'], properties: { name: text(number), kin: reference(number + 13) } },
      { type: 'object', required: ['price'], properties: { price: figure(number + 3), flag: { type: 'boolean' } } },
    ],
  }),
  (number) => ({
    type: 'object',
    minProperties: 2,
    maxProperties: 5,
    additionalProperties: number % 2 === 0 ? figure(number) : text(number),
  }),
  (number) => ({
    oneOf: [reference(told(number)), reference(told(number) + MAKERS.length)],
    discriminator: {
      propertyName: 'kind',
      mapping: { first: reference(told(number)).$ref, second: name(told(number) + MAKERS.length) },
    },
  }),
  // What a discriminator tells apart.
  (number) => ({
    type: 'object',
    required: ['kind', 'value'],
    properties: {
      kind: { type: 'string' },
      value: text(number),
      others: { type: 'array', items: reference(number + 29) },
    },
  }),
  (number) => ({
    anyOf: [
      { type: 'object', required: ['code'], properties: { code: figure(number) } },
      { type: 'array', minItems: 1, maxItems: 3, items: text(number) },
    ],
  }),
  (number) => ({
    type: 'object',
    required: ['owner', 'none'],
    properties: {
      owner: text(number),
      none: { nullable: true, allOf: [{ type: 'object', required: ['a'], properties: { a: figure(number) } }] },
      map: { type: 'object', additionalProperties: reference(number + 5) },
    },
  }),
];

/** The number of a schema that has a `kind`, near another one. */
function told(number: number): number {
  const KIND = 5;
  return (number - (number % MAKERS.length) + KIND) % (SCHEMAS - MAKERS.length * 2);
}

function schemaOf(number: number): Schema {
  return (MAKERS[number % MAKERS.length] as (number: number) => Schema)(number);
}

/** The schema of an operation's answer. */
function answerOf(number: number): Schema {
  if (number % 3 === 0) return { type: 'array', minItems: 1, maxItems: 3, items: reference(number) };
  if (number % 3 === 1) return reference(number);
  return {
    type: 'object',
    required: ['total', 'data'],
    properties: {
      total: figure(number),
      data: reference(number),
      more: { type: 'array', items: reference(number + 1) },
    },
  };
}

/** A document of 600 operations in JSON, whose answers hold by schemas of many kinds that refer to each other. */
export function manyOperations(): string {
  const paths = Array.from({ length: OPERATIONS }, (_, number) => {
    const content = { 'application/json': { schema: answerOf(number) } };
    const method = ['get', 'post', 'put', 'patch'][number % 4] ?? 'get';
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
    const operation = {
      operationId: `do${number}`,
      parameters: [id],
      responses: { 200: { description: 'd', content } },
    };
    return [`/things${number}/{id}`, { [method]: operation }];
  });
  const schemas = Array.from({ length: SCHEMAS }, (_, number) => [name(number), schemaOf(number)]);
  return JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Many', version: '1' },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(schemas) },
  });
}
