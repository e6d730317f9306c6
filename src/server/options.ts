import type { VerifyMode } from '../openapi/verify-response.ts';
import type { OwnHandlers } from '../shop/operations/handler.ts';
import type { Durability } from '../store/open-state.ts';
import type { LogStyle } from './logger.ts';

/** How a storefront is set up. */
export interface Options {
  /** The port to listen on; 0 (the default) picks a free one. */
  readonly port?: number | undefined;
  /** The address to listen on; by default 127.0.0.1, and ::1 where the machine has it. */
  readonly host?: string | undefined;
  /** The data file. Without one the state is in memory and ends with the program. */
  readonly data?: string | undefined;
  /** What an answered change survives: `disk` (the default) a power cut, `os` the end of the process, `memory`, which keeps no file, neither. */
  readonly durability?: Durability | undefined;
  /** The default data, which a reset restores; by default the db.json.default that comes along. */
  readonly defaultData?: string | undefined;
  /** A folder with a built front end, to be served at /. */
  readonly static?: string | undefined;
  /** Refuses what the contract doesn't know, instead of ignoring it. */
  readonly strict?: boolean | undefined;
  /** How the log looks; `off` by default, which tells of warnings and faults alone, on standard error. */
  readonly log?: LogStyle | undefined;
  /** Where the log goes instead; `hasColors` says whether lines for people are coloured there. */
  readonly logTo?: { write(line: string): void; readonly hasColors?: boolean } | undefined;
  /** The time, in ms since 1970; that of the machine by default. */
  readonly nowMs?: (() => number) | undefined;
  /** How long this machine has been running or the like, in ms: what sandboxes expire by. By default `performance.now`. */
  readonly elapsedMs?: (() => number) | undefined;
  /** New ids, uuids; random by default. */
  readonly newId?: (() => string) | undefined;
  /** The contract, an OpenAPI document; by default the openapi.yaml that comes along. What of another one the shop doesn't do is mocked. */
  readonly contract?: string | undefined;
  /** The operations that are answered from the contract alone: all of them (`true`), or those with these ids. */
  readonly mock?: boolean | readonly string[] | undefined;
  /** What becomes of an answer that breaks the contract: told of in the log (the default), refused with 500 (`strict`), or not looked at (`off`). */
  readonly verify?: VerifyMode | undefined;
  /** Handlers beside the shop's own or in place of them, by operationId; `mocked` leaves an operation to the contract's examples. A text is the file of a module that exports them. */
  readonly handlers?: OwnHandlers | string | undefined;
  /** A folder with built-in snapshots, `NAME.json` each: whole states, or what differs from the default data. */
  readonly snapshots?: string | undefined;
  /** Whether control may be used (the default). */
  readonly control?: boolean | undefined;
  /** What requests to control have to bring along; without one control is on only on loopback. */
  readonly controlToken?: string | undefined;
  /** Host names that the server answers to beside `localhost`, its subdomains, IP addresses and `host`; a leading dot allows subdomains too, `*` every name. */
  readonly allowHost?: readonly string[] | undefined;
  /** Origins whose pages may use the shop beside loopback origins and those of the server's host name, such as `https://shop.example`; `*` allows every origin. */
  readonly allowOrigin?: readonly string[] | undefined;
  /** Whether a sandbox is made as soon as a request names it (`any`, the default), or has to be made by control first. */
  readonly sandboxes?: 'any' | 'declared' | undefined;
  /** How long each answer of the contract's operations waits, in ms, or between which bounds; 60,000 at most. */
  readonly delay?: Delay | undefined;
  /** How long a request may take to arrive, in ms; 30,000 by default. */
  readonly requestTimeoutMs?: number | undefined;
}

/** How long something waits, in ms, or between which bounds. */
export type Delay = number | { readonly from: number; readonly to: number };

/** Which data file is repaired. */
export type RepairOptions = Pick<Options, 'defaultData'> & { readonly data: string };
