import type { Store } from '../../store/store.ts';

/** The stored response of a request with an idempotency key. A repeated request gets this response. */
export interface StoredResponse {
  readonly status: number;
  /** The headers of this response, without the headers that all responses have in common. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it is sent: text, or bytes if the media type is binary. Undefined if there is no body. */
  readonly content: string | Buffer | undefined;
}

/** An idempotency key that belongs to the request that sent it first. The request must call `complete` or `release`. */
export interface Claim {
  /** Stores the response of the request, for repeated requests. Does nothing if the keys were cleared while the request was in progress. */
  complete(response: StoredResponse): Promise<void>;
  /**
   * Runs a handler with a store that commits the changes of the handler and the response together. `toResponse`: returns the response to store, or undefined to
   * store no response. The property is undefined if the keys are not stored in the same database as the state.
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
 * The result of claiming a key for a request. `claimed`: no earlier request has the key. `stored`: the request repeats an earlier request, whose response is
 * stored. `in-progress`: an earlier request with the key is still in progress. `other-request`: an earlier request with the key was different.
 */
export type ClaimResult =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'stored'; readonly response: StoredResponse }
  | { readonly kind: 'in-progress' }
  | { readonly kind: 'other-request' };

/** The idempotency keys of a sandbox. The methods are asynchronous, because a database can store the keys. */
export interface IdempotencyKeys {
  /**
   * Claims a key for a request. `fingerprint`: a hash of the request. A repetition of the request has the same hash, and a different request has a different
   * hash.
   */
  claim(key: string, fingerprint: string): Promise<ClaimResult>;
  /**
   * Replaces the state, and deletes all keys. Requests that are in progress store no response. `replace`: changes the store, and calls `onApply` when the change is
   * applied. If the keys are in a database, the commit of this change also deletes them.
   */
  clearWith<Result>(replace: (onApply: () => void) => Promise<Result>): Promise<Result>;
  /** Frees the memory of the keys, because the sandbox is removed from memory. */
  dispose(): void;
}
