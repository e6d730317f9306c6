/** The types of the control API. Other files import these types from this file, not from the generated schema.d.ts. */
import type { InputBody, JsonContent, PropertyType, TextContent } from '../util/operation-types.ts';
import type { components, operations } from './schema.d.ts';

type Schemas = components['schemas'];

/** A matcher: conditions on the method, the path, the query, the headers and the body of a request. */
export type Where = Schemas['Where'];
/** A fault to inject: the requests that it applies to, and its effects. */
export type FaultDefinition = Schemas['FaultDefinition'];
/**
 * An injected fault with its id and two counters: how many requests matched the fault, and how many requests it was
 * applied to.
 */
export type Fault = Schemas['Fault'];
/** A filter of recorded requests. */
export type RequestFilter = Schemas['RequestFilter'];
/** A recorded request with its response. */
export type JournalEntry = Schemas['JournalEntry'];
/**
 * A violation of a contract by a request: the part of the request, the JSON Pointer to the value, the rule, and the
 * remedy.
 */
export type ControlViolation = Schemas['Violation'];
/** The description of the server: its version, its contract, and the collections of its application. */
export type Server = Schemas['Server'];
/** An operation of the application's contract, and how a sandbox handles it. */
export type Operation = Schemas['Operation'];
/** Lines in the contract file: the name of the file, the number of the first line, and the text. */
export type Source = NonNullable<Schemas['RequestDetails']['violations'][number]['source']>;
/** A change of an entry by a request. */
export type EntryChange = Schemas['EntryChange'];
/** The result of a verification: whether the expected number of requests was recorded. */
export type Verification = Schemas['Verification'];

/** How often requests and responses used each part of the contract. */
export type CoverageReport = Schemas['Coverage'];
/** A kind of parts of the contract. */
export type CoverageKind = Schemas['CoverageKind'];

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

/**
 * The type `void`, for responses without a body.
 * It has a name because the linter does not allow `void` in a conditional type.
 */
type NoBody = ReturnType<() => void>;

/** The body of the successful response of an operation. */
export type ControlResponse<Id extends ControlId> = [JsonContent<Success<Id>>] extends [never]
  ? [TextContent<Success<Id>>] extends [never]
    ? NoBody
    : TextContent<Success<Id>>
  : JsonContent<Success<Id>>;

/** The query parameters of `listDeliveries`. */
export type DeliveryQuery = PropertyType<operations['listDeliveries']['parameters'], 'query'>;

/** The query parameters of `listRequests`. */
export type JournalQuery = PropertyType<operations['listRequests']['parameters'], 'query'>;
