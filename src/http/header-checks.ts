import type { IncomingMessage } from 'node:http';

/** The headers of a request, and the result of checking them. */
export interface CheckedHeaders<Result> {
  /** The headers as the client sent them: a list of alternating names and values. For equal headers, this is the same array object. */
  readonly rawHeaders: string[];
  readonly result: Result;
}

/** The maximum number of cached results. Each result belongs to a different list of headers. */
const MAX_STORED = 8;

/**
 * Checks the headers of requests, and caches the results for the latest eight different lists of headers. The cache is small, because a client sends the same
 * headers with most requests.
 */
export class HeaderChecks<Result> {
  readonly #stored: CheckedHeaders<Result>[] = [];
  #oldest = 0;

  /** `check`: a function that returns the result for a request. The result must depend only on the headers of the request. */
  constructor(private readonly check: (req: IncomingMessage) => Result) {}

  /** Returns the headers of a request and the result of the check, from the cache if possible. */
  get(req: IncomingMessage): CheckedHeaders<Result> {
    const { rawHeaders } = req;
    for (const stored of this.#stored) if (isEqual(stored.rawHeaders, rawHeaders)) return stored;
    const checked = { rawHeaders, result: this.check(req) };
    this.#stored[this.#oldest] = checked;
    this.#oldest = (this.#oldest + 1) % MAX_STORED;
    return checked;
  }
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
