import { addToGroup } from '../../util/groups.ts';
import type { Database } from './database.ts';

/** A revision of a sandbox, and the random id of the change that created this revision. */
export interface Version {
  readonly revision: number;
  readonly head: string;
}

/**
 * The version of a sandbox.
 * `generation`: a random id of the sandbox.
 * A sandbox that is deleted and created again gets a new generation.
 */
export interface SandboxVersion extends Version {
  readonly generation: string;
}

/** A stored change of a sandbox. `content` is the change as JSON. */
export interface StoredChange extends Version {
  readonly content: string;
}

/**
 * The changes of a sandbox since a known version.
 * `removed`: the sandbox was deleted.
 * `diverged`: the known version is not in the stored history, for example because the database has lost the last
 * commits after a failover.
 */
export type NewChanges = readonly StoredChange[] | 'diverged' | 'removed';

/** A call of `ChangeReader.read` that waits for its result. */
interface Reader {
  readonly id: string;
  readonly known: SandboxVersion;
  readonly resolve: (changes: NewChanges) => void;
  readonly reject: (error: unknown) => void;
}

const CURRENT: NewChanges = [];

/** Reads the changes of sandboxes from the database. */
export class ChangeReader {
  #readers: Reader[] = [];

  constructor(private readonly database: Pick<Database, 'query'>) {}

  /**
   * Returns the changes of a sandbox since the version `known`.
   * All calls in the same turn of the event loop share one SQL statement.
   * Rejects with a `StoreUnavailableError`.
   */
  read(id: string, known: SandboxVersion): Promise<NewChanges> {
    return new Promise((resolve, reject) => {
      this.#readers.push({ id, known, resolve, reject });
      if (this.#readers.length === 1) setImmediate(() => this.#readAll());
    });
  }

  async #readAll(): Promise<void> {
    const readers = this.#readers;
    this.#readers = [];
    try {
      const rows = await this.database.query(
        `SELECT known.index, sandboxes.generation, sandboxes.revision AS last, sandboxes.head AS current, changes.revision, changes.head, changes.previous, changes.content
        FROM unnest($1::int[], $2::text[], $3::bigint[], $4::text[]) AS known (index, id, revision, head)
        JOIN sandboxes ON sandboxes.id = known.id
        LEFT JOIN changes ON changes.sandbox = known.id AND changes.revision > known.revision AND sandboxes.head <> known.head
        ORDER BY known.index, changes.revision`,
        [
          readers.map((_, index) => index),
          readers.map(({ id }) => id),
          readers.map(({ known }) => known.revision),
          readers.map(({ known }) => known.head),
        ],
      );
      const byReader = groupByIndex(rows as unknown as readonly ChangeRow[]);
      for (const [index, { known, resolve }] of readers.entries())
        resolve(toNewChanges(known, byReader.get(index) ?? []));
    } catch (error) {
      for (const { reject } of readers) reject(error);
    }
  }
}

/**
 * A row of the SQL statement that reads changes.
 * Each row repeats the current version of the sandbox.
 * A sandbox without new changes has one row, which contains no change.
 */
interface ChangeRow {
  /** The index of the `read` call to which the row belongs, in the list of waiting calls. */
  readonly index: number;
  readonly generation: string;
  readonly last: string;
  readonly current: string;
  readonly revision: string | null;
  readonly head: string;
  readonly previous: string;
  readonly content: string;
}

function groupByIndex(rows: readonly ChangeRow[]): ReadonlyMap<number, readonly ChangeRow[]> {
  const groups = new Map<number, ChangeRow[]>();
  for (const row of rows) addToGroup(groups, row.index, row);
  return groups;
}

function toNewChanges(known: SandboxVersion, rows: readonly ChangeRow[]): NewChanges {
  const [first] = rows;
  if (first?.generation !== known.generation) return 'removed';
  if (first.current === known.head) return CURRENT;
  const isNext = first.revision !== null && first.previous === known.head;
  return isNext && rows.length === Number(first.last) - known.revision ? rows.map(toChange) : 'diverged';
}

/** Converts a row of an SQL result to a change. */
export function toChange({ revision, head, content }: Readonly<Record<string, unknown>> | ChangeRow): StoredChange {
  return { revision: Number(revision), head: String(head), content: String(content) };
}
