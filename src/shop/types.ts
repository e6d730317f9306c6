/**
 * The types of requests and responses for handlers.
 * They are read-only versions of the types that `npm run types` generates.
 * The types for clients are in `api-types.ts`.
 */
import type { InputBody, JsonContent, PropertyType } from '../util/operation-types.ts';
import type * as api from './schema.d.ts';

/** A type whose properties and arrays are read-only at any depth. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

type operations = { readonly [Id in keyof api.operations]: DeepReadonly<api.operations[Id]> };
type schemas = { readonly [Name in keyof api.components['schemas']]: DeepReadonly<api.components['schemas'][Name]> };

/** An operationId of the shop's contract. */
export type OperationId = keyof operations;

export type Product = schemas['Product'];
export type DeliveryOption = schemas['DeliveryOption'];
export type CartItem = schemas['CartItem'];
export type Order = schemas['Order'];
export type OrderProduct = schemas['OrderProduct'];
export type PaymentSummary = schemas['PaymentSummary'];
export type Problem = schemas['Problem'];

/** The headers of a request. Their names are in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/**
 * The type of query parameters before numbers are parsed.
 * A parameter is a string, even if its schema has the type `integer`.
 */
type AsTexts<Query> = { readonly [Name in keyof Query]: Query[Name] extends string | undefined ? Query[Name] : string };

/** The input of a handler: the parameters, the body and the headers of a request that satisfies the contract. */
export interface Input<Id extends OperationId> {
  readonly path: PropertyType<operations[Id]['parameters'], 'path'>;
  /** The query parameters as strings. A parameter of the type `integer` is a string such as `"10"`. */
  readonly query: AsTexts<PropertyType<operations[Id]['parameters'], 'query'>>;
  /** The request body. Undefined if the operation has no body, or if the client omitted an optional body. */
  readonly body: InputBody<operations[Id]>;
  readonly headers: RequestHeaders;
}

type Success<Id extends OperationId> = operations[Id]['responses'][Extract<
  keyof operations[Id]['responses'],
  200 | 201 | 202 | 204
>];

/** The body of a successful response; `never` if the response has no body (204). */
export type Output<Id extends OperationId> = JsonContent<Success<Id>>;

/**
 * The headers that the contract documents for a successful response, as strings.
 * The index signature `[name: string]` of the generated type is removed.
 */
type DocumentedHeaders<Id extends OperationId> =
  Success<Id> extends { readonly headers: infer Headers }
    ? { readonly [Name in keyof Headers as string extends Name ? never : Name]: string }
    : never;

/**
 * The response that a handler returns: the body and the headers that the contract documents for a successful response.
 * TypeScript reports an error for a different body or an undocumented header.
 * The server adds the status.
 */
export type OperationResponse<Id extends OperationId> = ([Output<Id>] extends [never]
  ? { readonly body?: never }
  : { readonly body: Output<Id> }) &
  (keyof DocumentedHeaders<Id> extends never
    ? { readonly headers?: never }
    : Partial<DocumentedHeaders<Id>> extends DocumentedHeaders<Id>
      ? { readonly headers?: DocumentedHeaders<Id> }
      : { readonly headers: DocumentedHeaders<Id> });
