/** The approximate memory of one mocked operation, in bytes. */
const BYTES = 64;

/** The operations that a sandbox mocks although they have a handler. A mocked operation returns responses that are generated from the contract. */
export class MockedOperations {
  private readonly ids = new Set<string>();

  /** `reserve`: reserves memory of the sandbox; a negative number frees memory. Throws `StateTooLargeError` if the sandbox exceeds its memory limit. */
  constructor(private readonly reserve: (moreBytes: number) => void) {}

  /** Returns whether the sandbox mocks an operation. */
  has(operationId: string): boolean {
    return this.ids.has(operationId);
  }

  /** Mocks an operation. */
  add(operationId: string): void {
    if (this.ids.has(operationId)) return;
    this.reserve(BYTES);
    this.ids.add(operationId);
  }

  /** Stops mocking an operation, so that its handler is used again. */
  remove(operationId: string): void {
    if (this.ids.delete(operationId)) this.reserve(-BYTES);
  }

  /** Returns the ids of the mocked operations. */
  list(): readonly string[] {
    return [...this.ids];
  }

  /** Mocks the given operations, and stops mocking all other operations. */
  replace(operationIds: readonly string[]): void {
    this.clear();
    for (const operationId of operationIds) this.add(operationId);
  }

  /** Stops mocking all operations, so that their handlers are used again. */
  clear(): void {
    for (const operationId of [...this.ids]) this.remove(operationId);
  }
}
