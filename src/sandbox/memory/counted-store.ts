import { createMemoryBackend } from '../../store/backend.ts';
import type { State } from '../../store/state.ts';
import { createStore, type Store, type StoreOptions } from '../../store/store.ts';
import type { MemoryQuota } from './memory.ts';

/** Options of a store with a memory quota. */
export interface CountedStoreOptions<S extends State> extends Omit<StoreOptions<S>, 'backend'> {
  /** The memory quota. It must already count the initial state. */
  readonly quota: MemoryQuota;
  /** Called for each change of the state. */
  readonly onChange: () => void;
}

/** Creates an in-memory store with a memory quota. `update` rejects with `StateTooLargeError` if a change exceeds the quota. */
export function createCountedStore<S extends State>({ quota, onChange, ...options }: CountedStoreOptions<S>): Store<S> {
  const store = createStore({ ...options, backend: createMemoryBackend<S>() });
  const update: Store<S>['update'] = (change) =>
    store.update((state, nowMs) => {
      const changed = change(state, nowMs);
      if (changed.next) {
        quota.replace(state, changed.next);
        onChange();
      }
      return changed;
    });
  const reset: Store<S>['reset'] = async (onApply) => {
    const next = options.defaults();
    const change = () => {
      onApply?.();
      return { next, result: undefined };
    };
    await quota.countInSlices(next, () => update(change));
  };
  return { ...store, update, reset };
}

/** The snapshots (saved states) of a sandbox, by name. `set` throws `StateTooLargeError` if the snapshot exceeds the memory quota. */
export class CountedSnapshots<S extends State> extends Map<string, S> {
  /** `onChange`: called each time a snapshot is added, replaced or deleted. */
  constructor(
    private readonly quota: MemoryQuota,
    private readonly onChange: () => void = () => {},
  ) {
    super();
  }

  /**
   * Counts the memory of a state in slices, between which the server handles other requests. Then calls `run`, which can save the state as a snapshot without
   * delay.
   */
  countInSlices<Result>(state: State, run: () => Promise<Result>): Promise<Result> {
    return this.quota.countInSlices(state, run);
  }

  override set(name: string, state: S): this {
    this.quota.replace(this.get(name), state);
    this.onChange();
    return super.set(name, state);
  }

  override delete(name: string): boolean {
    this.quota.replace(this.get(name), undefined);
    this.onChange();
    return super.delete(name);
  }
}
