import { getCollection } from '../../store/entry-list.ts';
import type { NewContent } from '../../store/postgres/shared-log.ts';
import type { State } from '../../store/state.ts';
import { applyChanges, compareStates, type StateChange } from '../../store/state-change.ts';
import type { ConfiguredSandbox, Settings } from '../sandbox.ts';
import type { CommonLists, StoredState } from './common-lists.ts';
import type { SharedKeys } from './shared-keys.ts';

/** The parts of a sandbox that the database stores, except the state. */
export interface StoredParts extends ConfiguredSandbox {
  readonly snapshots: Map<string, State>;
  readonly idempotencyKeys: SharedKeys;
}

/** The content of a sandbox that the database stores: the state, the settings and the snapshots. */
export interface Content {
  readonly state: State;
  readonly settings: Settings;
  readonly snapshots: ReadonlyMap<string, State>;
}

/** The content of a sandbox in the form that the database stores. */
interface StoredContent {
  readonly lists: StoredState;
  readonly settings: Settings;
  readonly snapshots: Readonly<Record<string, StoredState>>;
}

/**
 * A change of a collection in the form that the database stores.
 * If many sandboxes have the changed collection, this is only the hash of the collection.
 */
type StoredListChange = StateChange[string] | { readonly list: string };

/** A change of a sandbox in the form that the database stores. */
interface StoredDifference {
  readonly lists: Readonly<Record<string, StoredListChange>>;
  readonly settings: Partial<Settings>;
  /**
   * The changed snapshots by name.
   * `current`: the snapshot is the state after this change.
   * `null`: the snapshot is deleted.
   */
  readonly snapshots: Readonly<Record<string, StoredState | 'current' | null>>;
}

/** Converts the content of a sandbox, and changes of the content, to JSON and back. */
export class ContentFormat {
  constructor(private readonly lists: CommonLists) {}

  /** Converts content to JSON. */
  async encode({ state, settings, snapshots }: Content): Promise<NewContent> {
    const states = [state, ...snapshots.values()];
    for (const one of states) await this.lists.store(one);
    const stored: StoredContent = {
      lists: this.lists.encodeState(state),
      settings,
      snapshots: Object.fromEntries(Array.from(snapshots, ([name, saved]) => [name, this.lists.encodeState(saved)])),
    };
    return {
      content: JSON.stringify(stored),
      lists: this.lists.findEncoded(states.flatMap((one) => Object.values(one))),
    };
  }

  /** Converts JSON from `encode` back to content. */
  async decode(text: string): Promise<Content> {
    const { lists, settings, snapshots } = JSON.parse(text) as StoredContent;
    const saved = Object.entries(snapshots).map(
      async ([name, state]) => [name, await this.lists.decodeState(state)] as const,
    );
    return { state: await this.lists.decodeState(lists), settings, snapshots: new Map(await Promise.all(saved)) };
  }

  /** Returns the changes from `before` to `after` as JSON. */
  async encodeDifference(before: Content, after: Content): Promise<NewContent> {
    await this.lists.store(after.state);
    const difference: StoredDifference = {
      lists: this.#compareLists(before.state, after.state),
      settings: compareSettings(before.settings, after.settings),
      snapshots: this.#compareSnapshots(before.snapshots, after),
    };
    const changed = Object.keys(difference.lists).map((name) => getCollection(after.state, name));
    const added = [...after.snapshots].filter(
      ([name, saved]) => Object.hasOwn(difference.snapshots, name) && saved !== after.state,
    );
    return {
      content: JSON.stringify(difference),
      lists: this.lists.findEncoded([...changed, ...added.flatMap(([, saved]) => Object.values(saved))]),
    };
  }

  /** Applies changes from `encodeDifference` to `content`. Returns the new content. */
  async apply(content: Content, text: string): Promise<Content> {
    const { lists, settings, snapshots } = JSON.parse(text) as StoredDifference;
    let { state } = content;
    for (const [name, change] of Object.entries(lists)) {
      if ('list' in change) state = { ...state, [name]: await this.lists.decode(change) };
      else state = applyChanges(state, [{ [name]: change }]);
    }
    const saved = new Map(content.snapshots);
    for (const [name, stored] of Object.entries(snapshots)) {
      if (stored === null) saved.delete(name);
      else saved.set(name, stored === 'current' ? state : await this.lists.decodeState(stored));
    }
    return { state, settings: { ...content.settings, ...settings }, snapshots: saved };
  }

  #compareLists(before: State, after: State): StoredDifference['lists'] {
    const changes = Object.entries(compareStates(before, after)).map(([name, change]) => {
      const stored = this.lists.encode(getCollection(after, name));
      return [name, 'list' in stored ? stored : change] as const;
    });
    return Object.fromEntries(changes);
  }

  #compareSnapshots(before: Content['snapshots'], { state, snapshots }: Content): StoredDifference['snapshots'] {
    const changes: Record<string, StoredState | 'current' | null> = {};
    for (const name of before.keys()) if (!snapshots.has(name)) changes[name] = null;
    for (const [name, saved] of snapshots)
      if (before.get(name) !== saved) changes[name] = saved === state ? 'current' : this.lists.encodeState(saved);
    return changes;
  }
}

/** Returns the settings in `after` that differ from `before`. */
export function compareSettings(before: Settings, after: Settings): Partial<Settings> {
  const names = Object.keys(after) as (keyof Settings)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name]]));
}
