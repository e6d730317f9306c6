import type { Change } from '../../src/diff/changes.ts';
import { type Document, parseDocument } from '../../src/openapi/document.ts';

/** Two versions of a document, and how the change must be classified. */
export interface LabelledPair {
  readonly name: string;
  readonly before: Document;
  readonly after: Document;
  readonly isBreaking: boolean;
  /** The direction of the messages that changed; of those that break, if it is breaking. */
  readonly direction: Change['direction'];
}

/** New values by JSON Pointer, in order; undefined removes the value. */
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

/** Returns the base document with edits. */
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

/** Creates a function that creates pairs which are breaking, or which are not. `given` are edits of both versions. */
export const labelled =
  (isBreaking: boolean): Label =>
  (name, direction, edits, given = {}) => {
    return { name, isBreaking, direction, before: edited(given), after: edited({ ...given, ...edits }) };
  };

/** The pointer of the path /items. */
export const ITEMS = '/paths/~1items';
/** The pointer of GET /items. */
export const LIST = `${ITEMS}/get`;
/** The pointer of the 200 response to GET /items. */
export const LISTED = `${LIST}/responses/200`;
/** The pointer of POST /items. */
export const ADD = `${ITEMS}/post`;
/** The pointer of PUT /payments. */
export const PAY = '/paths/~1payments/put';
/** The pointer of the schema of an item. */
export const ITEM = '/components/schemas/Item';
/** The pointer of the schema of a new item. */
export const NEW = '/components/schemas/NewItem';
/** The pointer of the schema of a receipt. */
export const RECEIPT = '/components/schemas/Receipt';
/** A schema of texts. */
export const text = { type: 'string' };
/** A query parameter. */
export const search = { name: 'search', in: 'query', schema: text };
