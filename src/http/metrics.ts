import type * as PromClient from 'prom-client';
import type { EndedCommit } from '../store/store.ts';

/** What the metrics record about a response of the contract's API. */
interface MeasuredResponse {
  /** The operationId; undefined for an unknown path or method. */
  readonly operationId: string | undefined;
  /** The status; undefined if no response was sent. */
  readonly status: number | undefined;
  readonly durationMs: number;
  /** Whether the request violates the contract. */
  readonly isInvalid?: boolean;
  /** Whether the response violates the contract. */
  readonly isInvalidResponse?: boolean;
  /** Whether the response cache has sent the response. */
  readonly isCached?: boolean;
}

/** A metric whose value is read each time a client requests the metrics. */
interface Gauge {
  /** The name, such as `storefront_journal_bytes`: the prefix `storefront_`, what is measured, and the unit. */
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/**
 * The Prometheus metrics of a server.
 * The recording starts when a client requests the metrics for the first time.
 * Most servers are never monitored, and recording takes a few µs for each request.
 */
export class Metrics {
  readonly #gauges: Gauge[] = [];
  #recorder: Recorder | undefined;
  /** Whether responses are recorded. */
  isOn = false;

  /** Adds a gauge. Has no effect after the first call of `format`. */
  addGauge(gauge: Gauge): void {
    this.#gauges.push(gauge);
  }

  recordResponse(response: MeasuredResponse): void {
    this.#recorder?.recordResponse(response);
  }

  readonly recordCommit = (commit: EndedCommit): void => this.#recorder?.recordCommit(commit);

  /** Returns the metrics in the text format of Prometheus. The first call starts the recording. */
  readonly format = async (): Promise<string> => {
    const client = await import('prom-client');
    this.#recorder ??= new Recorder(client, this.#gauges);
    this.isOn = true;
    return this.#recorder.format();
  };
}

/** The upper bounds of the histogram buckets for durations, in seconds. Most responses take less than a millisecond. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The upper bounds of the histogram buckets for the number of state changes in a commit. */
const BATCH_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The metrics for the responses of one operation with statuses of one class, such as `2xx`. */
interface ResponseSeries {
  readonly requests: PromClient.Counter.Internal;
  readonly durations: PromClient.Histogram.Internal<string>;
}

/** Records metrics with prom-client. */
class Recorder {
  readonly #registry: PromClient.Registry;
  readonly #createSeries: (operation: string, status: string) => ResponseSeries;
  readonly #series = new Map<string, ResponseSeries>();
  readonly #invalidRequests: PromClient.Counter;
  readonly #invalidResponses: PromClient.Counter;
  readonly #cacheHits: PromClient.Counter;
  readonly #failedCommits: PromClient.Counter;
  readonly #commitDurations: PromClient.Histogram;
  readonly #batchSizes: PromClient.Histogram;

  constructor(
    { Counter, Gauge, Histogram, Registry, collectDefaultMetrics }: typeof PromClient,
    gauges: readonly Gauge[],
  ) {
    const registry = new Registry();
    this.#registry = registry;
    const registers = [registry];
    const count = (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name: `storefront_${name}_total`, help, labelNames, registers });
    const measure = (name: string, help: string, buckets: number[], labelNames: string[] = []) =>
      new Histogram({ name: `storefront_${name}`, help, buckets, labelNames, registers });
    const labels = ['operation', 'status'];
    const requests = count('requests', "Requests to the contract's API, by operation and class of the status", labels);
    const durations = measure(
      'request_duration_seconds',
      'Time from a request to its response',
      DURATION_BUCKETS,
      labels,
    );
    this.#createSeries = (...values) => ({
      requests: requests.labels(...values),
      durations: durations.labels(...values),
    });
    this.#invalidRequests = count('invalid_requests', 'Requests that violate the contract', ['operation']);
    this.#invalidResponses = count('invalid_responses', 'Responses that violate the contract', ['operation']);
    this.#cacheHits = count('response_cache_hits', 'Responses from the response cache');
    this.#failedCommits = count('failed_commits', 'Commits that could not be stored');
    this.#commitDurations = measure('commit_duration_seconds', 'Time to store a commit', DURATION_BUCKETS);
    this.#batchSizes = measure('commit_changes', 'Changes in a stored commit', BATCH_BUCKETS);
    for (const { read, ...gauge } of gauges)
      new Gauge({
        ...gauge,
        registers,
        collect() {
          this.set(read());
        },
      });
    collectDefaultMetrics({ register: registry });
  }

  recordResponse({ operationId = 'none', status, durationMs, ...facts }: MeasuredResponse): void {
    const { requests, durations } = this.#getSeries(operationId, status);
    requests.inc();
    durations.observe(durationMs / 1000);
    if (facts.isInvalid) this.#invalidRequests.inc({ operation: operationId });
    if (facts.isInvalidResponse) this.#invalidResponses.inc({ operation: operationId });
    if (facts.isCached) this.#cacheHits.inc();
  }

  recordCommit({ hasFailed, changes, durationMs }: EndedCommit): void {
    if (hasFailed) {
      this.#failedCommits.inc();
      return;
    }
    this.#commitDurations.observe(durationMs / 1000);
    this.#batchSizes.observe(changes);
  }

  /**
   * Returns the metrics for an operation and the class of a status: `2xx` for 201.
   * Stores the metrics in a map, because looking them up in prom-client takes longer than incrementing them.
   */
  #getSeries(operation: string, status: number | undefined): ResponseSeries {
    const statusClass = Math.trunc((status ?? 0) / 100);
    const key = `${operation} ${statusClass}`;
    const found = this.#series.get(key);
    if (found) return found;
    const created = this.#createSeries(operation, statusClass === 0 ? 'none' : `${statusClass}xx`);
    this.#series.set(key, created);
    return created;
  }

  format(): Promise<string> {
    return this.#registry.metrics();
  }
}
