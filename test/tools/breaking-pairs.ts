import { type Document, parseDocument } from '../../src/openapi/document.ts';
import type { Change } from '../../tools/contract/breaking.ts';

/** Two versions of a document, and what is known of the step from one to the other. */
export interface LabelledPair {
  readonly name: string;
  readonly before: Document;
  readonly after: Document;
  readonly isBreaking: boolean;
  /** The way that the messages go that changed: for a breaking step, those that it breaks. */
  readonly direction: Change['direction'];
}

/** What is put where (JSON Pointer), in this order; undefined takes away what is there. */
export type Edits = Readonly<Record<string, unknown>>;

const base = parseDocument(
  'base.yaml',
  `
openapi: 3.0.3
info: { title: Items, version: 1.0.0 }
servers: [{ url: / }]
paths:
  /items:
    get:
      operationId: listItems
      description: All items
      parameters:
        - { name: search, in: query, description: A term, schema: { type: string, maxLength: 50 } }
        - { name: sort, in: query, schema: { type: string, enum: [name, price] } }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
        - { name: X-Trace, in: header, schema: { type: string } }
      responses:
        "200":
          description: The items
          headers:
            X-Total: { required: true, schema: { type: integer, minimum: 0 } }
          content:
            application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } }
            text/csv: { schema: { type: string } }
        "400": { $ref: "#/components/responses/Problem" }
    post:
      operationId: addItem
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: "#/components/schemas/NewItem" } }
          application/x-www-form-urlencoded: { schema: { $ref: "#/components/schemas/NewItem" } }
      responses:
        "201":
          description: The item
          content:
            application/json: { schema: { $ref: "#/components/schemas/Item" } }
        4XX: { $ref: "#/components/responses/Problem" }
  /items/{id}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: getItem
      responses:
        "200":
          description: The item
          content:
            application/json: { schema: { $ref: "#/components/schemas/Item" } }
        "404": { $ref: "#/components/responses/Problem" }
    delete:
      operationId: removeItem
      responses:
        "204": { description: Gone }
  /payments:
    put:
      operationId: pay
      requestBody:
        content:
          application/json: { schema: { $ref: "#/components/schemas/Payment" } }
      responses:
        "200":
          description: What was paid
          content:
            application/json: { schema: { $ref: "#/components/schemas/Receipt" } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    token: { type: http, scheme: bearer }
  responses:
    Problem:
      description: What was wrong
      content:
        application/problem+json: { schema: { type: object, properties: { detail: { type: string } } } }
  schemas:
    Item:
      type: object
      required: [id, name, priceCents]
      properties:
        id: { type: string, format: uuid }
        name: { type: string, minLength: 1, maxLength: 80 }
        priceCents: { type: integer, minimum: 0 }
        weight: { type: number }
        size: { type: string, enum: [small, large] }
        note: { type: string, nullable: true }
        tags: { type: array, uniqueItems: true, minItems: 1, items: { type: string, pattern: "^[a-z]+$" } }
        parent: { $ref: "#/components/schemas/Item" }
        secret: { type: string, writeOnly: true }
    NewItem:
      type: object
      required: [name, quantity]
      properties:
        name: { type: string, minLength: 1, maxLength: 80 }
        quantity: { type: integer, minimum: 1, maximum: 20 }
        weight: { type: number, multipleOf: 0.5 }
        size: { type: string, enum: [small, large] }
        note: { type: string, nullable: true }
        tags: { type: array, maxItems: 5, items: { type: string } }
        gift: { type: boolean, default: false }
        serial: { type: string, readOnly: true }
    Payment:
      oneOf:
        - { $ref: "#/components/schemas/Card" }
        - { $ref: "#/components/schemas/Voucher" }
    Card: { type: object, required: [card], properties: { card: { type: string } } }
    Voucher: { type: object, required: [voucher], properties: { voucher: { type: string } } }
    Cash: { type: object, required: [coins], properties: { coins: { type: integer } } }
    Receipt:
      anyOf:
        - { type: object, required: [paidCents], properties: { paidCents: { type: integer } } }
        - { type: string }
`,
);

