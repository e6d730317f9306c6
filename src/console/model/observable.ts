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

/** A message about the result of an action. */
interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

/** The time for which a message is shown, in ms. */
const SHOWN_MS = 4000;

/** The time for which an error message is shown, in ms. */
const ERROR_SHOWN_MS = 12_000;

/** The messages that the page shows for a few seconds, about the results of actions. */
export class Notices {
  readonly shown = new Observable<readonly Notice[]>([]);
  #nextId = 0;

  /** Shows a message for a few seconds. */
  show(text: string): void {
    this.#add(text, false);
  }

  /** Shows the message of an error, for a longer time than other messages. */
  showError(error: unknown): void {
    this.#add((error as Error).message, true);
  }

  /** Hides all error messages. */
  hideErrors(): void {
    this.shown.set(this.shown.value.filter(({ isError }) => !isError));
  }

  /** Hides a message. */
  hide(id: number): void {
    this.shown.set(this.shown.value.filter((notice) => notice.id !== id));
  }

  #add(text: string, isError: boolean): void {
    const id = this.#nextId++;
    const others = this.shown.value.filter((notice) => notice.text !== text);
    this.shown.set([...others.slice(-2), { id, text, isError }]);
    setTimeout(() => this.hide(id), isError ? ERROR_SHOWN_MS : SHOWN_MS);
  }
}
