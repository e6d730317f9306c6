import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import type { FaultEffect } from '../../sandbox/faults/combine-faults.ts';
import type { Remarks } from '../../sandbox/journal/recorded-request.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { HttpProblem } from '../problem.ts';
import type { Headers } from '../response-headers.ts';
import type { BodyOptions } from './body.ts';
import type { Authenticate } from './credentials.ts';
import type { HandlerResult, Outcome, ResponseData } from './outcome.ts';
import type { Preferences } from './preferences.ts';
import type { HttpRequest } from './request.ts';
import type { TransportFault } from './transport-faults.ts';

/** An API that the pipeline serves: the API of the user's contract, or the control API (`/_control`). */
export interface Api {
  readonly contract: Contract;
  /** Whether this is the contract's API. Preferences, injected faults, delays and the journal apply only to the contract's API. */
  readonly isContractApi: boolean;
  /** Returns whether responses of an operation may have only the properties that the contract defines. */
  isClosed(route: Route): boolean;
  /** Creates the 404 response to a request for a path that the API does not define. */
  describeUnknownPath(path: string): HttpProblem;
  /** Checks the credentials of a request, and returns a problem (error response) if they are not accepted. Undefined if the API requires no credentials. */
  readonly authenticate?: Authenticate;
  /**
   * Handles a request by calling `runSteps`. Waits first if the concurrency limit of the API is reached. Rejects with an `HttpProblemError` if the API refuses
   * the request.
   */
  schedule(request: HttpRequest, runSteps: () => Promise<Outcome>, route: Route): Promise<Outcome>;
  /** Returns the options for reading the request bodies of an operation. Returns undefined for the default options. */
  getBodyOptions?(route: Route): BodyOptions | undefined;
  /**
   * Converts an error response to the format that the contract documents for errors of the operation. `response`: the error as a problem document (RFC 9457).
   * Returns undefined if `response` must be sent unchanged.
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
  /**
   * The type of the target. `unknown-method`: the path does not support the method. `unknown-path`: the path does not exist. `image`: a path below `/images`.
   */
  readonly kind: 'operation' | 'unknown-method' | 'unknown-path' | 'image';
  /** The operation. Undefined if `kind` is not `operation`. */
  readonly route: Route | undefined;
  /** The methods that the path supports, if `kind` is `unknown-method`; otherwise empty. */
  readonly allow: readonly string[];
  readonly location: Location;
}

/** The id of the sandbox that a request names, and the request target without the path prefix of the sandbox. */
export interface SandboxTarget {
  /** The id of the sandbox; undefined if the request names none. */
  readonly sandboxId: string | undefined;
  /** The path prefix that names the sandbox, such as `/_sandbox/w3`. Empty if the path does not name a sandbox. */
  readonly prefix: string;
  /** The path and the query without `prefix`, such as `/items?page=2`. */
  readonly target: string;
}

/** The parts of a request target, without the path prefix that names a sandbox. */
export interface Location extends SandboxTarget {
  /** The path as the client sent it, without `prefix`. */
  readonly pathname: string;
  /** The base path with which `pathname` begins, such as `/v1`: the path in a `servers` URL of the contract. Empty if there is none. */
  readonly basePath: string;
  /** The path that the router uses: without `basePath`, with valid percent-encodings, and with exactly one slash at the start. */
  readonly path: string;
  /** The query without the question mark. */
  readonly querystring: string;
}

/** The sandbox that handles a request. */
export interface SandboxSelection {
  readonly sandbox: Sandbox;
  /** Whether the request names the sandbox. False for the sandbox `default`, which handles requests that name no sandbox. */
  readonly isNamed: boolean;
  /** Headers to add to the response, such as `X-Sandbox`. */
  readonly headers: Headers;
}

/** A request, and the target (API and operation) that the router found. */
export interface RoutedRequest {
  readonly request: HttpRequest;
  /** The target. Undefined for other requests than API and image requests, such as a request for a page. */
  readonly target: Target | undefined;
}

/** A request for an operation. `selection`: the sandbox; undefined if it is not selected yet. */
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

/** The values that the validation of a request returns. */
export interface ValidRequest {
  readonly input: OperationInput;
  readonly preferences: Preferences;
  /** The query as the client sent it, without preferences such as `__code`. */
  readonly query: OperationInput['query'];
  /** Sentences about parts of the request that were ignored. */
  readonly notes: readonly string[];
  /** The idempotency key. Undefined if the request has no key. */
  readonly idempotencyKey?: string | undefined;
}

/** The effects of injected faults, preferences (RFC 7240) and delays on a request. */
export interface AppliedFaults {
  /** The combined effect of all faults that apply to the request; undefined if no fault applies. */
  readonly effect?: FaultEffect | undefined;
  /** The delays before and after the handler runs, in ms. */
  readonly delayMs: FaultEffect['delayMs'];
  /** Whether a fault resets the connection instead of running the handler. */
  readonly isResetBeforeHandler: boolean;
  readonly transport?: TransportFault | undefined;
  /** Whether any fault, preference or delay applies to the request. */
  readonly hasEffects: boolean;
  /** The description of the effects for the journal. Undefined if there are no effects. */
  readonly summary?: Remarks['forced'];
}

/** A valid request for an operation, with its input, its preferences, and the injected faults that apply to it. */
export interface OperationCall
  extends OperationRequest,
    Pick<ValidRequest, 'input' | 'preferences' | 'idempotencyKey'> {
  readonly applied: AppliedFaults;
}

/**
 * A request and its outcome (the response, and values for the log and the journal). The outcome is a nested object, because copying all its properties to this
 * object would take too long.
 */
export interface Exchange extends RoutedRequest {
  /** The sandbox of the request. Undefined if the request was refused before a sandbox was selected. */
  readonly selection: SandboxSelection | undefined;
  readonly outcome: Outcome;
  /** Whether a later Koa middleware responds to the request, for example with the page `/problems` or with a file of a front end. */
  readonly callsNext: boolean;
}

/**
 * Returns the path of a request, including the prefix that names a sandbox: `/_sandbox/w3/items`. The log and the property `instance` of problem documents
 * contain this path.
 */
export function getPath({ request, target }: RoutedRequest): string {
  if (target) return target.location.prefix + target.location.pathname;
  const [path = ''] = request.target.split('?', 1);
  return path;
}
