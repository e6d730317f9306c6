import type { VerifyMode } from '../openapi/responses.ts';

/** Options of the HTTP layer. */
export interface HttpOptions {
  /** Address to listen on. Default: the loopback address 127.0.0.1, and also ::1 if the machine has IPv6. */
  readonly host?: string | undefined;
  /** Path of a folder with a built front end, served at `/`. Default: none. */
  readonly static?: string | undefined;
  /** Validation of responses against the contract: `log` logs violations, `strict` also replaces the response with a 500 response, `off` does not validate. Default: `log`. */
  readonly verify?: VerifyMode | undefined;
  /** Whether the control API is enabled. If `host` is not a loopback address, the control API also needs `controlToken`. Default: true. */
  readonly control?: boolean | undefined;
  /** Bearer token that requests to the control API must send. Default: none. */
  readonly controlToken?: string | undefined;
  /** Host names to allow in addition to `localhost`, its subdomains, IP addresses and `host`. `.a.test` includes subdomains; `*` allows all names. Default: none. */
  readonly allowHost?: readonly string[] | undefined;
  /** Origins to allow in addition to loopback origins and origins with the host name of the request; `*` allows all origins. Default: none. */
  readonly allowOrigin?: readonly string[] | undefined;
  /** Credentials that the `security` of the contract requires: `form` accepts all that have the right form, `off` requires none, and a list has the accepted tokens. A token `T=a+b` has only the scopes a and b. Default: `form`. */
  readonly auth?: 'off' | 'form' | readonly string[] | undefined;
  /** Delay of the responses of all operations in ms, up to 60,000. With a range, each response has a random delay from the range. Default: none. */
  readonly delay?: Delay | undefined;
  /** Whether to cache the bytes of GET responses until the state changes. The cache does not change any response. Default: true. */
  readonly responseCache?: boolean | undefined;
  /** Time limit for receiving a request, in ms. Default: 30,000. */
  readonly requestTimeoutMs?: number | undefined;
}

/** A delay in ms, or a range with both bounds included. */
export type Delay = number | { readonly from: number; readonly to: number };
