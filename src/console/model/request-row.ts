import type { ControlResponse, JournalEntry } from '../../control/operation.ts';
import { describeDecision } from '../../util/describe-decision.ts';

/** What determined the response to a request, such as a handler, a mock or a fault. */
type Decision = NonNullable<JournalEntry['decision']>;

/** A journal entry with further details, as the server returns it for one request. */
export type Details = ControlResponse<'getRequest'>;

/** The request whose details are shown. */
export interface SelectedRequest {
  readonly sandbox: string;
  readonly id: number;
}

/** A recorded request, as a row of the list. */
export interface RequestRow {
  /** The number of the row, in the order in which the page received the requests. */
  readonly order: number;
  readonly sandbox: string;
  readonly id: number;
  /** Whether a fault or a delay holds the request back, so that it has no response yet. */
  readonly isWaiting: boolean;
  /** The time of the response. For a waiting request, the time since when it waits. */
  readonly at: string;
  readonly durationMs: number;
  readonly method: string;
  readonly path: string;
  /** The query string with its question mark; empty if there is none. */
  readonly search: string;
  readonly operation: string;
  /** The status of the response; undefined if no response was sent. */
  readonly status: number | undefined;
  readonly decision: Decision | undefined;
  /** The number of the attempt, if the request was sent for a webhook or a callback. Its name is the operation. */
  readonly attempt?: number | undefined;
  /** The ids of the faults that applied to the request. */
  readonly faults: readonly string[];
  /** The journal entry as JSON. Undefined for old rows, to save memory. */
  text: string | undefined;
}

/** Converts the JSON text of a journal entry to a row. */
export function parseRow(text: string, sandbox: string, order: number): RequestRow {
  const entry = JSON.parse(text) as JournalEntry;
  const { id, state, at, durationMs, operation = '', delivery, request, response, decision, forced } = entry;
  const query = request.url.indexOf('?');
  return {
    order,
    sandbox,
    id,
    isWaiting: state === 'waiting',
    at,
    durationMs,
    method: request.method,
    path: request.path,
    search: query < 0 ? '' : request.url.slice(query),
    operation: delivery?.name ?? operation,
    attempt: delivery?.attempt,
    status: response?.status,
    decision,
    faults: decision?.faults ?? forced?.faults ?? [],
    text,
  };
}

/** Describes in a few words what determined the response to a recorded request, or for what it waits. */
export function describeOrigin({
  decision,
  faults,
  operation,
  attempt,
  isWaiting = false,
}: Pick<RequestRow, 'decision' | 'faults' | 'operation' | 'attempt'> & { readonly isWaiting?: boolean }): string {
  if (isWaiting) return faults.length > 0 ? `waiting for ${faults.join(', ')}` : 'waiting';
  if (attempt !== undefined) return `sent, attempt ${attempt}`;
  if (decision === undefined) return operation === '' ? 'no operation' : '';
  return describeDecision({ ...decision, faults });
}

/** Sentences that explain what determined a response. */
export const DECISION_EXPLANATIONS: Readonly<Record<Decision['source'], string>> = {
  handler: 'A handler of the server created the response.',
  'user-handler': 'A handler in the file of --handlers created the response.',
  mock: 'The response was generated from the contract.',
  stored: 'The response comes from the state of the sandbox.',
  fault: 'A fault of the sandbox determined the response.',
  preference: 'The Prefer header of the request selected the response.',
  cache: 'The server cached this response to an equal earlier request. The state has not changed since then.',
  replay:
    'An earlier request had the same Idempotency-Key, so the server returned the response to the earlier request.',
  refusal: 'The server refused the request before any handler ran.',
};
