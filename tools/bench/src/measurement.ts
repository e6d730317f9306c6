import type { ShopRequest } from './requests.ts';

/** The input of every measurement. */
export interface Bench {
  /** The file that starts the server under test: `dist/main.js`. */
  readonly serverFile: string;
  /** The `dist/main.js` of another build, for a comparison; undefined if there is none. */
  readonly besideFile?: string | undefined;
  /** A temporary folder for all files. It is removed at the end. */
  readonly folder: string;
  /** The path of the file with our server's responses to `requests`. The peers read it. */
  readonly responsesFile: string;
  /** The path of a data file that our server created from the default data. */
  readonly dataFile: string;
  /** The measured requests. */
  readonly requests: readonly ShopRequest[];
  /** Writes a progress message to stderr. */
  readonly logProgress: (line: string) => void;
}

/** Measures something and returns a report. Throws if the measurement is impossible, but not if a server is slow. */
export type Measurement = (bench: Bench) => Promise<Report>;

/** The result of a measurement: a table, and whether the targets are met. */
export interface Report {
  readonly title: string;
  /** The method of the measurement and the units. The text is above the table. */
  readonly how: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly targets: readonly Target[];
}

/** A target: a limit for a measured figure. */
export interface Target {
  readonly what: string;
  /** The measured figure and the limit, such as `0.62 (wanted: at least 0.5)`. */
  readonly reached: string;
  readonly isMet: boolean;
}

/** Thrown if a measurement is impossible. `message` contains the reason and, if possible, the remedy. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}
