import type { Sandbox } from '../sandbox/sandbox.ts';
import { findOtherLists } from '../store/other-lists.ts';
import type { State } from '../store/state.ts';
import { limitList } from '../util/limit-list.ts';

/** The maximum number of lists in a warning. */
const MAX_NAMES = 10;

/** The collections of a contract. `previous`: the collections of the contract before it; undefined at the start. */
interface ContractLists {
  readonly collections: readonly string[];
  readonly previous?: readonly string[];
  /** The name of the data file; undefined if the state is in memory only. */
  readonly dataFile: string | undefined;
}

/** Returns a warning about lists of a state that are not, or no longer, collections of the contract; undefined if there are none. */
export function describeOtherLists(
  state: State,
  { collections, previous, dataFile = 'the memory' }: ContractLists,
): string | undefined {
  const isNews = (name: string) => state[name]?.length !== 0 && (previous?.includes(name) ?? true);
  const others = findOtherLists(state, collections).filter(isNews);
  if (others.length === 0) return undefined;
  const names = limitList(others, MAX_NAMES).join(', ');
  return `These lists in ${dataFile} are no collections of the contract: ${names}. They are kept, but not served.`;
}

/** Adds the collections that the states of sandboxes lack, with the entries of the default data. */
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
