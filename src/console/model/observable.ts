/** A value whose changes components and other code can observe. */
export class Observable<Value> {
  #value: Value;
  readonly #observers = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  /** Sets the value and notifies the observers. */
  set(value: Value): void {
    this.#value = value;
    for (const notify of this.#observers) notify();
  }

  /** Calls `notify` after each change. Returns a function that ends the observation. */
  observe(notify: () => void): () => void {
    this.#observers.add(notify);
    return () => this.#observers.delete(notify);
  }
}
