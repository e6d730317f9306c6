/**
 * Counts consecutive rounds of requests without a response. A round is a group of concurrent requests. The whole group counts once, because one interruption of
 * the server or the network affects all requests of the group.
 */
export class FailureRounds {
  #lastSent = 0;
  #roundEnd = 0;
  #rounds = 0;

  /** Records that a request is sent. Returns the number of the request. */
  recordRequest(): number {
    return ++this.#lastSent;
  }

  /** Records that a request got a response. */
  recordResponse(): void {
    this.#rounds = 0;
  }

  /** Records that a request got no response. Returns the number of consecutive rounds without a response. */
  recordFailure(requestNumber: number): number {
    if (requestNumber > this.#roundEnd) {
      this.#rounds++;
      this.#roundEnd = this.#lastSent;
    }
    return this.#rounds;
  }
}
