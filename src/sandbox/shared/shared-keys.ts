import type { CompletedKey, KeyTable } from '../../store/postgres/key-table.ts';
import { handleInTransaction } from '../../store/transaction.ts';
import type { Claim, ClaimResult, IdempotencyKeys, StoredResponse } from '../idempotency/idempotency-keys.ts';

const NO_KEYS: PendingKeys = { keys: [], clearsKeys: false };
const CLEARS_KEYS: PendingKeys = { keys: [], clearsKeys: true };

/**
 * The idempotency keys that the next commit stores, with their responses.
 * `clearsKeys`: whether the commit deletes all keys of the sandbox instead.
 */
interface PendingKeys {
  readonly keys: readonly CompletedKey[];
  readonly clearsKeys: boolean;
}

/**
 * The idempotency keys of a sandbox that several servers share.
 * One commit stores the changes of a request and its response.
 */
export class SharedKeys implements IdempotencyKeys {
  #pending: PendingKeys = NO_KEYS;
  /** The number of times that all keys of the sandbox were deleted. */
  #clears = 0;

  constructor(
    private readonly table: KeyTable,
    private readonly sandbox: string,
  ) {}

  /** The keys that the next commit stores. */
  get pending(): PendingKeys {
    return this.#pending;
  }

  /** Whether the next commit stores or deletes keys. */
  get hasPending(): boolean {
    return this.#pending !== NO_KEYS;
  }

  /** Forgets the pending keys after a commit. `isStored`: whether the commit succeeded. */
  settle(isStored: boolean): void {
    if (isStored && this.#pending.clearsKeys) this.#clears++;
    this.#pending = NO_KEYS;
  }

  async claim(key: string, fingerprint: string): Promise<ClaimResult> {
    const result = await this.table.claim(this.sandbox, key, fingerprint);
    if (result.claim !== undefined) return { kind: 'claimed', claim: this.#createClaim(key, result.claim) };
    if (result.fingerprint !== fingerprint) return { kind: 'other-request' };
    return result.response === null
      ? { kind: 'in-progress' }
      : { kind: 'stored', response: decodeResponse(result.response) };
  }

  clearWith<Result>(replace: (onApply: () => void) => Promise<Result>): Promise<Result> {
    return replace(() => {
      this.#pending = CLEARS_KEYS;
    });
  }

  /** Does nothing: the keys are in the database, and other servers may use them. */
  dispose(): void {}

  #createClaim(key: string, claim: string): Claim {
    const { table, sandbox } = this;
    const clears = this.#clears;
    return {
      complete: (response) => table.complete(sandbox, { key, claim, response: encodeResponse(response) }),
      release: () => table.release(sandbox, { key, claim }),
      transact: (store, handle, toResponse) =>
        handleInTransaction(store, handle, (result) => {
          const response = toResponse(result);
          // A reset deletes the keys, also that of its own request.
          if (response && clears === this.#clears && !this.#pending.clearsKeys)
            this.#add({ key, claim, response: encodeResponse(response) });
        }),
    };
  }

  #add(key: CompletedKey): void {
    this.#pending = { keys: [...this.#pending.keys, key], clearsKeys: false };
  }
}

function encodeResponse({ status, headers, content }: StoredResponse): string {
  const isText = typeof content !== 'object';
  return JSON.stringify({ status, headers, content: isText ? content : content.toString('base64'), isText });
}

function decodeResponse(text: string): StoredResponse {
  const { status, headers, content, isText } = JSON.parse(text);
  return { status, headers, content: isText ? content : Buffer.from(content, 'base64') };
}
