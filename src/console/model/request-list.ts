import { Observable } from './observable.ts';
import { createFilter, NO_FILTER, type RequestFilter } from './request-filter.ts';
import { parseRow, type RequestRow } from './request-row.ts';

/** The maximum number of requests in the list. */
const MAX_ROWS = 10_000;

/**
 * The number of rows that are removed at once when the list is full.
 * A removal moves the whole list, so rows are not removed one by one.
 */
const REMOVED_ROWS = 500;

/** The number of newest rows whose headers and bodies are stored. The journal of the server has the same size. */
const MAX_TEXTS = 1000;

/** The maximum time for parsing new requests before the browser can draw the page, in ms. */
const MAX_SLICE_MS = 8;

/** The minimum interval between two updates of the list, in ms. A user does not notice more frequent updates. */
const MIN_INTERVAL_MS = 100;

/**
 * The interval between two updates of the list while the page is hidden, in ms.
 * A hidden page gets no animation frames.
 */
const HIDDEN_INTERVAL_MS = 1000;

interface WaitingText {
  readonly text: string;
  readonly sandbox: string;
}

/**
 * The recorded requests that the page has received, oldest first.
 * New requests are collected, and added together in the next animation frame.
 */
export class RequestList {
  /** A counter that increases whenever `matches` changes. */
  readonly version = new Observable(0);
  /** The number of new requests that have arrived while the list is paused. */
  readonly waitingCount = new Observable(0);
  /** Whether the list is paused. */
  readonly isPaused = new Observable(false);
  #rows: RequestRow[] = [];
  #matches: RequestRow[] = [];
  #filter: RequestFilter = NO_FILTER;
  #isMatch = createFilter(NO_FILTER);
  #waiting: WaitingText[] = [];
  /** The rows of requests that have no response yet, by `getKey`. */
  readonly #unfinished = new Map<string, RequestRow>();
  #firstText = 0;
  #nextOrder = 0;
  #lastUpdateMs = 0;
  #cancelUpdate: (() => void) | undefined;

  /** The rows that match the filter, oldest first. The array changes in place. */
  get matches(): readonly RequestRow[] {
    return this.#matches;
  }

  /** The number of all rows. */
  get total(): number {
    return this.#rows.length;
  }

  /** The newest row. */
  get newest(): RequestRow | undefined {
    return this.#rows.at(-1);
  }

