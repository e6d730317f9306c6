/** Names for the types that `openapi.yaml` gives: the one place where schema.d.ts is read. */
import type { components, operations } from './schema.d.ts';

/** The id of an operation of the contract. */
export type OperationId = keyof operations;

/** The name of a schema of the contract. */
export type SchemaName = keyof components['schemas'];

export type Product = components['schemas']['Product'];
export type DeliveryOption = components['schemas']['DeliveryOption'];
export type CartItem = components['schemas']['CartItem'];
export type Order = components['schemas']['Order'];
export type OrderProduct = components['schemas']['OrderProduct'];
export type PaymentSummary = components['schemas']['PaymentSummary'];
export type Problem = components['schemas']['Problem'];
export type Violation = components['schemas']['Violation'];

type Part<T, Name extends PropertyKey> = T extends { readonly [K in Name]?: infer P } ? NonNullable<P> : never;
type JsonOf<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** What a request to an operation holds once it has passed the contract: its parameters by place, and its body. */
export interface Input<Id extends OperationId> {
  readonly path: Part<operations[Id]['parameters'], 'path'>;
  readonly query: Part<operations[Id]['parameters'], 'query'>;
  /** Absent where the operation has none, or where its body is optional and was not sent. */
  readonly body: InputBody<operations[Id]>;
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
 * What a handler gives back: the success body and the headers that the contract documents for it, and nothing else.
 * The status is the contract's. A body where the contract has none, or a header that it doesn't document, does not compile.
 */
export type Answer<Id extends OperationId> = ([Output<Id>] extends [never]
  ? { readonly body?: never }
  : { readonly body: Output<Id> }) &
  (keyof DocumentedHeaders<Id> extends never
    ? { readonly headers?: never }
    : { readonly headers: DocumentedHeaders<Id> });
