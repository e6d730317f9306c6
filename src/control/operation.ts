/** Names for the types that `control.yaml` gives: the one place where its schema.d.ts is read. */
import type { components, operations } from './schema.d.ts';

type Schemas = components['schemas'];

/** What a request has to be like. */
export type Where = Schemas['Where'];
/** What is to fail, when, and how. */
export type FaultDefinition = Schemas['FaultDefinition'];
/** A fault, and what has become of it. */
export type Fault = Schemas['Fault'];
/** Which requests of the journal are meant. */
export type RequestFilter = Schemas['RequestFilter'];
/** A request of the shop, and how it was answered. */
export type JournalEntry = Schemas['JournalEntry'];
/** What verifying came to. */
export type Verification = Schemas['Verification'];

/** The id of an operation of control. */
export type ControlId = keyof operations;

type Part<T, Name extends PropertyKey> = T extends { readonly [K in Name]?: infer P } ? NonNullable<P> : never;
type JsonOf<T> = T extends { readonly content: { readonly 'application/json': infer Body } } ? Body : never;

/** What a request to an operation holds once it has passed the contract of control. */
export interface ControlInput<Id extends ControlId> {
  readonly path: Part<operations[Id]['parameters'], 'path'>;
  /** As it was sent, in texts. */
  readonly query: { readonly [Name in keyof Part<operations[Id]['parameters'], 'query'>]?: string | readonly string[] };
  readonly body: operations[Id] extends { readonly requestBody: infer Body }
    ? JsonOf<Body>
    : operations[Id] extends { readonly requestBody?: infer Body }
      ? JsonOf<NonNullable<Body>> | undefined
      : undefined;
}

type Success<Id extends ControlId> = operations[Id]['responses'][Extract<keyof operations[Id]['responses'], 200 | 204>];

/** What a function gives back that gives nothing back. */
type Nothing = ReturnType<() => void>;

/** The body of its success; nothing where it has none. */
export type ControlAnswer<Id extends ControlId> = [JsonOf<Success<Id>>] extends [never] ? Nothing : JsonOf<Success<Id>>;

/** Which part of the journal is read: what a request for it may say, before it is put into texts. */
export type JournalQuery = Part<operations['listRequests']['parameters'], 'query'>;
