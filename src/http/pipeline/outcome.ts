import type { ServerResponse } from 'node:http';
import type { StateChange } from '../../sandbox/journal/change-history.ts';
import type { RecordedRequest, Remarks } from '../../sandbox/journal/recorded-request.ts';
import { type Headers, NO_HEADERS } from '../response-headers.ts';
import type { ListPieces } from './long-list.ts';
import type { TransportFault } from './transport-faults.ts';

/** A response before it is written. */
export interface ResponseData {
  readonly status: number;
  readonly headers: Headers;
  /** The body: a value to send as JSON, or a string or a Buffer if the content type is not JSON. Undefined if there is no body. */
  readonly body?: unknown;
  /**
   * The body, if it is a long list with entries that never change. The server validates this list and converts it to JSON in slices, between which it handles
   * other requests.
   */
  readonly list?: readonly unknown[];
  /** The JSON text of `list`. If `pieces` is present, the server sends it instead of `body`. */
  readonly pieces?: ListPieces;
  /** The name of the contract's example that is the body. Undefined if the body is not an example. */
  readonly example?: string | undefined;
  /** Writes the whole response: the status, the headers and the body. If `stream` is present, all other properties are ignored. */
  readonly stream?: (res: ServerResponse) => void;
}

/** The origin of a response, for the journal. `source` is, for example, `handler`, `mock`, `fault`, `cache` or `refusal`. */
export type Decision = NonNullable<RecordedRequest['decision']>;

/** The response of a handler or of the mock, with values for the response cache and the journal. */
export interface HandlerResult {
  readonly response: ResponseData;
  /** The handler's response if a fault replaced it with `response`; otherwise undefined. */
  readonly replaced?: ResponseData | undefined;
  /** The revision of the state on which the response depends. Undefined if the response can't be cached. */
  readonly revision?: number | undefined;
  readonly decision?: Decision | undefined;
  /** The changes that the handler made to the state. Undefined if the handler changed nothing. */
  readonly changes?: readonly StateChange[] | undefined;
  /** Sentences from the handler about the request, for the log and the journal. */
  readonly notes?: readonly string[] | undefined;
}

/** The response to a request, and what the log and the journal record about the request. */
export interface Outcome {
  /** The response. Undefined if no response is sent, because the client has disconnected or a fault resets the connection. */
  readonly response?: ResponseData | undefined;
  /** The revision of the state on which the response depends. Undefined if the response can't be cached. */
  readonly revision?: number | undefined;
  /** The origin of the response. Undefined if the path is unknown, or if no response is sent. */
  readonly decision?: Decision | undefined;
  readonly changes?: HandlerResult['changes'];
  /** Headers to send in addition to the headers of `response`. */
  readonly headers: Headers;
  readonly transport?: TransportFault | undefined;
  /** Sentences for the log and the journal: errors in the request, and parts of the request that were ignored. */
  readonly notes: readonly string[];
  readonly violations?: Remarks['violations'];
  readonly responseViolations?: readonly string[] | undefined;
  /**
   * Whether the response is an error response of the server itself, such as a validation error. The contract may not document this response, so the server does
   * not validate it.
   */
  readonly isRefusal: boolean;
  /** The description of the applied faults, preferences and delays, for the journal. */
  readonly effects?: Remarks['forced'];
  /** Whether the journal records the request. */
  readonly isRecorded: boolean;
}

/**
 * The outcome of a request that gets no response and is not recorded in the journal. It has all properties of an outcome, because V8 copies objects with the
 * same properties faster.
 */
export const NO_RESPONSE: Outcome = {
  response: undefined,
  revision: undefined,
  decision: undefined,
  changes: undefined,
  headers: NO_HEADERS,
  transport: undefined,
  notes: [],
  violations: undefined,
  responseViolations: undefined,
  isRefusal: false,
  effects: undefined,
  isRecorded: false,
};

/**
 * The outcome of a client's automatic retry after a fault has reset the connection. The server resets the connection again. The journal records only the first
 * attempt.
 */
export const RESET_RETRY: Outcome = { ...NO_RESPONSE, transport: { connection: { kind: 'reset', phase: 'before' } } };
