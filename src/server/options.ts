import type { ServerOptions } from '../options.ts';
import type { Durability } from '../store/open-state.ts';
import type { HandlersOf, ShopApi } from './api-types.ts';

/**
 * Options of `createStorefront`.
 * Most of them are also options of the command line, with the same names.
 * `Api`: the types that openapi-typescript has generated from the contract.
 */
export interface Options<Api extends object = ShopApi> extends ServerOptions {
  readonly handlers?: (HandlersOf<Api> & Readonly<Record<string, unknown>>) | string | undefined;
}

/**
 * Options of `repair`.
 * `data`: the path of the data file to repair.
 * `defaultData`: the path of the default data to restore.
 */
export type RepairOptions = Pick<Options, 'defaultData' | 'contract' | 'allowRefs'> & { readonly data: string };

/** A running server. */
export interface Storefront {
  /** The URL of the server, without a slash at the end. */
  readonly url: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** The path of the data file; undefined if there is no data file. */
  readonly dataFile: string | undefined;
  /** The URL of the database that stores the state, without the password; undefined if there is no database. */
  readonly database: string | undefined;
  /** What committed changes survive. */
  readonly durability: Durability;
  /** The number of operations in the contract. */
  readonly operations: number;
  /** The operationIds of the mocked operations. */
  readonly mocked: readonly string[];
  /**
   * Writes all committed changes to the data file, so that another program can read or edit it.
   * Rejects if the file can't be written.
   * The server then still has the changes.
   */
  flush(): Promise<void>;
  /**
   * Stops the server: it accepts no new requests, waits up to 8 s for current requests, and releases the port and the
   * data file.
   */
  close(): Promise<void>;
}
