import type { Store } from '../../store/store.ts';

/**
 * The stored response of a request with an idempotency key.
 * If a client repeats the request, the client gets this response.
 */
export interface StoredResponse {
  readonly status: number;
  /** The headers of the response, except the headers that the server adds to every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it is sent: text, or bytes if the media type is binary. Undefined if there is no body. */
  readonly content: string | Buffer | undefined;
}

/**
 * A claimed idempotency key.
 * Only the first request that sends a key gets a claim.
 * At its end, the request must call `complete` or `release`.
 */
export interface Claim {
  /**
   * Stores the response of the request, for repeated requests.
   * Does nothing if the keys were cleared while the request was in progress.
   */
  complete(response: StoredResponse): Promise<void>;
  /**
   * Runs a handler, and commits its changes and its response in one transaction.
   * `toResponse`: returns the response to store, or undefined to store none.
   * `transact` is undefined if the keys and the state are not stored in the same database.
   */
  readonly transact?: <Result>(
    store: Store,
    handle: (store: Store) => Promise<Result>,
    toResponse: (result: Result) => StoredResponse | undefined,
  ) => Promise<Result>;
  /** Releases the key, because the request has changed nothing. A repeated request runs the handler again. */
  release(): Promise<void>;
}

/**
 * The result of claiming a key for a request.
 * `claimed`: no earlier request has the key.
 * `stored`: the request repeats an earlier request, whose response is stored.
 * `in-progress`: an earlier request with the key is still in progress.
 * `other-request`: an earlier request with the key was different.
 */
export type ClaimResult =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'stored'; readonly response: StoredResponse }
  | { readonly kind: 'in-progress' }
  | { readonly kind: 'other-request' };

/** The idempotency keys of a sandbox. The methods are asynchronous, because a database can store the keys. */
export interface IdempotencyKeys {
  /**
   * Claims a key for a request.
   * `fingerprint`: a hash of the request.
   * A repeated request has the same hash.
   * A different request with the same key has a different hash.
   */
  claim(key: string, fingerprint: string): Promise<ClaimResult>;
  /**
   * Replaces the state with `replace`, and deletes all keys.
   * Requests that are in progress then store no response.
   * `replace` must call `onApply` when it applies the change.
   * If the keys are in a database, one commit stores the change and deletes the keys.
   */
  clearWith<Result>(replace: (onApply: () => void) => Promise<Result>): Promise<Result>;
  /** Frees the memory of all keys, because the sandbox is removed from memory. */
  dispose(): void;
}
