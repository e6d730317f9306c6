import type { Context, mocked } from '../application.ts';
import * as application from '../application.ts';
import type { problems } from '../resources/problems.ts';
import type { State as ShopState } from '../shop/api-types.ts';
import type { DomainErrorCode as ShopErrorCode } from '../shop/domain/domain-error.ts';
import type { CustomHandlers } from '../shop/operations/handler.ts';
import type { DeepReadonly, RequestHeaders } from '../shop/types.ts';
import type { PropertyType } from '../util/operation-types.ts';

/**
 * The types of handlers and states for any contract.
 * Their type parameters are types that openapi-typescript generates from the contract.
 */

/** The types of the shop's API. They are the default for the type parameter `Api`. */
export interface ShopApi {
  readonly state: ShopState;
  readonly handlers: CustomHandlers;
}

/**
 * The type of the state of an API: the property `state` of the type `Api`.
 * Without this property, a state has lists with any entries.
 */
export type StateOf<Api> = Api extends { readonly state: infer S extends object }
  ? S
  : Record<string, Record<string, unknown>[]>;

/**
 * The type of the handlers of an API, by operationId.
 * The property `operations` of the type `Api` determines the type of each handler.
 * A handler for an operation without an operationId can have any type.
 */
export type HandlersOf<Api> = Api extends { readonly handlers: infer Handlers }
  ? Handlers
  : OperationHandlers<PropertyType<Api, 'operations'>, Api> & {
      readonly [operationId: string]: unknown;
    };

type OperationHandlers<Operations, Api> = [Operations] extends [never]
  ? unknown
  : { readonly [Id in keyof Operations]?: ApiHandler<Operations[Id], Api> | typeof mocked };

/**
 * What a handler can do with the sandbox of a request: read and change the state, read the clock, and generate ids.
 * `Response`: the type of the responses that the contract documents for the operation.
 * `BuiltIn`: the type of the responses of the server.
 */
export interface ApiContext<S, Response = unknown, BuiltIn = Response>
  extends Pick<Context, 'reset' | 'nowMs' | 'newId' | 'changes'> {
  /** Returns the committed state of the sandbox. */
  read(): S;
  /**
   * Handles the request as the server does without this handler: it filters, sorts and pages a list, or changes the
   * state.
   * Resolves to the response. Its body is frozen: return a changed copy.
   * Rejects if the operation is mocked, and if the request is refused, for example because an entry does not exist.
   */
  builtIn(): Promise<BuiltIn>;
  /**
   * Calls `change` with the state and the time, in ms since 1970.
   * Commits the property `next` of the returned object as the new state, and resolves to its property `result`.
   * `change` must be a pure function.
   */
  update<Returned extends StateChange<S, Response>>(
    change: (state: S, nowMs: number) => Returned,
  ): Promise<Returned['result']>;
}

/**
 * The return value of a function that changes the state: the next state and a result of any type.
 * `Response` is only part of the type so that the compiler keeps literal types, such as the status `201`.
 */
interface StateChange<S, Response> {
  readonly next?: S | undefined;
  readonly result: Response | object | string | number | boolean | null | undefined;
}

/**
 * Handles the requests for an operation.
 * `Operation`: the type of the operation, for example `operations['listPets']` or `paths['/pets']['get']`.
 * `Api`: the types of the API, with the type of the state in `Api['state']`.
 */
export type ApiHandler<Operation, Api = object> = (
  input: ApiInput<Operation>,
  context: ApiContext<DeepReadonly<StateOf<Api>>, ApiResponse<Operation>, BuiltInResponse<Operation>>,
) => ApiResponse<Operation> | Promise<ApiResponse<Operation>>;

/** The input of a handler: the parameters, the body and the headers of a request that satisfies the contract. */
export interface ApiInput<Operation> {
  readonly path: Texts<PropertyType<PropertyType<Operation, 'parameters'>, 'path'>>;
  readonly query: Texts<PropertyType<PropertyType<Operation, 'parameters'>, 'query'>>;
  readonly body: Operation extends { readonly requestBody: infer Body }
    ? DeepReadonly<Content<Body>>
    : DeepReadonly<Content<PropertyType<Operation, 'requestBody'>>> | undefined;
  readonly headers: RequestHeaders;
}

/**
 * The types of parameters as a handler gets them: each value is a string.
 * A query parameter that a request contains several times is a list of strings.
 */
type Texts<Parameters> = { readonly [Name in keyof Parameters]: Text<Parameters[Name]> };

type Text<Value> = Value extends string | undefined
  ? Value
  : Value extends number | boolean
    ? `${Value}`
    : string | readonly string[];

/** The type of a body, for all documented media types together; `never` if no media type is documented. */
type Content<Holder> = Holder extends { readonly content: infer Media } ? Media[keyof Media] : never;

/** An async iterable, if a stream is documented: each value becomes an item. `never` for other media types. */
type Stream<Holder> = Holder extends { readonly content: infer Media }
  ? [Extract<keyof Media, StreamType>] extends [never]
    ? never
    : AsyncIterable<unknown>
  : never;

type StreamType =
  | 'text/event-stream'
  | 'multipart/mixed'
  | `application/${'x-ndjson' | 'ndjson' | 'jsonl' | 'json-seq' | 'stream+json'}`;

/**
 * The response of a handler: a documented status and the body of this status.
 * If the status is omitted, the server uses the success status of the contract.
 */
export type ApiResponse<Operation> = {
  [Status in keyof Responses<Operation>]: ResponseWith<
    Status,
    Content<Responses<Operation>[Status]> | Stream<Responses<Operation>[Status]>
  >;
}[keyof Responses<Operation>];

/**
 * The response of the server without a user's handler: a documented success status and the body of this status.
 * The server reports an error by rejecting.
 * If only a range or `default` is documented, it can be any documented response.
 */
type BuiltInResponse<Operation> = [SuccessOf<Operation>] extends [never]
  ? ApiResponse<Operation>
  : {
      [Status in SuccessOf<Operation>]: { readonly status: Status } & ResponseWith<
        Status,
        Content<Responses<Operation>[Status]> | Stream<Responses<Operation>[Status]>
      >;
    }[SuccessOf<Operation>];

type SuccessOf<Operation> = Extract<keyof Responses<Operation>, SuccessStatus>;

type Responses<Operation> = PropertyType<Operation, 'responses'>;

type ResponseWith<Status, Body> = {
  readonly headers?: Readonly<Record<string, string>>;
} & StatusPart<Status> &
  ([Body] extends [never]
    ? { readonly body?: undefined }
    : { readonly body: Body extends AsyncIterable<unknown> ? Body : DeepReadonly<Body> });

/**
 * The type of the status in a handler's response.
 * The status can be omitted only if the contract documents a single success status, such as `201`.
 * The status is required if the contract documents a range, such as `2XX`, or `default`.
 */
type StatusPart<Status> = Status extends SuccessStatus
  ? { readonly status?: Status }
  : { readonly status: Status extends number ? Status : number };

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;

/** The codes of the problems that a handler can report: the codes of the shop, and the codes for any other contract. */
export type DomainErrorCode = ShopErrorCode | keyof typeof problems;

/**
 * The error that a handler throws if a business rule declines a request.
 * Its code must be the code of a problem that the application defines.
 */
export const DomainError: typeof application.DomainError<DomainErrorCode> = application.DomainError;
export type DomainError = application.DomainError<DomainErrorCode>;
