/** An entry of a collection. */
export type Entry = Readonly<Record<string, unknown>>;

/** The state of an application: its entries by the name of their collection, as plain data that is never changed in place. The shape of a data file. */
export type State = Readonly<Record<string, readonly Entry[]>>;

/** A committed state and its revision, which grows by one with each commit that changes something. */
export interface CommittedState<S extends State = State> {
  readonly state: S;
  readonly revision: number;
}
