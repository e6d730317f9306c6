/** The types that `openapi.yaml` gives, read-only as the server uses them. `api-types.ts` has them as clients use them. */
import type * as api from './schema.d.ts';

/** A type whose properties and lists, and theirs, are read-only. */
export type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

type operations = { readonly [Id in keyof api.operations]: DeepReadonly<api.operations[Id]> };
type schemas = { readonly [Name in keyof api.components['schemas']]: DeepReadonly<api.components['schemas'][Name]> };

/** The id of an operation of the contract. */
export type OperationId = keyof operations;

/** The name of a schema of the contract. */
export type SchemaName = keyof schemas;

export type Product = schemas['Product'];
export type DeliveryOption = schemas['DeliveryOption'];
export type CartItem = schemas['CartItem'];
export type Order = schemas['Order'];
export type OrderProduct = schemas['OrderProduct'];
export type PaymentSummary = schemas['PaymentSummary'];
export type Problem = schemas['Problem'];

type Part<T, Name extends PropertyKey> = T extends { readonly [K in Name]?: infer P } ? NonNullable<P> : never;
type JsonOf<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** The headers of a request, by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** What a request to an operation holds once it has passed the contract: its parameters by place, and its body. */
export interface Input<Id extends OperationId> {
  readonly path: Part<operations[Id]['parameters'], 'path'>;
  readonly query: Part<operations[Id]['parameters'], 'query'>;
  /** Absent where the operation has none, or where its body is optional and was not sent. */
  readonly body: InputBody<operations[Id]>;
  readonly headers: RequestHeaders;
}

type InputBody<Operation> = Operation extends { readonly requestBody: infer Body }
  ? JsonOf<Body>
  : Operation extends { readonly requestBody?: infer Body }
    ? JsonOf<Body> | undefined
    : undefined;

type Success<Id extends OperationId> = operations[Id]['responses'][Extract<
  keyof operations[Id]['responses'],
  200 | 201 | 202 | 204
>];

/** The body of an operation's success; `never` where it has none (204). */
export type Output<Id extends OperationId> = JsonOf<Success<Id>>;

/** The headers that the contract documents for an operation's success, without the index signature of the generated type. */
type DocumentedHeaders<Id extends OperationId> =
  Success<Id> extends { readonly headers: infer Headers }
    ? { readonly [Name in keyof Headers as string extends Name ? never : Name]: Headers[Name] }
    : never;

/**
 * The response of a handler: the success body and the headers that the contract documents for it, and nothing else.
 * The status is the contract's. A body where the contract has none, or a header that it doesn't document, does not compile.
 */
export type OperationResponse<Id extends OperationId> = ([Output<Id>] extends [never]
  ? { readonly body?: never }
  : { readonly body: Output<Id> }) &
  (keyof DocumentedHeaders<Id> extends never
    ? { readonly headers?: never }
    : { readonly headers: DocumentedHeaders<Id> });
