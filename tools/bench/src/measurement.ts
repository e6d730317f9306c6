import type { ShopRequest } from './requests.ts';

/** The input for all measurements. */
export interface Bench {
  /** The path of the file that starts our server: `dist/main.js`. */
  readonly serverFile: string;
  /** The path of the `dist/main.js` of another build of our server, to compare both builds. Undefined if there is no other build. */
  readonly besideFile?: string | undefined;
  /** The folder for the real product titles: a clone of the git repository that contains them, or a folder for downloads. Undefined for a temporary folder. */
  readonly titlesFolder?: string | undefined;
  /** A temporary folder for the files of all servers. It is deleted at the end. */
  readonly folder: string;
  /** The path of the file with the recorded responses of our server to `requests`. The other servers read this file. */
  readonly responsesFile: string;
  /** The path of a data file that our server has created from the default data. */
  readonly dataFile: string;
  /** The requests that the measurements send. */
  readonly requests: readonly ShopRequest[];
  /** Writes a progress message to stderr. */
  readonly logProgress: (line: string) => void;
}

/** Measures servers and returns a report. Rejects if a measurement is impossible, but not if a figure misses its target. */
export type Measurement = (bench: Bench) => Promise<Report>;

/** The result of a measurement: a table of figures, and the targets. */
export interface Report {
  readonly title: string;
  /** A text above the table that describes the method of the measurement and the units. */
  readonly how: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly targets: readonly Target[];
}

/** A limit that a measured figure should meet. */
export interface Target {
  readonly what: string;
  /** The measured figure and the limit: `0.62 (wanted: at least 0.5)`. */
  readonly reached: string;
  readonly isMet: boolean;
}

/** Thrown if a measurement is impossible. `message` contains the reason and, if possible, what to do. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}
