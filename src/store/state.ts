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
 */
export interface CommittedState<S extends State = State> {
  readonly state: S;
  readonly revision: number;
}
