import type { ServerResponse } from 'node:http';
import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import type { FaultEffect } from '../../sandbox/faults/combine-faults.ts';
import type { Remarks } from '../../sandbox/journal/recorded-request.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { type Headers, NO_HEADERS } from '../headers.ts';
import type { HttpProblem } from '../problem.ts';
import type { BodyOptions } from './body.ts';
import type { Authenticate } from './credentials.ts';
import type { ListPieces } from './long-list.ts';
import type { Preferences } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import type { TransportFault } from './transport-faults.ts';

/** An API that the pipeline serves: the contract's API or the control API. */
export interface Api {
  readonly contract: Contract;
  /** Whether this is the contract's API. Only its requests have preferences, faults and delays, and are recorded in the journal. */
  readonly isContractApi: boolean;
  /** Returns whether the responses of an operation can have only the properties that the contract defines. */
  isClosed(route: Route): boolean;
  /** Creates the problem of a path that the API does not have. */
  describeUnknownPath(path: string): HttpProblem;
  /** Returns the problem of a request that lacks the credentials that the contract requires for the operation. */
  readonly authenticate?: Authenticate;
  /** Calls `runSteps` immediately, or later if a concurrency limit is reached. Throws an `HttpProblemError` if the API refuses the request. */
  schedule(request: HttpRequest, runSteps: () => Promise<Outcome>, route: Route): Promise<Outcome>;
  /** Returns the options for reading the body of a request; undefined for the default options. */
  getBodyOptions?(route: Route): BodyOptions | undefined;
  /**
   * Returns the response to an error in the form that the contract documents for the operation. Returns undefined if `response`, which has the problem document,
   * is the right response.
   */
  createErrorResponse?(
    operation: OperationTarget,
    problem: HttpProblem,
    response: ResponseData,
  ): ResponseData | undefined;
  /** Handles a valid request. */
  handle(call: OperationCall): Promise<HandlerResult>;
}

/** The API, the operation and the path that the router found for a request. */
export interface Target {
  readonly api: Api;
  /** The type of the target. `image` is a path below `/images`, because faults can apply to images too. */
  readonly kind: 'operation' | 'unknown-method' | 'unknown-path' | 'image';
  /** The operation; undefined for the other kinds. */
  readonly route: Route | undefined;
  /** The methods that the path supports, if `kind` is `unknown-method`; otherwise empty. */
  readonly allow: readonly string[];
  readonly location: Location;
}

/** The sandbox that a request names, and the request target without the prefix that names it. */
export interface SandboxTarget {
  /** The id of the sandbox; undefined if the request names none. */
  readonly sandboxId: string | undefined;
  /** The prefix, such as `/_sandbox/w3`; empty if there is none. */
  readonly prefix: string;
  /** The path and the query. */
  readonly target: string;
}

/** The path and the query of a request, without the prefix that names a sandbox. */
export interface Location extends SandboxTarget {
  /** The path as it was sent. */
  readonly pathname: string;
  /** The path of a server of the contract with which the path begins, such as `/v1`; empty if there is none. */
  readonly basePath: string;
  /** The path without `basePath`, in the form that the router needs: with valid percent-encodings, and with one slash at the start. */
  readonly path: string;
  /** The query without the question mark. */
  readonly querystring: string;
}

/** The sandbox in which a request is handled. */
export interface SandboxSelection {
  readonly sandbox: Sandbox;
  /** Whether the request names the sandbox. */
  readonly isNamed: boolean;
  /** The headers that every response to the request has. */
  readonly headers: Headers;
}

/** A request, and the target that the router found. */
export interface RoutedRequest {
  readonly request: HttpRequest;
  /** The target; undefined if the request is neither for an API nor for an image. */
  readonly target: Target | undefined;
}

/** A request for an operation, whose sandbox may not be selected yet. */
export interface OperationTarget extends RoutedRequest {
  readonly target: Target;
  readonly route: Route;
  readonly selection?: SandboxSelection | undefined;
}

/** A routed request and its sandbox. */
export interface SandboxRequest extends RoutedRequest {
  readonly target: Target;
  readonly selection: SandboxSelection;
}

/** A request for an operation. */
export interface OperationRequest extends SandboxRequest {
  readonly route: Route;
}

/** The values of a valid request. */
export interface ValidRequest {
  readonly input: OperationInput;
  readonly preferences: Preferences;
  /** The query as it was sent, without preferences. */
  readonly query: OperationInput['query'];
  /** Sentences about parts of the request that were ignored. */
  readonly notes: readonly string[];
}

