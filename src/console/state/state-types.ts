import type { ControlResponse } from '../../control/operation.ts';
import type { Server } from '../model/console.ts';

/** A collection of the state. */
export type Collection = Server['collections'][number];

/** A page of the entries of a collection. */
export type EntryPage = ControlResponse<'listEntries'>;

/** The number of entries on a page. */
export const PAGE_SIZE = 50;

/** An entry of a collection. */
export type Entry = Readonly<Record<string, unknown>>;

/** The entry that the user edits. A new entry has no `position`. */
export interface EditedEntry {
  readonly position?: number;
  readonly entry?: Entry;
  /** The name by which the page refers to an existing entry. */
  readonly name?: string;
}

/** A validation error of a value in an entry. `path`: the property names and indexes that lead to the value. */
export interface EntryError {
  readonly path: readonly string[];
  readonly message: string;
}

/** The properties of the forms that edit an entry: `EntryForm` and `JsonForm`. */
export interface EntryFormProps {
  readonly sandbox: string;
  readonly collection: Collection;
  readonly entry: Entry;
  readonly isNew: boolean;
  readonly errors: readonly EntryError[];
  readonly onSave: (entry: Entry) => void;
  readonly id: string;
  /**
   * A function that returns the entry in the form, or undefined if a field has a syntax error.
   * The form sets `current` to this function.
   */
  readonly draft: { current: () => Entry | undefined };
}
