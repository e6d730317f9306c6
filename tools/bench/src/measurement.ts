import type { ShopRequest } from './requests.ts';

/** What every measurement is given. */
export interface Bench {
  /** The file that starts the server under test: `dist/main.js`. */
  readonly serverFile: string;
  /** Another build of it, which it is to be compared with; undefined where there is none. */
  readonly besideFile?: string | undefined;
  /** A temporary folder: all that is written is written there, and it is removed at the end. */
  readonly folder: string;
  /** Our server's answers to `requests`, for the peers; see `recordAnswers`. */
  readonly answersFile: string;
  /** A data file that our server made from the default data. */
  readonly dataFile: string;
  readonly requests: readonly ShopRequest[];
  /** Says how far it has come, on stderr. */
  readonly tell: (line: string) => void;
}

/** One thing that is measured. Throws where it can't be measured; a slow server is no reason to. */
export type Measurement = (bench: Bench) => Promise<Report>;

/** What a measurement found: a table, and whether the targets are met. */
export interface Report {
  readonly title: string;
  /** How it was measured, and in which units; stands above the table. */
  readonly how: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly targets: readonly Target[];
}

/** Something we want to reach. */
export interface Target {
  readonly what: string;
  /** The figure reached beside the figure wanted, such as `0.62 (wanted: at least 0.5)`. */
  readonly reached: string;
  readonly isMet: boolean;
}

/** A measurement could not be made: the message says why, and what to do about it where something can be done. */
export class Fault extends Error {
  override readonly name = 'Fault';
}
