/** The types of `control.yaml` by name. Only this file imports its schema.d.ts. */
import type { components, operations } from './schema.d.ts';

type Schemas = components['schemas'];

/** A matcher of requests. */
export type Where = Schemas['Where'];
/** Which requests a fault applies to, when, and what it does. */
export type FaultDefinition = Schemas['FaultDefinition'];
/** A fault with its id and counters. */
export type Fault = Schemas['Fault'];
/** Selects recorded requests. */
export type RequestFilter = Schemas['RequestFilter'];
/** A recorded request with its response. */
export type JournalEntry = Schemas['JournalEntry'];
/** The result of a verification. */
export type Verification = Schemas['Verification'];

/** The operationId of an operation of the control API. */
export type ControlId = keyof operations;

type Part<T, Name extends PropertyKey> = T extends { readonly [K in Name]?: infer P } ? NonNullable<P> : never;
type JsonOf<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** The validated parts of a request to the control API. */
export interface ControlInput<Id extends ControlId> {
  readonly path: Part<operations[Id]['parameters'], 'path'>;
  /** The values as they were sent: strings. */
  readonly query: { readonly [Name in keyof Part<operations[Id]['parameters'], 'query'>]?: string | readonly string[] };
  readonly body: operations[Id] extends { readonly requestBody: infer Body }
    ? JsonOf<Body>
    : operations[Id] extends { readonly requestBody?: infer Body }
      ? JsonOf<NonNullable<Body>> | undefined
      : undefined;
}

type Success<Id extends ControlId> = operations[Id]['responses'][Extract<keyof operations[Id]['responses'], 200 | 204>];

/** The return type of a function without a return value. */
type Nothing = ReturnType<() => void>;

/** The body of a successful response; nothing if it has none. */
export type ControlResponse<Id extends ControlId> = [JsonOf<Success<Id>>] extends [never]
  ? Nothing
  : JsonOf<Success<Id>>;

/** The query parameters of a request for the journal. */
export type JournalQuery = Part<operations['listRequests']['parameters'], 'query'>;
