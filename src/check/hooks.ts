import type { ReceivedResponse } from './exchange.ts';

/** A request of a hook. */
export interface HookRequest {
  /** Default: POST with a body, otherwise GET. */
  readonly method?: string;
  /** The path below the URL of the server, or the URL of another server. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, and `URLSearchParams` as a form. */
  readonly body?: unknown;
}

/** The response to a request of a hook. The body is parsed if it is JSON. */
export interface HookResponse extends Pick<ReceivedResponse, 'status' | 'headers'> {
  // biome-ignore lint/suspicious/noExplicitAny: a hook knows the body of its server.
  readonly body: any;
}

/** Sends a request in the same way as the check: with its certificates, its proxy and its request rate. */
export type HookSend = (request: HookRequest) => Promise<HookResponse>;

/** What all hooks get. */
export interface HookContext {
  /** The URL of the server; undefined for the built-in shop. */
  readonly url: string | undefined;
  /** The environment variables, for example with a password. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Sends a request. Rejects if the response has an error status. */
  readonly send: HookSend;
}

/** What a function of `check.credentials` gets. */
export interface CredentialContext extends HookContext {
  /** The scopes that operations require. */
  readonly scopes: readonly string[];
}

/**
 * A token, an API key, or `user:password`; or a function that returns one.
 * The function is called again when the server no longer accepts the credential.
 */
export type CredentialSource = string | ((context: CredentialContext) => Promise<string> | string);

/** Credentials by the names of the security schemes in the contract. */
export type CredentialSources = Readonly<Record<string, CredentialSource>>;

/** What the function of a provider state gets. */
export interface StateContext extends HookContext {
  /** The parameters of the provider state. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Provider states of a pact by name: the name of a snapshot of a storefront server, or a function that creates the
 * state on any server.
 */
export type PactStates = Readonly<Record<string, string | ((context: StateContext) => Promise<unknown> | unknown)>>;
