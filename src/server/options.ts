import type { VerifyMode } from '../openapi/responses.ts';
import type { CustomHandlers } from '../shop/operations/handler.ts';
import type { Durability } from '../store/open-state.ts';
import type { LogStyle } from './logger.ts';

/** Options of `createStorefront`. The command line has most of them under the same names. */
export interface Options extends ServerOptions {
  readonly handlers?: CustomHandlers | string | undefined;
}

/** Options of a server, whatever its application. */
export interface ServerOptions {
  /** Port to listen on; 0 picks a free port. Default: 0. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: loopback only, 127.0.0.1 and, if the machine has IPv6, ::1. */
  readonly host?: string | undefined;
  /** Path of the data file. Default: none; the state is in memory and is lost when the process ends. */
  readonly data?: string | undefined;
  /** What a committed change survives: `disk` a crash and a power cut, `os` a crash of the server, `memory` neither (no file is used). Default: `disk`. */
  readonly durability?: Durability | undefined;
  /** Path of the default data, which a new data file contains and a reset restores. Default: that of the application. */
  readonly defaultData?: string | undefined;
  /** Path of a folder with a built front end, served at `/`. Default: none. */
  readonly static?: string | undefined;
  /** Whether to reject property and parameter names that the contract does not define, instead of ignoring them. Default: false. */
  readonly strict?: boolean | undefined;
  /** Format of the log; `off` logs only warnings and errors, to standard error. Default: `off`. */
  readonly log?: LogStyle | undefined;
  /** Destination of the log; `hasColors` enables colors in the `pretty` format. Default: standard output, standard error if the log is off. */
  readonly logTo?: { write(line: string): void; readonly hasColors?: boolean } | undefined;
  /** Returns the time that clocks start from, in ms since 1970. Default: `Date.now`. */
  readonly nowMs?: (() => number) | undefined;
  /** Returns a monotonic time in ms, by which unused sandboxes expire. Default: `performance.now`. */
  readonly elapsedMs?: (() => number) | undefined;
  /** Returns a new id, a UUID. Default: `crypto.randomUUID`. */
  readonly newId?: (() => string) | undefined;
  /** Path of the contract, an OpenAPI document 3.0 or 3.1. Operations without a handler are mocked. Default: that of the application. */
  readonly contract?: string | undefined;
  /** Whether to mock all operations, or the ids of the operations to mock. Default: false. */
  readonly mock?: boolean | readonly string[] | undefined;
  /** What to do with a response that violates the contract: `log` it, replace it with a 500 response (`strict`), or do not check (`off`). Default: `log`. */
  readonly verify?: VerifyMode | undefined;
  /** Handlers by operationId, which replace or extend the built-in ones; `mocked` mocks an operation. A string is the path of a module that exports them. */
  readonly handlers?: Readonly<Record<string, unknown>> | string | undefined;
  /** Path of a folder with additional built-in snapshots, `NAME.json` each: a whole state, or the lists that differ from the default data. Default: none. */
  readonly snapshots?: string | undefined;
  /** Whether the control API is enabled. Default: true; without `controlToken` it is available on loopback only. */
  readonly control?: boolean | undefined;
  /** Bearer token that requests to the control API need. Default: none. */
  readonly controlToken?: string | undefined;
  /** Allowed host names in addition to `localhost`, `*.localhost`, IP addresses and `host`; `.example.com` includes subdomains, `*` allows all. Default: none. */
  readonly allowHost?: readonly string[] | undefined;
  /** Allowed origins in addition to loopback origins and those of the request's host name, such as `https://shop.example`; `*` allows all. Default: none. */
  readonly allowOrigin?: readonly string[] | undefined;
  /** Which sandboxes requests can name: `any` creates a sandbox on first use, `declared` requires that the control API has created it. Default: `any`. */
  readonly sandboxes?: 'any' | 'declared' | undefined;
  /** Delay of the responses of all operations, in ms, or a range of which each response gets a random value; at most 60,000. Default: none. */
  readonly delay?: Delay | undefined;
  /** Whether to store the bytes of GET responses and send them until the state changes. Responses are the same without. Default: true. */
  readonly responseCache?: boolean | undefined;
  /** Time limit for receiving a request, in ms. Default: 30,000. */
  readonly requestTimeoutMs?: number | undefined;
}

/** A delay in ms, or a range with both bounds included. */
export type Delay = number | { readonly from: number; readonly to: number };

/** Options of `repair`: the data file to repair, and the default data to restore. */
export type RepairOptions = Pick<Options, 'defaultData'> & { readonly data: string };

/** A running server. */
export interface Storefront {
  /** Its address, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** The data file; undefined if the state is in memory only. */
  readonly dataFile: string | undefined;
  /** What an acknowledged change survives. */
  readonly durability: Durability;
  /** The number of operations of its contract. */
  readonly operations: number;
  /** The ids of the mocked operations. */
  readonly mocked: readonly string[];
  /** Stops: takes no new request, finishes those that have begun (for 8 s at most), and releases the port and the data file. */
  close(): Promise<void>;
}
