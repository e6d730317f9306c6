import type { CoverageReport } from '../control/operation.ts';
import { runInSlices } from '../util/slices.ts';
import { type CountRow, Coverage } from './coverage.ts';
import { createCoverageReport } from './report.ts';

/** A database in which several servers add up their counts. */
export interface CoverageStorage {
  add(rows: readonly CountRow[]): Promise<void>;
  read(): Promise<readonly CountRow[]>;
  clear(): Promise<void>;
  /** Lets all other servers store their counts. */
  flushOthers(): Promise<void>;
  /** Is called when another server waits for the counts of this server. Set by `createCoverageControl`. */
  onFlush: () => Promise<void>;
}

/** What the control API does with the coverage. */
interface CoverageControl {
  readonly report: () => Promise<CoverageReport>;
  readonly reset: () => Promise<void> | void;
  /** Stores the counts of this server. */
  readonly close: () => Promise<void> | void;
}

/** The maximum time until counts are stored in a database, in ms. */
const FLUSH_MS = 1_000;

const ignore = () => {};

/** Creates the operations on a coverage. `storage`: the database; undefined if the server has none. */
export function createCoverageControl(coverage: Coverage, storage: CoverageStorage | undefined): CoverageControl {
  if (storage) return createSharedControl(coverage, storage);
  return {
    report: () => runInSlices(createCoverageReport(coverage)),
    reset: () => coverage.clear(),
    close: () => {},
  };
}

function createSharedControl(coverage: Coverage, storage: CoverageStorage): CoverageControl {
  let timer: NodeJS.Timeout | undefined;
  let flushing = Promise.resolve();
  const store = async () => {
    const rows = coverage.list();
    if (rows.length === 0) return;
    coverage.clear();
    try {
      await storage.add(rows);
    } catch (error) {
      coverage.add(rows);
      throw error;
    }
  };
  // A report waits for the counts that are being stored.
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.catch(ignore).then(store);
    return flushing;
  };
  coverage.onCount = () => {
    timer ??= setTimeout(() => void flush().catch(ignore), FLUSH_MS).unref();
  };
  storage.onFlush = () => flush().catch(ignore);
  const flushAll = async () => {
    await flush();
    await storage.flushOthers();
  };
  return {
    async report() {
      await flushAll();
      const all = new Coverage(coverage.contract);
      all.add(await storage.read());
      return runInSlices(createCoverageReport(all));
    },
    async reset() {
      await flushAll();
      await storage.clear();
    },
    close: () => flush().catch(ignore),
  };
}