/** The document in which some of what is there is otherwise. */
export function edited(edits: Edits): Document {
  const document = structuredClone(base);
  for (const [pointer, value] of Object.entries(edits)) put(document, pointer, structuredClone(value));
  return document;
}

function put(document: object, pointer: string, value: unknown): void {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop() ?? '';
  const holder = steps.reduce<unknown>((node, step) => Reflect.get(node as object, step), document) as object;
  if (value !== undefined) Reflect.set(holder, last, value);
  else if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else Reflect.deleteProperty(holder, last);
}

type Label = (name: string, direction: Change['direction'], edits: Edits, given?: Edits) => LabelledPair;

const labelled =
  (isBreaking: boolean): Label =>
  (name, direction, edits, given = {}) => {
    return { name, isBreaking, direction, before: edited(given), after: edited({ ...given, ...edits }) };
  };
const [breaking, harmless] = [labelled(true), labelled(false)];

const ITEMS = '/paths/~1items';
const LIST = `${ITEMS}/get`;
const LISTED = `${LIST}/responses/200`;
const ADD = `${ITEMS}/post`;
const PAY = '/paths/~1payments/put';
const ITEM = '/components/schemas/Item';
const NEW = '/components/schemas/NewItem';
const RECEIPT = '/components/schemas/Receipt';
const text = { type: 'string' };
const search = { name: 'search', in: 'query', schema: text };

