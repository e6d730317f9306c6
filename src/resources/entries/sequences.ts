import { EntryList, getList, setList } from '../../store/entry-list.ts';
import type { Entry, State } from '../../store/state.ts';
import type { Resource } from '../resource.ts';
import { normalizeLogin } from '../users/user-names.ts';
import { getIdNumbers } from './entry-lists.ts';
import { getProperty } from './entry-values.ts';

/** The name of the internal list of the state with the ids of removed entries that no other entry may get. */
export const SEQUENCES = '$sequences';

/**
 * The ids of a list that no new entry may get.
 * `lastId`: the highest number that an entry has had as its id. It is stored when this entry is removed.
 * `names`: the names of deleted users that other entries still have.
 */
interface Sequence {
  readonly list: string;
  readonly lastId: number;
  readonly names?: readonly string[];
}

function getSequence(state: State, { name }: Pick<Resource, 'name'>): Sequence {
  const known = getList(state, SEQUENCES).entries.find(({ list }) => list === name);
  return { list: name, lastId: 0, ...known };
}

function setSequence(state: State, sequence: Sequence): State {
  const others = getList(state, SEQUENCES).entries.filter(({ list }) => list !== sequence.list);
  return setList(state, SEQUENCES, EntryList.of([...others, { ...sequence }]));
}

/**
 * Returns the highest number that a removed entry of a resource has had as its id; 0 if there is none.
 * `namesakes`: resources whose ids the entries of the resource do not get, also if they are not removed.
 */
export function getLastId(
  state: State,
  resource: Pick<Resource, 'name'>,
  namesakes: readonly Pick<Resource, 'name' | 'id'>[] = [],
): number {
  const others = namesakes.map(({ name, id }) =>
    Math.max(getSequence(state, { name }).lastId, getIdNumbers(getList(state, name), id.property).highest),
  );
  return Math.max(getSequence(state, resource).lastId, ...others);
}

/** Returns a copy of a state that keeps the highest id of a resource, if one of the removed entries has it. */
export function keepLastId(state: State, { name, id }: Resource, removed: readonly Entry[]): State {
  const { property } = id;
  const { highest } = getIdNumbers(getList(state, name), property);
  const sequence = getSequence(state, { name });
  if (property === undefined || highest <= sequence.lastId) return state;
  const isRemoved = removed.some((entry) => Number(getProperty(entry, property)) === highest);
  return isRemoved ? setSequence(state, { ...sequence, lastId: highest }) : state;
}

/** Returns a copy of a state in which no new entry of a resource gets the id of one of some removed entries. */
export function reserveIds(state: State, { name, id }: Resource, removed: readonly Entry[]): State {
  const ids = removed.map((entry) => Number(getProperty(entry, id.property ?? ''))).filter(Number.isSafeInteger);
  const sequence = getSequence(state, { name });
  const lastId = ids.reduce((highest, own) => Math.max(highest, own), sequence.lastId);
  return lastId > sequence.lastId ? setSequence(state, { ...sequence, lastId }) : state;
}

/** Returns a copy of a state in which no new user can have one of some names of deleted users. */
export function reserveNames(state: State, users: Resource, names: readonly string[]): State {
  if (names.length === 0) return state;
  const sequence = getSequence(state, users);
  return setSequence(state, { ...sequence, names: [...(sequence.names ?? []), ...names] });
}

/** Returns whether a deleted user had a name that other entries still have. */
export function isReserved(state: State, users: Resource, name: unknown): boolean {
  const { names = [] } = getSequence(state, users);
  return names.some((one) => normalizeLogin(one) === normalizeLogin(name));
}
