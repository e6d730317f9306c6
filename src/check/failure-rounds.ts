/**
 * Counts consecutive requests without a response. Concurrent requests are one round: one pause of the server or the network affects all of them, so
 * that the second failure has no new information.
 */
export class FailureRounds {
  #lastSent = 0;
  #roundEnd = 0;
  #rounds = 0;

  /** Records that a request is sent. Returns its number. */
  recordRequest(): number {
    return ++this.#lastSent;
  }

  /** Records a response to any request. */
  recordResponse(): void {
    this.#rounds = 0;
  }

  /** Records that a request got no response. Returns the number of consecutive rounds without one. */
  recordFailure(request: number): number {
    if (request > this.#roundEnd) {
      this.#rounds++;
      this.#roundEnd = this.#lastSent;
    }
    return this.#rounds;
  }
}