/** What a client that kept to the older version can trip over. */
const breakingPairs: readonly LabelledPair[] = [
  breaking('an operation is gone', 'both', { '/paths/~1items~1{id}/delete': undefined }),
  breaking('a path is gone', 'both', { '/paths/~1payments': undefined }),
  breaking('a server is another one', 'both', { '/servers/0/url': '/v2' }),
  breaking('an optional parameter is gone', 'request', { [`${LIST}/parameters/0`]: undefined }),
  breaking('a required parameter is new', 'request', {
    [`${LIST}/parameters/4`]: { name: 'shop', in: 'query', required: true, schema: text },
  }),
  breaking('a required parameter is new for a whole path', 'request', {
    '/paths/~1items~1{id}/parameters/1': { name: 'shop', in: 'header', required: true, schema: text },
  }),
  breaking('a parameter became required', 'request', { [`${LIST}/parameters/0/required`]: true }),
  breaking('a parameter moved to the headers', 'request', { [`${LIST}/parameters/0/in`]: 'header' }),
  breaking('a parameter takes a shorter text', 'request', { [`${LIST}/parameters/0/schema/maxLength`]: 40 }),
  breaking('a parameter takes a value less', 'request', { [`${LIST}/parameters/1/schema/enum/1`]: undefined }),
  breaking('a parameter has another default', 'request', { [`${LIST}/parameters/2/schema/default`]: 10 }),
  breaking('a path parameter has to be a uuid', 'request', {
    '/paths/~1items~1{id}/parameters/0/schema/format': 'uuid',
  }),
  breaking(
    'a list in the query is written otherwise',
    'request',
    { [`${LIST}/parameters/0/explode`]: false },
    {
      [`${LIST}/parameters/0/schema`]: { type: 'array', items: text },
    },
  ),
  breaking('a body became required', 'request', { [`${PAY}/requestBody/required`]: true }),
  breaking('a body is gone', 'request', { [`${PAY}/requestBody`]: undefined }),
  breaking('a media type of the body is gone', 'request', {
    [`${ADD}/requestBody/content/application~1x-www-form-urlencoded`]: undefined,
  }),
  breaking('a request property became required', 'request', { [`${NEW}/required/2`]: 'size' }),
  breaking('a required request property is new', 'request', {
    [`${NEW}/properties/colour`]: text,
    [`${NEW}/required/2`]: 'colour',
  }),
  breaking('a request property is gone', 'request', { [`${NEW}/properties/note`]: undefined }),
  breaking('a request property is only read now', 'request', { [`${NEW}/properties/note/readOnly`]: true }),
  breaking('a request property takes less', 'request', { [`${NEW}/properties/quantity/maximum`]: 10 }),
  breaking('a request property excludes its limit', 'request', {
    [`${NEW}/properties/quantity/exclusiveMaximum`]: true,
  }),
  breaking('a request property takes whole numbers alone', 'request', { [`${NEW}/properties/weight/type`]: 'integer' }),
  breaking('a request property takes coarser steps', 'request', { [`${NEW}/properties/weight/multipleOf`]: 1 }),
  breaking('a request property may not be null', 'request', { [`${NEW}/properties/note/nullable`]: false }),
  breaking('a request property takes a value less', 'request', { [`${NEW}/properties/size/enum/0`]: undefined }),
  breaking('a request property gets a pattern', 'request', { [`${NEW}/properties/name/pattern`]: '^[A-Z]' }),
  breaking('a request list takes fewer entries', 'request', { [`${NEW}/properties/tags/maxItems`]: 4 }),
  breaking('a request list takes no entry twice', 'request', { [`${NEW}/properties/tags/uniqueItems`]: true }),
  breaking('a request takes no other properties', 'request', { [`${NEW}/additionalProperties`]: false }),
  breaking(
    'a request is narrowed by an allOf',
    'request',
    {
      [NEW]: { allOf: [{ $ref: '#/components/schemas/Card' }, { type: 'object', properties: { card: text } }] },
      '/components/schemas/Card/properties/card/minLength': 4,
    },
    { [NEW]: { allOf: [{ $ref: '#/components/schemas/Card' }, { type: 'object' }] } },
  ),
  breaking('a request alternative is gone', 'request', { '/components/schemas/Payment/oneOf/1': undefined }),
  breaking('a request alternative became narrower', 'request', {
    '/components/schemas/Voucher/properties/voucher/maxLength': 8,
  }),
  breaking('an operation asks for a key', 'request', { [`${ADD}/security`]: [{ key: [] }] }),
  breaking(
    'an operation asks for another key',
    'request',
    { '/components/securitySchemes/key/name': 'X-Token' },
    {
      '/security': [{ key: [] }],
    },
  ),
  breaking('a success is gone', 'response', {
    [`${ADD}/responses/202`]: { description: 'Later' },
    [`${ADD}/responses/201`]: undefined,
  }),
  breaking('a media type of an answer is gone', 'response', { [`${LISTED}/content/text~1csv`]: undefined }),
  breaking('an answer has no body any more', 'response', { [`${PAY}/responses/200/content`]: undefined }),
  breaking('a header is gone', 'response', { [`${LISTED}/headers/X-Total`]: undefined }),
  breaking('a header may be missing', 'response', { [`${LISTED}/headers/X-Total/required`]: false }),
  breaking('a response property is gone', 'response', { [`${ITEM}/properties/weight`]: undefined }),
  breaking('a required response property is gone', 'response', {
    [`${ITEM}/properties/priceCents`]: undefined,
    [`${ITEM}/required/2`]: undefined,
  }),
  breaking('a response property became optional', 'response', { [`${ITEM}/required/1`]: undefined }),
  breaking('a response property is only written now', 'response', { [`${ITEM}/properties/weight/writeOnly`]: true }),
  breaking('a response property may be a value more', 'response', { [`${ITEM}/properties/size/enum/2`]: 'huge' }),
  breaking('a response property is no list of values any more', 'response', {
    [`${ITEM}/properties/size/enum`]: undefined,
  }),
  breaking('a response property may be null', 'response', { [`${ITEM}/properties/name/nullable`]: true }),
  breaking('a response property that is referred to may be null', 'response', {
    [`${ITEM}/properties/parent`]: { allOf: [{ $ref: '#/components/schemas/Item' }], nullable: true },
  }),
  breaking('a response property may be a fraction', 'response', { [`${ITEM}/properties/priceCents/type`]: 'number' }),
  breaking('a response property is of another type', 'response', { [`${ITEM}/properties/priceCents`]: text }),
  breaking('a response property may be negative', 'response', { [`${ITEM}/properties/priceCents/minimum`]: undefined }),
  breaking('a response property may be longer', 'response', { [`${ITEM}/properties/name/maxLength`]: 200 }),
  breaking('a response property is no uuid any more', 'response', { [`${ITEM}/properties/id/format`]: undefined }),
  breaking('a response list may be empty', 'response', { [`${ITEM}/properties/tags/minItems`]: undefined }),
  breaking('entries of a response list look otherwise', 'response', {
    [`${ITEM}/properties/tags/items/pattern`]: '^[A-Z]+$',
  }),
  breaking('a response alternative is new', 'response', { [`${RECEIPT}/anyOf/2`]: { type: 'integer' } }),
  breaking('a response property may be a text or a number', 'response', {
    [`${ITEM}/properties/name`]: { anyOf: [text, { type: 'integer' }] },
  }),
  breaking(
    'a map in an answer has other values',
    'response',
    {
      [`${ITEM}/properties/prices/additionalProperties`]: text,
    },
    { [`${ITEM}/properties/prices`]: { type: 'object', additionalProperties: { type: 'integer' } } },
  ),
];