/** The effects of faults, preferences and delays on a request. */
export interface AppliedFaults {
  /** The combined effect of all faults that apply to the request; undefined if no fault applies. */
  readonly effect?: FaultEffect | undefined;
  /** The delays before and after the operation, in ms. */
  readonly delayMs: FaultEffect['delayMs'];
  /** Whether a fault resets the connection, so that the operation does not run. */
  readonly isResetBeforeHandler: boolean;
  readonly transport?: TransportFault | undefined;
  /** Whether a fault, a preference or a delay changes the response or its time. */
  readonly hasEffects: boolean;
  /** The description of the effects for the journal; undefined if there are none. */
  readonly summary?: Remarks['forced'];
}

/** A valid request for an operation, and the faults and preferences that apply to the request. */
export interface OperationCall extends OperationRequest, Pick<ValidRequest, 'input' | 'preferences'> {
  readonly applied: AppliedFaults;
}

/** A response before it is written. */
export interface ResponseData {
  readonly status: number;
  readonly headers: Headers;
  /** The body: a value that is sent as JSON, or a string or a Buffer if the media type is not JSON. Undefined if there is no body. */
  readonly body?: unknown;
  /** The body, if it is a long list whose entries never change. It is verified and converted to JSON in slices. */
  readonly list?: readonly unknown[];
  /** The JSON of `list`. If present, it is sent instead of `body`. */
  readonly pieces?: ListPieces;
  /** Names of additional headers that pages of allowed origins can read. */
  readonly exposedHeaders?: readonly string[];
  /** Writes the status, the headers and the body. If present, the other properties are not used. */
  readonly stream?: (res: ServerResponse) => void;
}

/** The response of a handler or of the mock, and whether the response can be cached. */
export interface HandlerResult {
  readonly response: ResponseData;
  /** The revision of the state that the response depends on; undefined if the response can't be cached. */
  readonly revision?: number | undefined;
}

/** The response to a request, and what the log and the journal record about the request. */
export interface Outcome {
  /** The response. Undefined if no response is sent, because the client has disconnected or a fault resets the connection. */
  readonly response?: ResponseData | undefined;
  /** The revision of the state that the response depends on; undefined if the response can't be cached. */
  readonly revision?: number | undefined;
  /** Headers to send in addition to those of `response`. */
  readonly headers: Headers;
  readonly transport?: TransportFault | undefined;
  /** Sentences about errors in the request and about parts of the request that were ignored. */
  readonly notes: readonly string[];
  readonly violations?: Remarks['violations'];
  readonly responseViolations?: readonly string[] | undefined;
  /** Whether the response is a problem document of the engine. Contracts do not document these responses, so they are not verified. */
  readonly isRefusal: boolean;
  /** The description of applied faults, preferences and delays, for the journal. */
  readonly effects?: Remarks['forced'];
  /** Whether the journal records the request. */
  readonly isRecorded: boolean;
}

/** An outcome without a response that the journal does not record. It lists all properties, because V8 copies objects of the same shape faster. */
export const NO_RESPONSE: Outcome = {
  response: undefined,
  revision: undefined,
  headers: NO_HEADERS,
  transport: undefined,
  notes: [],
  violations: undefined,
  responseViolations: undefined,
  isRefusal: false,
  effects: undefined,
  isRecorded: false,
};

/** The outcome of a request that the client retries automatically after a reset: another reset. The journal records only the first attempt. */
export const RESET_RETRY: Outcome = { ...NO_RESPONSE, transport: { connection: { kind: 'reset', phase: 'before' } } };

/** A request and its outcome. The outcome is a separate object, because it takes too long to copy its properties into the exchange. */
export interface Exchange extends RoutedRequest {
  /** The sandbox of the request. Undefined if the request was refused before a sandbox was selected. */
  readonly selection: SandboxSelection | undefined;
  readonly outcome: Outcome;
  /** Whether a later middleware responds to the request: the fixed routes or the files. */
  readonly callsNext: boolean;
}

/** Returns the path of a request with the prefix that names a sandbox, for `instance` of problem documents and for the log. */
export function getPath({ request, target }: RoutedRequest): string {
  if (target) return target.location.prefix + target.location.pathname;
  const [path = ''] = request.target.split('?', 1);
  return path;
}
