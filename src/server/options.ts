import type { HttpOptions } from '../http/options.ts';
import type { CustomHandlers } from '../shop/operations/handler.ts';
import type { Durability } from '../store/open-state.ts';
import type { LogStyle } from './logger.ts';

/** Options of `createStorefront`. The command line has most of them under the same names. */
export interface Options extends ServerOptions {
  readonly handlers?: CustomHandlers | string | undefined;
}

/** Options of a server for any application. */
export interface ServerOptions extends HttpOptions {
  /** Port to listen on; 0 picks a free port. Default: 0. */
  readonly port?: number | undefined;
  /** Path of the data file. Default: none; the state is in memory and is lost when the process ends. */
  readonly data?: string | undefined;
  /** What a committed change survives: `disk` a crash and a power cut, `os` a crash of the server, `memory` neither (no file is used). Default: `disk`. */
  readonly durability?: Durability | undefined;
  /** Path of the default data, which a new data file contains and a reset restores. Default: that of the application. */
  readonly defaultData?: string | undefined;
  /** Whether to reject property and parameter names that the contract does not define, instead of ignoring them. Default: false. */
  readonly strict?: boolean | undefined;
  /** Format of the log; `off` logs only warnings and errors, to standard error. Default: `off`. */
  readonly log?: LogStyle | undefined;
  /** Destination of the log; `hasColors` enables colors in the `pretty` format. Default: standard output, standard error if the log is off. */
  readonly logTo?: { write(line: string): void; readonly hasColors?: boolean } | undefined;
  /** Returns the time that clocks start from, in ms since 1970. Default: `Date.now`. */
  readonly nowMs?: (() => number) | undefined;
  /** Returns a monotonic time in ms, which determines when unused sandboxes expire. Default: `performance.now`. */
  readonly elapsedMs?: (() => number) | undefined;
  /** Returns a new id, a UUID. Default: `crypto.randomUUID`. */
  readonly newId?: (() => string) | undefined;
  /** Path of the contract, an OpenAPI document 3.0 or 3.1. Operations without a handler are mocked. Default: that of the application. */
  readonly contract?: string | undefined;
  /** Whether to mock all operations, or the ids of the operations to mock. Default: false. */
  readonly mock?: boolean | readonly string[] | undefined;
  /** Handlers by operationId, which replace or extend the built-in ones; `mocked` mocks an operation. A string is the path of a module that exports them. */
  readonly handlers?: Readonly<Record<string, unknown>> | string | undefined;
  /** Path of a folder with additional built-in snapshots, `NAME.json` each: a whole state, or the lists that differ from the default data. Default: none. */
  readonly snapshots?: string | undefined;
  /** Which sandboxes requests can name: `any` creates a sandbox on first use, `declared` requires that the control API has created it. Default: `any`. */
  readonly sandboxes?: 'any' | 'declared' | undefined;
}

/** Options of `repair`: the data file to repair, and the default data to restore. */
export type RepairOptions = Pick<Options, 'defaultData'> & { readonly data: string };

/** A running server. */
export interface Storefront {
  /** The URL of the server, without a slash at the end. */
  readonly url: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** The path of the data file; undefined if the state is in memory only. */
  readonly dataFile: string | undefined;
  /** What a committed change survives. */
  readonly durability: Durability;
  /** The number of operations of the contract. */
  readonly operations: number;
  /** The ids of the mocked operations. */
  readonly mocked: readonly string[];
  /** Stops the server: accepts no new request, finishes the current ones (8 s at most), and releases the port and the data file. */
  close(): Promise<void>;
}
