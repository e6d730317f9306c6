/** The types of handlers and states for any contract. The type parameters are types that openapi-typescript generates. */
import type { Context, mocked } from '../application.ts';
import type { State as ShopState } from '../shop/api-types.ts';
import type { CustomHandlers } from '../shop/operations/handler.ts';
import type { DeepReadonly, RequestHeaders } from '../shop/types.ts';
import type { PropertyType } from '../util/operation-types.ts';

/** The types of the shop's API. They are the default. */
export interface ShopApi {
  readonly state: ShopState;
  readonly handlers: CustomHandlers;
}

/** The state of an API: its member `state`, otherwise lists of any entries. */
export type StateOf<Api> = Api extends { readonly state: infer S extends object }
  ? S
  : Record<string, Record<string, unknown>[]>;

/** The handlers of an API by operationId. Its member `operations` determines their types. Operations without an operationId have any handler. */
export type HandlersOf<Api> = Api extends { readonly handlers: infer Handlers }
  ? Handlers
  : OperationHandlers<PropertyType<Api, 'operations'>, Api> & {
      readonly [operationId: string]: unknown;
    };

type OperationHandlers<Operations, Api> = [Operations] extends [never]
  ? unknown
  : { readonly [Id in keyof Operations]?: ApiHandler<Operations[Id], Api> | typeof mocked };

/** The sandbox of a request: its state, clock and id generator. `Response`: the type of the responses that the handler can return. */
export interface ApiContext<S, Response = unknown> extends Pick<Context, 'reset' | 'nowMs' | 'newId'> {
  /** Returns the committed state. */
  read(): S;
  /** Commits a change, which is a pure function of the state. Resolves to the result that the function returns. */
  update<Returned extends StateChange<S, Response>>(
    change: (state: S, nowMs: number) => Returned,
  ): Promise<Returned['result']>;
}

/** What a change returns. The result can be anything: `Response` makes the compiler keep the literal types of a response, such as a status. */
interface StateChange<S, Response> {
  readonly next?: S | undefined;
  readonly result: Response | object | string | number | boolean | null | undefined;
}

/** Handles the requests of an operation. `Operation`: `operations['listPets']` or `paths['/pets']['get']`. `Api`: the types of the API; its state is `Api['state']`. */
export type ApiHandler<Operation, Api = object> = (
  input: ApiInput<Operation>,
  context: ApiContext<DeepReadonly<StateOf<Api>>, ApiResponse<Operation>>,
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

/** Parameters as a handler gets them: as texts. A query parameter that is sent several times is a list. */
type Texts<Parameters> = { readonly [Name in keyof Parameters]: Text<Parameters[Name]> };

type Text<Value> = Value extends string | undefined
  ? Value
  : Value extends number | boolean
    ? `${Value}`
    : string | readonly string[];

/** The type of the body in any of the documented media types; `never` if there is none. */
type Content<Holder> = Holder extends { readonly content: infer Media } ? Media[keyof Media] : never;

/** The response of a handler: a documented status with its body. Without a status, the response has the success status of the contract. */
export type ApiResponse<Operation> = {
  [Status in keyof Responses<Operation>]: ResponseWith<Status, Content<Responses<Operation>[Status]>>;
}[keyof Responses<Operation>];

type Responses<Operation> = PropertyType<Operation, 'responses'>;

type ResponseWith<Status, Body> = {
  readonly headers?: Readonly<Record<string, string>>;
} & StatusPart<Status> &
  ([Body] extends [never] ? { readonly body?: undefined } : { readonly body: DeepReadonly<Body> });

/** Only a success status can be omitted. A documented range of statuses, and `default`, need a status. */
type StatusPart<Status> = Status extends SuccessStatus
  ? { readonly status?: Status }
  : { readonly status: Status extends number ? Status : number };

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206;
