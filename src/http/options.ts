import type { VerifyMode } from '../openapi/responses.ts';

/** Options of the HTTP layer. */
export interface HttpOptions {
  /** Address to listen on. Default: the loopback address 127.0.0.1, and also ::1 if the machine has IPv6. */
  readonly host?: string | undefined;
  /** Path of a folder with a built front end, served at `/`. Default: none. */
  readonly static?: string | undefined;
  /**
   * Validation of responses against the contract.
   * `log` logs violations.
   * `strict` also responds with status 500 instead of an invalid response.
   * `off` does not validate responses.
   * Default: `log`.
   */
  readonly verify?: VerifyMode | undefined;
  /**
   * Whether the control API is enabled.
   * If `host` is not a loopback address, the control API also needs `controlToken`.
   * Default: true.
   */
  readonly control?: boolean | undefined;
  /** Bearer token that requests to the control API must send. Default: none. */
  readonly controlToken?: string | undefined;
  /**
   * Allowed host names, in addition to `localhost`, its subdomains, IP addresses and `host`.
   * `.a.test` allows `a.test` and its subdomains.
   * Pages with these host names can read responses and change data.
   * `*` allows all names in the `Host` header.
   * Default: none.
   */
  readonly allowHost?: readonly string[] | undefined;
  /**
   * Origins whose pages can read responses and change data, in addition to loopback origins and to origins with the
   * host name of the request, a name in `allowHost` or an IP address of this machine.
   * `https://*.a.test` allows the subdomains of `a.test`.
   * `*` allows all origins.
   * Default: none.
   */
  readonly allowOrigin?: readonly string[] | undefined;
  /**
   * Check of the credentials that `security` in the contract requires.
   * `form` accepts all credentials in the correct format.
   * `off` requires no credentials.
   * A list accepts only the tokens in the list.
   * The list entry `T=a+b` is the token `T` with only the scopes `a` and `b`.
   * The list entry `T=@u` is the token `T` of the user whose id or login is `u`.
   * Default: `form`.
   */
  readonly auth?: 'off' | 'form' | readonly string[] | undefined;
  /**
   * Delay of the responses of all operations in ms, up to 60,000.
   * With a range, each response has a random delay from the range.
   * Default: none.
   */
  readonly delay?: Delay | undefined;
  /**
   * Whether to cache the bytes of GET responses until the state changes.
   * The cache does not change any response.
   * Default: true.
   */
  readonly responseCache?: boolean | undefined;
  /** Time limit for receiving a request, in ms. Default: 30,000. */
  readonly requestTimeoutMs?: number | undefined;
}

/** A delay in ms, or a range with both bounds included. */
export type Delay = number | { readonly from: number; readonly to: number };
