import { createMemoryBackend } from '../../store/backend.ts';
import type { State } from '../../store/state.ts';
import { createStore, type Store, type StoreOptions } from '../../store/store.ts';
import type { Account } from './memory.ts';

/** What holds states: their memory counts for an account. */
export interface CountedParts<S extends State> extends Omit<StoreOptions<S>, 'backend'> {
  /** It holds the initial state already. */
  readonly account: Account;
  /** Called with each change. */
  readonly onChange: () => void;
}

/** A store in memory. It refuses a change with a `StateTooLargeError` where its account would hold more than it may. */
export function countedStore<S extends State>({ account, onChange, ...parts }: CountedParts<S>): Store<S> {
  const store = createStore({ ...parts, backend: createMemoryBackend<S>() });
  const update: Store<S>['update'] = (change) =>
    store.update((state, nowMs) => {
      const changed = change(state, nowMs);
      if (changed.next) {
        account.replace(state, changed.next);
        onChange();
      }
      return changed;
    });
  return { ...store, update, reset: () => update(() => ({ next: parts.defaults(), result: undefined })) };
}

/** Snapshots by their names. They are refused with a `StateTooLargeError` where their account would hold more than it may. */
export function countedSnapshots<S extends State>(account: Account, onChange: () => void): Map<string, S> {
  const states = new Map<string, S>();
  return Object.assign(states, {
    set(name: string, state: S) {
      account.replace(states.get(name), state);
      onChange();
      return Map.prototype.set.call(states, name, state);
    },
    delete(name: string) {
      account.replace(states.get(name), undefined);
      onChange();
      return Map.prototype.delete.call(states, name);
    },
  });
}
