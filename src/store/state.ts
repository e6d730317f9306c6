/** An entry of a collection: a JSON object. */
export type Entry = Readonly<Record<string, unknown>>;

/**
 * The state of an application, as in a data file: a list of entries for each collection.
 * It is never changed in place: a change creates a new state.
 */
export type State = Readonly<Record<string, readonly Entry[]>>;

/**
 * A committed state and its revision.
 * The revision is the number of changes of the state since the start of the server.
 * If several servers share the state, it is the number of all commits, and `generation` is the id of their history.
 */
export interface CommittedState<S extends State = State> {
  readonly state: S;
  readonly revision: number;
  readonly generation?: string;
}

/** A committed change of an entry. */
export interface CommittedChange {
  /** The id with which a client continues after it has received this change. */
  readonly id: string;
  readonly collection: string;
  /** The entry before the change; undefined if the change has added it. */
  readonly before: Entry | undefined;
  /** The entry after the change; undefined if the change has deleted it. */
  readonly after: Entry | undefined;
  /** The time of the change by the clock of the sandbox, in ms since 1970. */
  readonly atMs: number;
}

/** How an entry changes. */
export type ChangeKind = 'created' | 'updated' | 'deleted';

/** Committed changes, without end. `startId`: the id from which they start. */
export interface ChangeSequence extends AsyncIterable<CommittedChange> {
  readonly startId: string;
}
