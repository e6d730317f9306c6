/**
 * Counts requests in a row without a response. Requests that are under way at the same time are one round: one pause of the server or of the network
 * hits all of them, so that the second failure says nothing new.
 */
export class UnansweredRequests {
  #lastSent = 0;
  #roundEnd = 0;
  #rounds = 0;

  /** Takes note of a request that is sent. Returns its number. */
  recordRequest(): number {
    return ++this.#lastSent;
  }

  /** Takes note of a response, to any request. */
  recordResponse(): void {
    this.#rounds = 0;
  }

  /** Takes note that a request got no response. Returns the rounds in a row without one. */
  recordFailure(request: number): number {
    if (request > this.#roundEnd) {
      this.#rounds++;
      this.#roundEnd = this.#lastSent;
    }
    return this.#rounds;
  }
}
