import type { VerifyMode } from '../openapi/responses.ts';

/** Options that only the HTTP layer uses. Each is read where it takes effect. */
export interface HttpOptions {
  /** Address to listen on. Default: loopback only, 127.0.0.1 and, if the machine has IPv6, ::1. */
  readonly host?: string | undefined;
  /** Path of a folder with a built front end, served at `/`. Default: none. */
  readonly static?: string | undefined;
  /** What to do with a response that violates the contract: `log` it, replace it with a 500 response (`strict`), or do not check (`off`). Default: `log`. */
  readonly verify?: VerifyMode | undefined;
  /** Whether the control API is enabled. Default: true; without `controlToken` it is available on loopback only. */
  readonly control?: boolean | undefined;
  /** Bearer token that requests to the control API need. Default: none. */
  readonly controlToken?: string | undefined;
  /** Allowed host names in addition to `localhost`, `*.localhost`, IP addresses and `host`; `.example.com` includes subdomains, `*` allows all. Default: none. */
  readonly allowHost?: readonly string[] | undefined;
  /** Allowed origins in addition to loopback origins and those of the request's host name, such as `https://shop.example`; `*` allows all. Default: none. */
  readonly allowOrigin?: readonly string[] | undefined;
  /** Delay of the responses of all operations, in ms, or a range of which each response gets a random value; at most 60,000. Default: none. */
  readonly delay?: Delay | undefined;
  /** Whether to store the bytes of GET responses and send them until the state changes. Responses are the same without. Default: true. */
  readonly responseCache?: boolean | undefined;
  /** Time limit for receiving a request, in ms. Default: 30,000. */
  readonly requestTimeoutMs?: number | undefined;
}

/** A delay in ms, or a range with both bounds included. */
export type Delay = number | { readonly from: number; readonly to: number };
