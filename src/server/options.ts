import type { HttpOptions } from '../http/options.ts';
import type { Durability } from '../store/open-state.ts';
import type { HandlersOf, ShopApi } from './api-types.ts';
import type { LogStyle } from './logger.ts';

/** Options of `createStorefront`. Most of them are also options of the command line, with the same names. `Api`: the types of the contract. */
export interface Options<Api extends object = ShopApi> extends ServerOptions {
  readonly handlers?: (HandlersOf<Api> & Readonly<Record<string, unknown>>) | string | undefined;
}

/** Options of a server for any application. */
export interface ServerOptions extends HttpOptions {
  /** Port to listen on; 0 picks a free port. Default: 0. */
  readonly port?: number | undefined;
  /** Path of the data file. Default: none. Without a data file, the state is in memory and is lost when the process ends. */
  readonly data?: string | undefined;
  /** Durability of changes: `disk` survives a power cut, `os` survives a crash of the server, `memory` stores no file. Default: `disk`. */
  readonly durability?: Durability | undefined;
  /** Path of the default data. A new data file contains the default data, and a reset restores it. Default: the default data of the application. */
  readonly defaultData?: string | undefined;
  /** Whether to reject requests with properties or parameters that the contract does not define. Otherwise they are ignored. Default: false. */
  readonly strict?: boolean | undefined;
  /** Format of the log; `off` logs only warnings and errors, to standard error. Default: `off`. */
  readonly log?: LogStyle | undefined;
  /** Destination of the log; `hasColors` enables colors in the `pretty` format. Default: standard output, or standard error if `log` is `off`. */
  readonly logTo?: { write(line: string): void; readonly hasColors?: boolean } | undefined;
  /** Returns the system time for the clocks of sandboxes, in ms since 1970. Default: `Date.now`. */
  readonly nowMs?: (() => number) | undefined;
  /** Returns a monotonic time in ms. The server uses it to decide when unused sandboxes expire. Default: `performance.now`. */
  readonly elapsedMs?: (() => number) | undefined;
  /** Returns a new id, a UUID. Default: `crypto.randomUUID`. */
  readonly newId?: (() => string) | undefined;
  /** Path of the contract, an OpenAPI document 3.0 or 3.1. Its resources are real, and other operations without a handler are mocked. Default: the contract of the application. */
  readonly contract?: string | undefined;
  /** Operations to mock: `true` for all operations, `false` for none, or a list of operationIds. Default: false. */
  readonly mock?: boolean | readonly string[] | undefined;
  /** Handlers by operationId, or the path of a module that exports them. They take precedence over built-in handlers. `mocked` mocks an operation. */
  readonly handlers?: Readonly<Record<string, unknown>> | string | undefined;
  /** Path of a folder with your snapshots. Each file `NAME.json` has a whole state, or the collections that differ from the default data. Default: none. */
  readonly snapshots?: string | undefined;
  /** Sandboxes that requests can name. `any`: the first request creates a sandbox. `declared`: only the control API creates sandboxes. Default: `any`. */
  readonly sandboxes?: 'any' | 'declared' | undefined;
}

/** Options of `repair`: the paths of the data file to repair, of the default data to restore, and of the contract. */
export type RepairOptions = Pick<Options, 'defaultData' | 'contract'> & { readonly data: string };

/** A running server. */
export interface Storefront {
  /** The URL of the server, without a slash at the end. */
  readonly url: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** The path of the data file; undefined if the state is in memory only. */
  readonly dataFile: string | undefined;
  /** The durability of committed changes. */
  readonly durability: Durability;
  /** The number of operations of the contract. */
  readonly operations: number;
  /** The ids of the mocked operations. */
  readonly mocked: readonly string[];
  /** Writes the data file now, before another program reads or edits it. Rejects if the file can't be written; the changes stay stored. */
  flush(): Promise<void>;
  /** Stops the server. It accepts no new requests, finishes the current requests within 8 s, and releases the port and the data file. */
  close(): Promise<void>;
}
