import { createHash as createNodeHash, randomBytes } from 'node:crypto';
import { getFailure, StoreUnavailableError } from '../backend.ts';
import { type Database, MISSING_REFERENCE } from './database.ts';

/**
 * The collections that several sandboxes have in common, by their hashes.
 * A server can delete those to which no sandbox refers at any time, also between `store` and the first reference.
 * Then the statement with the reference fails, and its caller calls `storeAgain`.
 */
export class ListTable {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  /** Stores the JSON text of a collection, unless it is already stored. Resolves to its hash. */
  async store(content: string): Promise<string> {
    const hash = createHash(content);
    const statement = 'INSERT INTO lists (hash, content) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    await this.database.query(statement, [hash, content]);
    return hash;
  }

  /** Stores collections whose references made a statement fail with `error`. Throws `error` if it has another cause. */
  async storeAgain(lists: Iterable<unknown>, error: unknown): Promise<void> {
    if (!isReferenceError(error)) throw error;
    for (const list of lists) await this.store(JSON.stringify(list));
  }

  /** Returns the JSON text of the collection with this hash. Rejects if the database does not contain it. */
  async load(hash: string): Promise<string> {
    const [row] = await this.database.query('SELECT content FROM lists WHERE hash = $1', [hash]);
    if (!row) throw new StoreUnavailableError(`the database does not have the collection ${hash} any more`);
    return String(row.content);
  }

  /**
   * Deletes the collections to which no sandbox refers.
   * Skips those that another transaction has locked, because it deletes them or adds a reference.
   */
  async removeUnused(): Promise<void> {
    const statement = `DELETE FROM lists WHERE hash IN (
      SELECT hash FROM lists WHERE NOT EXISTS (SELECT 1 FROM list_references AS used WHERE used.hash = lists.hash)
      FOR UPDATE SKIP LOCKED
    )`;
    await this.database.query(statement).catch((error) => {
      // Another server has added a reference during the statement. The next call deletes the other collections.
      if (!isReferenceError(error)) throw error;
    });
  }
}

function isReferenceError(error: unknown): boolean {
  return getFailure(error).database?.code === MISSING_REFERENCE;
}

/** Returns a new random id, for example for a change or a server. */
export function createId(): string {
  return randomBytes(9).toString('base64url');
}

/** Returns the SHA-256 of a text, in base64url. */
function createHash(text: string): string {
  return createNodeHash('sha256').update(text).digest('base64url');
}