/** What no client that kept to the older version notices. */
const harmlessPairs: readonly LabelledPair[] = [
  harmless('an operation is new', 'both', {
    [`${ITEMS}/delete`]: { responses: { 204: { description: 'All are gone' } } },
  }),
  harmless('an operation is deprecated', 'both', { [`${LIST}/deprecated`]: true }),
  harmless('an operation has another id', 'both', { [`${LIST}/operationId`]: 'findItems' }),
  harmless('a server more is named', 'both', { '/servers/1': { url: 'https://shop.example' } }),
  harmless('an optional parameter is new', 'request', { [`${LIST}/parameters/4`]: { ...search, name: 'colour' } }),
  harmless(
    'a parameter may be left out',
    'request',
    { [`${LIST}/parameters/0/required`]: false },
    {
      [`${LIST}/parameters/0/required`]: true,
    },
  ),
  harmless('a parameter takes a value more', 'request', { [`${LIST}/parameters/1/schema/enum/2`]: 'weight' }),
  harmless('a parameter takes a longer text', 'request', { [`${LIST}/parameters/0/schema/maxLength`]: 100 }),
  harmless('an optional body is new', 'request', {
    [`${LIST}/requestBody`]: { content: { 'application/json': { schema: {} } } },
  }),
  harmless('a media type of the body is new', 'request', {
    [`${ADD}/requestBody/content/application~1xml`]: { schema: { type: 'object' } },
  }),
  harmless('a request property may be left out', 'request', { [`${NEW}/required/1`]: undefined }),
  harmless('an optional request property is new', 'request', { [`${NEW}/properties/colour`]: text }),
  harmless('a request property takes more', 'request', { [`${NEW}/properties/quantity/maximum`]: 50 }),
  harmless('a request property takes fractions', 'request', { [`${NEW}/properties/quantity/type`]: 'number' }),
  harmless('a request property takes finer steps', 'request', { [`${NEW}/properties/weight/multipleOf`]: 0.25 }),
  harmless('a request property may be null', 'request', { [`${NEW}/properties/name/nullable`]: true }),
  harmless('a request property takes a number too', 'request', {
    [`${NEW}/properties/name`]: { anyOf: [{ type: 'string', minLength: 1, maxLength: 80 }, { type: 'integer' }] },
  }),
  harmless('a request property takes a value more', 'request', { [`${NEW}/properties/size/enum/2`]: 'huge' }),
  harmless(
    'a request takes other properties again',
    'request',
    { [`${NEW}/additionalProperties`]: true },
    {
      [`${NEW}/additionalProperties`]: false,
    },
  ),
  harmless('a request alternative is new', 'request', {
    '/components/schemas/Payment/oneOf/2': { $ref: '#/components/schemas/Cash' },
  }),
  harmless(
    'an operation asks for no key any more',
    'request',
    { [`${ADD}/security`]: [] },
    { '/security': [{ key: [] }] },
  ),
  harmless(
    'a token does as well as a key',
    'request',
    { '/security/1': { token: [] } },
    { '/security': [{ key: [] }] },
  ),
  harmless('a success more', 'response', { [`${ADD}/responses/202`]: { description: 'Later' } }),
  harmless('an error more', 'response', { [`${LIST}/responses/409`]: { description: 'Not now' } }),
  harmless('an error less', 'response', { '/paths/~1items~1{id}/get/responses/404': undefined }),
  harmless('a media type of an answer is new', 'response', {
    [`${ADD}/responses/201/content/application~1xml`]: { schema: { type: 'object' } },
  }),
  harmless('a header is new', 'response', { [`${LISTED}/headers/X-Pages`]: { schema: { type: 'integer' } } }),
  harmless(
    'a header is always there',
    'response',
    { [`${LISTED}/headers/X-Total/required`]: true },
    {
      [`${LISTED}/headers/X-Total/required`]: false,
    },
  ),
  harmless('an optional response property is new', 'response', { [`${ITEM}/properties/colour`]: text }),
  harmless('a required response property is new', 'response', {
    [`${ITEM}/properties/colour`]: text,
    [`${ITEM}/required/3`]: 'colour',
  }),
  harmless('a response property is always there', 'response', { [`${ITEM}/required/3`]: 'weight' }),
  harmless('a response property may be a value less', 'response', { [`${ITEM}/properties/size/enum/1`]: undefined }),
  harmless('a response property is never null any more', 'response', { [`${ITEM}/properties/note/nullable`]: false }),
  harmless('a response property is a whole number', 'response', { [`${ITEM}/properties/weight/type`]: 'integer' }),
  harmless('a response property is within limits', 'response', { [`${ITEM}/properties/weight/minimum`]: 0 }),
  harmless('a response property is shorter', 'response', { [`${ITEM}/properties/name/maxLength`]: 40 }),
  harmless('a response property is a date', 'response', { [`${ITEM}/properties/note/format`]: 'date' }),
  harmless('a response property is deprecated', 'response', { [`${ITEM}/properties/weight/deprecated`]: true }),
  harmless('a response alternative is gone', 'response', { [`${RECEIPT}/anyOf/1`]: undefined }),
];