  /** Returns the operationIds of all rows, in alphabetical order. */
  operations(): readonly string[] {
    return [...new Set(this.#rows.map(({ operation }) => operation))].filter((name) => name !== '').sort();
  }

  /** Returns the ids of the sandboxes of all rows. */
  sandboxes(): readonly string[] {
    return [...new Set(this.#rows.map(({ sandbox }) => sandbox))];
  }

  /** Returns the row of a request, or undefined if the list does not contain the request. */
  find(sandbox: string, id: number): RequestRow | undefined {
    return this.#rows.findLast((row) => row.id === id && row.sandbox === sandbox);
  }

  /** Returns the newest row for which `isSelected` returns true, or undefined if there is no such row. */
  findNewest(isSelected: (row: RequestRow) => boolean): RequestRow | undefined {
    return this.#rows.findLast(isSelected);
  }

  /** Adds journal entries of a sandbox. Each text is a journal entry as JSON. */
  add(texts: readonly string[], sandbox: string): void {
    for (const text of texts) this.#waiting.push({ text, sandbox });
    // If too many requests wait, only the newest requests are kept.
    if (this.#waiting.length > MAX_ROWS) this.#waiting.splice(0, this.#waiting.length - MAX_ROWS);
    if (this.isPaused.value) this.waitingCount.set(this.#waiting.length);
    else this.#scheduleUpdate();
  }

  /** Removes the rows of waiting requests that have ended, and whose entries get other ids. */
  remove(ids: readonly number[], sandbox: string): void {
    const ended = new Set(ids);
    this.#waiting = this.#waiting.filter(
      (one) => one.sandbox !== sandbox || !ended.has((JSON.parse(one.text) as { readonly id: number }).id),
    );
    for (const id of ids) this.#removeUnfinished(getKey({ sandbox, id }));
    this.#notify();
  }

  /** Pauses the list. New requests wait until `resume` is called. */
  pause(): void {
    this.isPaused.set(true);
  }

  /** Ends the pause, and adds the requests that have arrived in the meantime. */
  resume(): void {
    this.isPaused.set(false);
    this.waitingCount.set(0);
    this.#scheduleUpdate();
  }

  /** Removes the rows of all sandboxes except one. */
  keepOnly(sandbox: string): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.sandbox === sandbox);
    this.#replaceRows(this.#rows.filter((row) => row.sandbox === sandbox));
  }

  /** Removes all rows. */
  clear(): void {
    this.#waiting = [];
    this.waitingCount.set(0);
    this.#replaceRows([]);
  }

  /** Shows only the rows that match a filter. */
  setFilter(filter: RequestFilter): void {
    if (JSON.stringify(filter) === JSON.stringify(this.#filter)) return;
    this.#filter = filter;
    this.#isMatch = createFilter(filter);
    this.#matches = this.#rows.filter(this.#isMatch);
    this.#notify();
  }

  #scheduleUpdate(): void {
    if (this.#cancelUpdate !== undefined || this.#waiting.length === 0) return;
    const update = () => {
      this.#cancelUpdate?.();
      this.#cancelUpdate = undefined;
      this.#addWaiting();
    };
    let frame = 0;
    const waitForFrame = () => {
      frame = requestAnimationFrame(update);
    };
    const restMs = Math.max(0, this.#lastUpdateMs + MIN_INTERVAL_MS - performance.now());
    const rest = setTimeout(waitForFrame, restMs);
    const timer = setTimeout(update, HIDDEN_INTERVAL_MS);
    this.#cancelUpdate = () => {
      clearTimeout(rest);
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }

  /** Adds waiting requests to the list for at most `MAX_SLICE_MS`, and schedules another update for the rest. */
  #addWaiting(): void {
    if (this.isPaused.value) return;
    this.#lastUpdateMs = performance.now();
    const endMs = this.#lastUpdateMs + MAX_SLICE_MS;
    const newest = this.newest?.at ?? '';
    let oldestAdded = newest;
    let added = 0;
    for (const { text, sandbox } of this.#waiting) {
      const row = parseRow(text, sandbox, this.#nextOrder++);
      // A waiting request comes again when it has ended. Its row moves to the end.
      this.#removeUnfinished(getKey(row));
      this.#rows.push(row);
      if (this.#isMatch(row)) this.#matches.push(row);
      if (row.isWaiting) this.#unfinished.set(getKey(row), row);
      if (row.at < oldestAdded) oldestAdded = row.at;
      added++;
      if (performance.now() > endMs) break;
    }
    this.#waiting.splice(0, added);
    // The requests of other sandboxes arrive with a delay, so the rows must be sorted by time.
    if (oldestAdded < newest) this.#replaceRows([...this.#rows].sort(compareTimes));
    this.#removeOld();
    this.#notify();
    this.#scheduleUpdate();
  }

  #removeUnfinished(key: string): void {
    const row = this.#unfinished.get(key);
    if (!row) return;
    this.#unfinished.delete(key);
    for (const rows of [this.#rows, this.#matches]) {
      const index = rows.lastIndexOf(row);
      if (index >= 0) rows.splice(index, 1);
    }
    this.#firstText = Math.min(this.#firstText, this.#rows.length);
  }

  #removeOld(): void {
    if (this.#rows.length > MAX_ROWS) {
      const removed = new Set(this.#rows.splice(0, this.#rows.length - MAX_ROWS + REMOVED_ROWS));
      const kept = this.#matches.findIndex((row) => !removed.has(row));
      this.#matches.splice(0, kept < 0 ? this.#matches.length : kept);
      this.#firstText = Math.max(0, this.#firstText - removed.size);
    }
    for (; this.#firstText < this.#rows.length - MAX_TEXTS; this.#firstText++) {
      const row = this.#rows[this.#firstText];
      if (row) row.text = undefined;
    }
  }

  #replaceRows(rows: RequestRow[]): void {
    this.#rows = rows;
    if (rows.length === 0) this.#unfinished.clear();
    this.#matches = rows.filter(this.#isMatch);
    this.#firstText = Math.min(this.#firstText, rows.length);
    this.#notify();
  }

  #notify(): void {
    this.version.set(this.version.value + 1);
  }
}

function getKey({ sandbox, id }: Pick<RequestRow, 'sandbox' | 'id'>): string {
  return `${sandbox} ${id}`;
}

function compareTimes(one: RequestRow, other: RequestRow): number {
  if (one.at === other.at) return one.order - other.order;
  return one.at < other.at ? -1 : 1;
}
