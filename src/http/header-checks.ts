import type { IncomingMessage } from 'node:http';

/** The headers of a request, and the result of checking them. */
export interface CheckedHeaders<Result> {
  /** The headers as they were sent: names and values alternate. Requests with equal headers get the same list. */
  readonly rawHeaders: string[];
  readonly result: Result;
}

/** The number of header lists whose results are stored. */
const MAX_STORED = 8;

/** Checks the headers of requests. Stores the results for the latest different lists, because a client sends the same headers with most of its requests. */
export class HeaderChecks<Result> {
  readonly #stored: CheckedHeaders<Result>[] = [];
  #oldest = 0;

  /** `check`: returns the result for a request. The result must depend only on the headers. */
  constructor(private readonly check: (req: IncomingMessage) => Result) {}

  /** Returns the result for a request. */
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
