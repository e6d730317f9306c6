import { setImmediate } from 'node:timers/promises';
import type { Database } from './database.ts';
import { GONE } from './journal-tables.ts';
import { createId } from './list-table.ts';

/**
 * An idempotency key that a request has claimed, so that no other request with this key is handled at the same time.
 */
interface ClaimedKey {
  readonly key: string;
  /** The random id of the claim. It starts with the id of the server. */
  readonly claim: string;
}

/**
 * A claimed idempotency key, and the response of its request as JSON.
 * The response is stored in the same commit as the change of the request.
 */
export interface CompletedKey extends ClaimedKey {
  readonly response: string;
}

/**
 * The result of claiming an idempotency key.
 * If the key was free, `claim` is the id of the new claim.
 * Otherwise, `fingerprint` and `response` are those of the first request with the key.
 * `response` is null if the first request is still in progress.
 */
type KeyClaim =
  | { readonly claim: string }
  | { readonly claim?: undefined; readonly fingerprint: string; readonly response: string | null };

/** A call of `claim` that waits for its result. */
interface WaitingClaim {
  readonly key: string;
  readonly fingerprint: string;
  readonly claim: string;
  /** Called with whether the key is claimed now. */
  readonly resolve: (isClaimed: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The SQL statement that claims keys of a sandbox.
 * It locks them in their order, so that two statements can't cause a deadlock.
 * Keys of requests that are in progress, or that have a response, are not claimed.
 */
const CLAIM = `INSERT INTO idempotency_keys AS stored (sandbox, key, fingerprint, claim)
  SELECT $1, key, fingerprint, claim FROM unnest($2::text[], $3::text[], $4::text[]) AS new (key, fingerprint, claim) ORDER BY key
  ON CONFLICT (sandbox, key) DO UPDATE
    SET fingerprint = excluded.fingerprint, claim = excluded.claim, response = NULL, changed_at = now()
    WHERE stored.changed_at < now() - CASE WHEN stored.response IS NULL THEN interval '1 minute' ELSE interval '1 hour' END
  RETURNING claim`;

/** The interval between two attempts to release a key while the database is not available, in ms. */
const RETRY_MS = 1_000;

/**
 * The maximum number of attempts to repeat the release of a key, one per second.
 * After a minute, a claim without a response has expired anyway.
 */
const MAX_RETRIES = 60;

/** The table with the idempotency keys of all servers that share the database. */
export class KeyTable {
  /** The claims that wait for the current SQL statement of their sandbox, by sandbox. */
  readonly #waiting = new Map<string, WaitingClaim[]>();

  /** `server`: the registered id of this server. The id of each claim starts with it. */
  constructor(
    private readonly database: Pick<Database, 'query'>,
    private readonly server: string,
  ) {}

  /**
   * Claims an idempotency key for a request.
   * `fingerprint`: identifies the content of the request.
   * While an earlier request with the key is in progress, the key stays claimed, but at most for a minute.
   * If the server of the earlier request has stopped, the key can be claimed at once.
   */
  async claim(sandbox: string, key: string, fingerprint: string): Promise<KeyClaim> {
    const claim = `${this.server}.${createId()}`;
    const isClaimed = await this.#claimTogether(sandbox, { key, fingerprint, claim }).catch((error) => {
      // If only the response of the database was lost, the key is claimed, and nobody would release it.
      void this.release(sandbox, { key, claim });
      throw error;
    });
    if (isClaimed) return { claim };
    const statement = 'SELECT fingerprint, claim, response FROM idempotency_keys WHERE sandbox = $1 AND key = $2';
    const [found] = await this.database.query(statement, [sandbox, key]);
    // The first request has released the key between the two statements.
    if (!found) return this.claim(sandbox, key, fingerprint);
    if (found.response === null && (await this.#takeOver([sandbox, key, fingerprint, claim], String(found.claim))))
      return { claim };
    return {
      fingerprint: String(found.fingerprint),
      response: found.response === null ? null : String(found.response),
    };
  }

  /**
   * Stores the response of a request that has changed nothing.
   * Does nothing if the claim already has a response or no longer exists.
   * If the database is not available, releases the key, because a repeated request can run the handler again.
   */
  async complete(sandbox: string, { key, claim, response }: CompletedKey): Promise<void> {
    const statement = `UPDATE idempotency_keys SET response = $4, changed_at = now()
      WHERE sandbox = $1 AND key = $2 AND claim = $3 AND response IS NULL`;
    await this.database
      .query(statement, [sandbox, key, claim, response])
      .catch(() => this.release(sandbox, { key, claim }));
  }

  /**
   * Releases a key whose request has no response, so that another request can claim the key.
   * A later commit with the released claim is rejected.
   * If the database is not available, repeats the release every second for a minute.
   */
  async release(sandbox: string, { key, claim }: ClaimedKey, retries = MAX_RETRIES): Promise<void> {
    const statement =
      'DELETE FROM idempotency_keys WHERE sandbox = $1 AND key = $2 AND claim = $3 AND response IS NULL';
    await this.database.query(statement, [sandbox, key, claim]).catch(() => {
      if (retries > 0) setTimeout(() => void this.release(sandbox, { key, claim }, retries - 1), RETRY_MS).unref();
    });
  }

  /**
   * Claims a key.
   * All calls for a sandbox during an SQL statement share the next statement.
   * Resolves to whether the key is claimed.
   */
  #claimTogether(sandbox: string, claim: Omit<WaitingClaim, 'resolve' | 'reject'>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(sandbox);
      const added = { ...claim, resolve, reject };
      if (waiting) waiting.push(added);
      else {
        this.#waiting.set(sandbox, [added]);
        void this.#claimWaiting(sandbox);
      }
    });
  }

  async #claimWaiting(sandbox: string): Promise<void> {
    // Waits until the server has read all requests that have arrived.
    await setImmediate();
    for (let claims = this.#take(sandbox); claims.length > 0; claims = this.#take(sandbox))
      await this.#claimAll(sandbox, claims);
    this.#waiting.delete(sandbox);
  }

  #take(sandbox: string): readonly WaitingClaim[] {
    const waiting = this.#waiting.get(sandbox) ?? [];
    this.#waiting.set(sandbox, []);
    return waiting;
  }

  async #claimAll(sandbox: string, claims: readonly WaitingClaim[]): Promise<void> {
    // The first request with a key claims it, and the others with this key do not.
    const first = [...new Map(claims.toReversed().map((claim) => [claim.key, claim])).values()];
    const columns = (['key', 'fingerprint', 'claim'] as const).map((name) => first.map((claim) => claim[name]));
    try {
      const rows = await this.database.query(CLAIM, [sandbox, ...columns]);
      const claimed = new Set(rows.map(({ claim }) => claim));
      for (const { claim, resolve } of claims) resolve(claimed.has(claim));
    } catch (error) {
      for (const { reject } of claims) reject(error);
    }
  }

  /**
   * Replaces a claim if its server has stopped.
   * Resolves to whether the claim was replaced.
   * A commit with the former claim then changes nothing.
   */
  async #takeOver(values: readonly string[], former: string): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE idempotency_keys SET fingerprint = $3, claim = $4, changed_at = now()
      WHERE sandbox = $1 AND key = $2 AND claim = $5 AND response IS NULL
        AND NOT EXISTS (SELECT 1 FROM servers WHERE id = $6 AND seen_at > now() - ${GONE})
      RETURNING claim`,
      [...values, former, former.split('.')[0]],
    );
    return rows.length > 0;
  }
}
