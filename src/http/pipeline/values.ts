import type { Contract } from '../../openapi/contract.ts';
import type { Route } from '../../openapi/routes.ts';
import type { OperationInput } from '../../openapi/validate-request.ts';
import type { FaultEffect } from '../../sandbox/faults/combine-faults.ts';
import type { Remarks } from '../../sandbox/journal/recorded-request.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { HttpProblem } from '../problem.ts';
import type { Preferences } from './preferences.ts';
import type { BodyOptions, HttpRequest } from './request.ts';
import { type Headers, NO_HEADERS, type ResponseData } from './response.ts';

/** An API that the pipeline serves: that of the contract, or the control API. */
export interface Api {
  readonly contract: Contract;
  /** Whether preferences, faults and delays apply to its requests, and the journal records them. */
  readonly isSimulated: boolean;
  /** Whether responses may have only the properties that the contract has. */
  isClosed(route: Route): boolean;
  describeUnknownPath(path: string): HttpProblem;
  /** Runs the steps of a request, perhaps later. Throws `HttpProblemError` for a request that the API refuses before it is validated. */
  schedule(request: HttpRequest, steps: () => Promise<Draft>, route: Route): Promise<Draft>;
  /** Options for reading the body; by default the default ones. */
  getBodyOptions?(route: Route): BodyOptions | undefined;
  /** Handles a valid request, and completes the response. */
  handle(call: OperationCall): Promise<Handled>;
}

/** The sandbox that a request names, and its target without that name. */
export interface NamedSandbox {
  readonly id: string;
  /** The part of the path that names it, `/_sandbox/w3`; empty if something else does. */
  readonly prefix: string;
  /** The target without the prefix. */
  readonly target: string;
}

/** Where a request leads. */
export interface Target {
  readonly api: Api;
  /** `image`: a file, to which faults apply. */
  readonly kind: 'operation' | 'unknown-method' | 'unknown-path' | 'image';
  /** The operation; undefined for the other kinds. */
  readonly route: Route | undefined;
  /** The methods of the path, for an unknown method. */
  readonly allow: readonly string[];
  readonly sandbox: NamedSandbox | undefined;
  readonly location: Location;
}

/** The path and the query of a request, without the prefix that names a sandbox. */
export interface Location {
  /** The prefix, `/_sandbox/w3`; empty if there is none. */
  readonly prefix: string;
  /** Path and query. */
  readonly target: string;
  /** The path as it was sent. */
  readonly pathname: string;
  /** The path as routes match it: it can be decoded, and begins with one slash. */
  readonly path: string;
  /** The query, without the question mark. */
  readonly querystring: string;
}

/** The sandbox in which a request is handled. */
export interface Scope {
  readonly sandbox: Sandbox;
  /** Whether the request names it. */
  readonly isNamed: boolean;
  /** Headers of every response to the request. */
  readonly headers: Headers;
}

/** A request in the sandbox to which it leads. */
export interface ScopedRequest {
  readonly request: HttpRequest;
  readonly target: Target;
  readonly scope: Scope;
}

/** A request for an operation, in its sandbox. */
export interface OperationRequest extends ScopedRequest {
  readonly route: Route;
}

/** What a request with valid parameters and a valid body has. */
export interface ValidRequest {
  readonly input: OperationInput;
  readonly preferences: Preferences;
  /** The query as it was sent, without preferences. */
  readonly query: OperationInput['query'];
  /** What was ignored, a sentence each. */
  readonly notes: readonly string[];
}

/** How a response is damaged on its way. */
export type TransportFault = Pick<FaultEffect, 'connection' | 'bodyDurationMs'>;

/** The effects of faults, preferences and delays on a request. */
export interface AppliedFaults {
  readonly effect: FaultEffect | undefined;
  /** How long the response waits before and after the operation, in ms. */
  readonly delayMs: FaultEffect['delayMs'];
  /** Whether the connection is reset before the operation runs. */
  readonly isLost: boolean;
  readonly transport: TransportFault | undefined;
  /** For the journal; undefined if nothing applies. */
  readonly summary: Remarks['forced'];
}

/** A valid request for an operation, with the effects on it. */
export interface OperationCall extends OperationRequest, Pick<ValidRequest, 'input' | 'preferences'> {
  readonly applied: AppliedFaults;
}

/** What handling a request returns. */
export interface Handled {
  readonly response: ResponseData;
  /** The revision of the state on which alone the response depends; undefined if it depends on more. */
  readonly revision: number | undefined;
}

/** What the steps of an operation return, before the response is verified. */
export interface Draft {
  /** Undefined if the request gets no response: the client is gone, or a fault resets the connection. */
  readonly response: ResponseData | undefined;
  readonly revision: number | undefined;
  /** Headers of the response, whichever it becomes. */
  readonly headers: Headers;
  readonly transport: TransportFault | undefined;
  /** What was wrong with the request or ignored in it, a sentence each. */
  readonly notes: readonly string[];
  readonly violations: Remarks['violations'];
  readonly responseViolations: readonly string[] | undefined;
  /** Whether the response is a problem document of the engine, which no operation has to document. */
  readonly isRefusal: boolean;
  /** What was forced upon the request, for the journal. */
  readonly forced: Remarks['forced'];
  /** Whether the journal records the request. */
  readonly isRecorded: boolean;
}

/** A request without a response, which is not recorded. */
export const NO_RESPONSE: Draft = {
  response: undefined,
  revision: undefined,
  headers: NO_HEADERS,
  transport: undefined,
  notes: [],
  violations: undefined,
  responseViolations: undefined,
  isRefusal: false,
  forced: undefined,
  isRecorded: false,
};

/** A request that a client sends again after a reset: it was counted and recorded the first time. */
export const RESET_AGAIN: Draft = { ...NO_RESPONSE, transport: { connection: { kind: 'reset', phase: 'before' } } };

/** What the pipeline writes, records and logs. The draft is a value of its own: spreading it into this would take ten times as long as all else here. */
export interface Exchange {
  readonly request: HttpRequest;
  /** Undefined if the request leads to none of the APIs, and to no image. */
  readonly target: Target | undefined;
  /** Undefined for a request that was refused before a sandbox was entered. */
  readonly scope: Scope | undefined;
  readonly draft: Draft;
  /** Whether the fixed routes and the files respond instead. */
  readonly isPassed: boolean;
}

/** Returns the path of a request as problem documents name it, with the prefix that names a sandbox. */
export function getPath({ request, target }: Pick<Exchange, 'request' | 'target'>): string {
  if (target) return target.location.prefix + target.location.pathname;
  const [path = ''] = request.target.split('?', 1);
  return path;
}
