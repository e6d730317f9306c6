import { createMemoryBackend } from '../../store/backend.ts';
import type { State } from '../../store/state.ts';
import { createStore, type Store, type StoreOptions } from '../../store/store.ts';
import type { MemoryQuota } from './memory.ts';

/** Options of a store with a memory quota. */
export interface CountedStoreOptions<S extends State> extends Omit<StoreOptions<S>, 'backend'> {
  /** The quota. It must contain the initial state. */
  readonly quota: MemoryQuota;
  /** Called for each change. */
  readonly onChange: () => void;
}

/** Creates a store in memory. A change that exceeds the quota rejects with `StateTooLargeError`. */
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
  return { ...store, update, reset: () => update(() => ({ next: options.defaults(), result: undefined })) };
}

/** The snapshots of a sandbox by name. `set` throws `StateTooLargeError` if the snapshot exceeds the memory quota. */
export class CountedSnapshots<S extends State> extends Map<string, S> {
  /** `onChange` is called for each change. */
  constructor(
    private readonly quota: MemoryQuota,
    private readonly onChange: () => void = () => {},
  ) {
    super();
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
