import type { ListTable } from '../../store/postgres/list-table.ts';
import type { Entry, State } from '../../store/state.ts';

/** The entries of a collection. */
type List = readonly Entry[];

/**
 * A collection in the form that the database stores.
 * If many sandboxes have the same collection, this is only the hash of the collection.
 * Otherwise, it is the entries.
 */
type StoredList = List | { readonly list: string };

/** A state in the form that the database stores. */
export type StoredState = Readonly<Record<string, StoredList>>;

/** The minimum number of entries of a collection that the database stores only once, by its hash. */
const MIN_ENTRIES = 10;

/**
 * Collections that many sandboxes have in common, such as the default data.
 * The database stores each of these collections only once, by its hash.
 */
export class CommonLists {
  /** The hashes of the collections that are stored. */
  #hashes = new WeakMap<List, string>();
  readonly #marked = new WeakSet<List>();
  /** The stored collections that are in memory, and those that are being loaded, by hash. */
  readonly #byHash = new Map<string, WeakRef<List>>();
  readonly #loading = new Map<string, Promise<List>>();
  readonly #released = new FinalizationRegistry<string>((hash) => {
    if (!this.#byHash.get(hash)?.deref()) this.#byHash.delete(hash);
  });

  constructor(private readonly table: Pick<ListTable, 'store' | 'load'>) {}

  /**
   * Marks the collections of a state from which sandboxes are created.
   * The database stores a marked collection only once.
   */
  mark(state: State): void {
    for (const list of Object.values(state)) if (list.length >= MIN_ENTRIES) this.#marked.add(list);
  }

  /** Stores the marked collections of a state that are not stored yet. */
  async store(state: State): Promise<void> {
    const hashes = this.#hashes;
    for (const list of Object.values(state)) {
      if (!this.#marked.has(list) || hashes.has(list)) continue;
      const hash = await this.table.store(JSON.stringify(list));
      hashes.set(list, hash);
      this.#add(hash, list);
    }
  }

  /** Forgets which collections are stored, because the database has lost them. */
  forgetStored(): void {
    this.#hashes = new WeakMap();
  }

  /** Converts a collection to the form that the database stores. */
  encode(list: List): StoredList {
    const hash = this.#hashes.get(list);
    return hash === undefined ? list : { list: hash };
  }

  /** Returns the collections among `lists` that `encode` converts to hashes, by hash. */
  findEncoded(lists: readonly List[]): ReadonlyMap<string, List> {
    const entries = lists.map((list) => [this.#hashes.get(list), list] as const);
    return new Map(entries.filter((entry): entry is readonly [string, List] => entry[0] !== undefined));
  }

  /** Converts a state to the form that the database stores. */
  encodeState(state: State): StoredState {
    return Object.fromEntries(Object.entries(state).map(([name, list]) => [name, this.encode(list)]));
  }

  /** Loads a collection that `encode` has converted. */
  decode(stored: StoredList): Promise<List> {
    if (!('list' in stored)) return Promise.resolve(stored);
    const hash = stored.list;
    const known = this.#byHash.get(hash)?.deref();
    if (known) return Promise.resolve(known);
    const loading = this.#loading.get(hash) ?? this.#load(hash).finally(() => this.#loading.delete(hash));
    this.#loading.set(hash, loading);
    return loading;
  }

  async #load(hash: string): Promise<List> {
    const hashes = this.#hashes;
    const list = JSON.parse(await this.table.load(hash)) as List;
    hashes.set(list, hash);
    this.#add(hash, list);
    return list;
  }

  #add(hash: string, list: List): void {
    this.#byHash.set(hash, new WeakRef(list));
    this.#released.register(list, hash);
  }

  /** Loads a state that `encodeState` has converted. */
  async decodeState(stored: StoredState): Promise<State> {
    const lists = Object.entries(stored).map(async ([name, list]) => [name, await this.decode(list)] as const);
    return Object.fromEntries(await Promise.all(lists));
  }
}
