/**
 * Types of requests and responses for handlers: read-only versions of the types that `npm run types` generates. The types for clients are in `api-types.ts`.
 */
import type { InputBody, JsonContent, PropertyType } from '../util/operation-types.ts';
import type * as api from './schema.d.ts';

/** A type with all its properties and arrays read-only, at any depth. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

type operations = { readonly [Id in keyof api.operations]: DeepReadonly<api.operations[Id]> };
type schemas = { readonly [Name in keyof api.components['schemas']]: DeepReadonly<api.components['schemas'][Name]> };

/** The id of an operation of the contract. */
export type OperationId = keyof operations;

export type Product = schemas['Product'];
export type DeliveryOption = schemas['DeliveryOption'];
export type CartItem = schemas['CartItem'];
export type Order = schemas['Order'];
export type OrderProduct = schemas['OrderProduct'];
export type PaymentSummary = schemas['PaymentSummary'];
export type Problem = schemas['Problem'];

/** The headers of a request by name. All names are in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** The type of query parameters as strings, before numbers are parsed. */
type AsTexts<Query> = { readonly [Name in keyof Query]: Query[Name] extends string | undefined ? Query[Name] : string };

/** The input of a handler: the parameters, the body and the headers of a request that satisfies the contract. */
export interface Input<Id extends OperationId> {
  readonly path: PropertyType<operations[Id]['parameters'], 'path'>;
  /** The query parameters as strings. A parameter with the type `integer` in the contract is a string such as `"10"`. */
  readonly query: AsTexts<PropertyType<operations[Id]['parameters'], 'query'>>;
  /** The request body; undefined if the operation has no body, or if the client did not send an optional body. */
  readonly body: InputBody<operations[Id]>;
  readonly headers: RequestHeaders;
}

type Success<Id extends OperationId> = operations[Id]['responses'][Extract<
  keyof operations[Id]['responses'],
  200 | 201 | 202 | 204
>];

/** The body of a successful response; `never` if the response has no body (204). */
export type Output<Id extends OperationId> = JsonContent<Success<Id>>;

/** The headers that the contract documents for a successful response, as strings. Omits the index signature of the generated type. */
type DocumentedHeaders<Id extends OperationId> =
  Success<Id> extends { readonly headers: infer Headers }
    ? { readonly [Name in keyof Headers as string extends Name ? never : Name]: string }
    : never;

/**
 * The response of a handler: the body and the headers that the contract documents for a successful response. The server adds the status. TypeScript reports an
 * error if a handler returns a different body or an undocumented header.
 */
export type OperationResponse<Id extends OperationId> = ([Output<Id>] extends [never]
  ? { readonly body?: never }
  : { readonly body: Output<Id> }) &
  (keyof DocumentedHeaders<Id> extends never
    ? { readonly headers?: never }
    : Partial<DocumentedHeaders<Id>> extends DocumentedHeaders<Id>
      ? { readonly headers?: DocumentedHeaders<Id> }
      : { readonly headers: DocumentedHeaders<Id> });
