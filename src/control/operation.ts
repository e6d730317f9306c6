/** The types of the control API. Other files import these types from this file, not from the generated schema.d.ts. */
import type { InputBody, JsonContent, PropertyType } from '../util/operation-types.ts';
import type { components, operations } from './schema.d.ts';

type Schemas = components['schemas'];

/** A matcher of requests. */
export type Where = Schemas['Where'];
/** The requests that a fault applies to, and the effects of the fault. */
export type FaultDefinition = Schemas['FaultDefinition'];
/** A fault with its id, and with the numbers of requests that it matched and applied to. */
export type Fault = Schemas['Fault'];
/** A filter of recorded requests. */
export type RequestFilter = Schemas['RequestFilter'];
/** A recorded request with its response. */
export type JournalEntry = Schemas['JournalEntry'];
/** How a request violates the contract of the control API: the part of the request, the JSON Pointer to the value, the rule, and the remedy. */
export type ControlViolation = Schemas['Violation'];
/** The result of a verification. */
export type Verification = Schemas['Verification'];

/** The operationId of an operation of the control API. */
export type ControlId = keyof operations;

/** The validated parts of a request to the control API. */
export interface ControlInput<Id extends ControlId> {
  readonly path: PropertyType<operations[Id]['parameters'], 'path'>;
  /** The query parameters as strings. */
  readonly query: {
    readonly [Name in keyof PropertyType<operations[Id]['parameters'], 'query'>]?: string | readonly string[];
  };
  readonly body: InputBody<operations[Id]>;
}

type Success<Id extends ControlId> = operations[Id]['responses'][Extract<keyof operations[Id]['responses'], 200 | 204>];

/** The return type of a handler whose response has no body. The linter does not allow `void` in a conditional type. */
type NoBody = ReturnType<() => void>;

/** The body of the successful response of an operation. */
export type ControlResponse<Id extends ControlId> = [JsonContent<Success<Id>>] extends [never]
  ? NoBody
  : JsonContent<Success<Id>>;

/** The query parameters of `listRequests`. */
export type JournalQuery = PropertyType<operations['listRequests']['parameters'], 'query'>;
