import type { Sandbox } from '../sandbox/sandbox.ts';
import type { State } from '../store/state.ts';
import { findOtherLists } from '../store/state-change.ts';
import { limitList } from '../util/text.ts';

/** The maximum number of list names in a warning. */
const MAX_NAMES = 10;

/**
 * The names of the collections of a contract.
 * `previous`: after a reload, the names of the collections of the previous contract; undefined at the start.
 */
interface ContractLists {
  readonly collections: readonly string[];
  readonly previous?: readonly string[];
  /** The name of the data file for messages; undefined if the state is only in memory. */
  readonly dataFile: string | undefined;
}

/**
 * Returns a warning if a state has lists that are not collections of the contract.
 * After a reload, only warns about lists that were collections of the previous contract.
 * Returns undefined if there are no such lists.
 */
export function describeOtherLists(
  state: State,
  { collections, previous, dataFile = 'the memory' }: ContractLists,
): string | undefined {
  const isNews = (name: string) => state[name]?.length !== 0 && (previous?.includes(name) ?? true);
  const others = findOtherLists(state, collections).filter(isNews);
  if (others.length === 0) return undefined;
  const names = limitList(others, MAX_NAMES).join(', ');
  return `These lists in ${dataFile} are not collections of the contract: ${names}. The server keeps them, but does not serve them.`;
}

/**
 * Adds the missing collections of the contract to the states of sandboxes.
 * The new collections contain the entries of the default data.
 * Rejects if the default data can't be read, or if a state can't be stored.
 */
export async function addMissingCollections(
  sandboxes: readonly Pick<Sandbox, 'store'>[],
  collections: readonly string[],
  getDefaults: () => State,
): Promise<void> {
  const findMissing = (state: State) => collections.filter((name) => !Object.hasOwn(state, name));
  const incomplete = sandboxes.filter(({ store }) => findMissing(store.read().state).length > 0);
  if (incomplete.length === 0) return;
  const defaults = getDefaults();
  await Promise.all(
    incomplete.map(({ store }) =>
      store.update((state) => {
        const added = findMissing(state).map((name) => [name, defaults[name] ?? []]);
        return { next: { ...state, ...Object.fromEntries(added) }, result: undefined };
      }),
    ),
  );
}