/** Steps from one version to the next, each with what it is. */
export const labelledPairs: readonly LabelledPair[] = [...breakingPairs, ...harmlessPairs];

/** Steps that say the same in other words. */
export const equalPairs: readonly { readonly name: string; readonly before: Document; readonly after: Document }[] = [
  same('a description is another one', { [`${LIST}/description`]: 'Every item', [`${ITEM}/description`]: 'An item' }),
  same('a path parameter has another name', {
    '/paths/~1items~1{itemId}': {
      ...(at('/paths/~1items~1{id}') as object),
      parameters: [{ name: 'itemId', in: 'path', required: true, schema: text }],
    },
    '/paths/~1items~1{id}': undefined,
  }),
  same('a reference is written out', { [`${ADD}/requestBody/content/application~1json/schema`]: at(NEW) }),
  same('a schema has another name', {
    '/components/schemas/Ticket': at('/components/schemas/Voucher'),
    '/components/schemas/Payment/oneOf/1/$ref': '#/components/schemas/Ticket',
  }),
  same('a list of alternatives has another order', {
    '/components/schemas/Payment/oneOf/0/$ref': '#/components/schemas/Voucher',
    '/components/schemas/Payment/oneOf/1/$ref': '#/components/schemas/Card',
  }),
  same('a limit of whole numbers excludes the next', {
    [`${NEW}/properties/quantity`]: { type: 'integer', minimum: 0, exclusiveMinimum: true, maximum: 20 },
  }),
  same('a schema is an allOf of one', { [NEW]: { allOf: [at(NEW)] } }),
  same(
    'a parameter stands at its path',
    {
      [`${ITEMS}/parameters`]: [at(`${LIST}/parameters/0`)],
      [`${LIST}/parameters/0`]: undefined,
      [`${ADD}/parameters`]: undefined,
    },
    { [`${ADD}/parameters`]: [at(`${LIST}/parameters/0`)] },
  ),
  same('OpenAPI 3.1 says null as a type', {
    '/openapi': '3.1.0',
    [`${ITEM}/properties/note`]: { type: ['string', 'null'] },
    [`${NEW}/properties/note`]: { anyOf: [text, { type: 'null' }] },
    [`${NEW}/properties/size`]: { oneOf: [{ const: 'small' }, { const: 'large' }] },
  }),
];

function same(name: string, edits: Edits, given: Edits = {}) {
  return { name, before: edited(given), after: edited({ ...given, ...edits }) };
}

function at(pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>(
    (node, step) => Reflect.get(node as object, step.replaceAll('~1', '/').replaceAll('~0', '~')),
    edited({}),
  );
}
