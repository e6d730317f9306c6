import { pickKeys } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { normalizeName } from '../../util/names.ts';
import { getLastSegment } from '../document/names.ts';
import { getEntries } from '../entries/entries.ts';
import type { Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { SHOWN_NAMES } from '../users/user-names.ts';

/** Matches the last segment of a path that lists users by what they have reached. */
const LEADERBOARD = /^(?:leader-?_?boards?|score-?_?boards?|rankings?|standings|high-?_?scores?)$/i;

/** Matches the names of numbers by which a leaderboard is sorted. */
const SCORE = /(?:^|[a-z])(?:xp|score|points?|elo)(?:total|count)?$|^(?:total)?(?:xp|score|points?)/;

/** Matches the names of the place of a user in a leaderboard. */
const RANK = /^(?:rank|position|place)$/;

/**
 * Returns the generated entries of a leaderboard in their order: the highest scores and the first rank belong to the
 * first entry. If the entries show an id and a name of users, they are the first users.
 * Returns other entries unchanged.
 */
export function arrangeLeaderboard(
  { reader, inference }: ResourceModel,
  resource: Resource,
  state: State,
  entries: readonly Entry[],
): readonly Entry[] {
  if (resource.schema === '' || !LEADERBOARD.test(getLastSegment(resource.mounts[0]?.collection ?? ''))) return entries;
  const names = [...reader.getProperties(resource.schema)];
  const { users } = inference;
  const known = users ? reader.getProperties(users.schema) : new Map<string, string>();
  const copied = names.flatMap(([name]) =>
    SHOWN_NAMES.includes(normalizeName(name)) && known.has(name) ? [name] : [],
  );
  const id = users?.id.property ?? '';
  const isOfUsers = users !== undefined && copied.length > 0 && resource.id.property === id;
  const people = isOfUsers ? getEntries(state, users) : [];
  const shown = people.length === 0 ? entries : entries.slice(0, people.length);
  const numbers = names.filter(([, pointer]) => reader.allowsNumber(pointer)).map(([name]) => name);
  const scores = numbers.filter((name) => SCORE.test(normalizeName(name)));
  const sorted = new Map(scores.map((name) => [name, sortValues(shown, name)]));
  return shown.map((entry, index) => ({
    ...entry,
    ...pickKeys(
      people[index] ?? {},
      [id, ...copied].filter((name) => Object.hasOwn(people[index] ?? {}, name)),
    ),
    ...Object.fromEntries(
      scores.map((name) => [name, sorted.get(name)?.[index]]).filter(([, value]) => value !== undefined),
    ),
    ...Object.fromEntries(numbers.filter((name) => RANK.test(normalizeName(name))).map((name) => [name, index + 1])),
  }));
}

function sortValues(entries: readonly Entry[], name: string): readonly number[] {
  const values = entries.flatMap((entry) => (typeof entry[name] === 'number' ? [entry[name]] : []));
  return values.sort((one, other) => other - one);
}
