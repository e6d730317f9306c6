import { addToGroup } from '../../util/groups.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName, splitWords } from '../../util/names.ts';
import { findCountedState, findDone, findExactState } from '../actions/states.ts';
import { listEntryProperties, normalizeProperty } from '../document/entry-properties.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findCreatedName } from '../entries/server-values.ts';
import { findView, isOverdueWord } from '../lists/view-words.ts';
import type { Children, Derived, Resource } from '../resource.ts';
import { isCreator } from '../users/user-names.ts';
import { getAveraged } from './derived.ts';

/** Returns children by the names of their entries, without uppercase letters and separators. */
export const indexNames = memoizeByObject((children: readonly Children[]): ReadonlyMap<string, readonly Children[]> => {
  const index = new Map<string, Children[]>();
  for (const child of children) {
    const { name, singular } = child.resource;
    for (const one of new Set([name.split('.').at(-1) ?? '', singular].map(normalizeName)))
      addToGroup(index, one, child);
  }
  return index;
});

/**
 * Returns the properties of a schema that count entries, or show the latest of their times.
 * `links`: other entries that can name the one with the schema: the tasks that are assigned to a user.
 * `isEntry`: whether the schema is that of an entry.
 */
export function findCounted(
  reader: SchemaReader,
  schema: string,
  children: readonly Children[],
  links: readonly Children[] = [],
  isEntry = false,
): readonly Derived[] {
  const siblings = [...reader.getProperties(schema).keys()];
  const counted = [...reader.getProperties(schema)].flatMap(([property, pointer]): readonly Derived[] => {
    const types = reader.getTypes(pointer);
    // A number such as `refundTotal` is a sum.
    const isNumber = types.includes('integer') || (types.includes('number') && !/total$/i.test(property));
    const { all, name } =
      links.length === 0
        ? { all: children, name: property }
        : addLinks(reader, schema, { property, pointer, children, links });
    const found =
      findAverage(reader, isEntry && isRating(name, siblings) ? 'averagerating' : name, pointer, all) ??
      findAverageCount(reader, name, pointer, all) ??
      (isNumber
        ? (findProgress(reader, name, pointer, all) ??
          findCount(reader, name, all, { isEntry, siblings }) ??
          findRatingCount(reader, name, schema, all))
        : findLatest(reader, name, all));
    return found ? [{ property, ...found }] : [];
  });
  return [...counted, ...findTotalCount(reader, schema, counted)];
}

/** Finds the `totalCount` beside numbers such as `doneCount`, if all of them count entries of the same resource. */
function findTotalCount(reader: SchemaReader, schema: string, counted: readonly Derived[]): readonly Derived[] {
  const inState = counted.filter(({ only, property }) => only && getCountedName(normalizeCountName(property)));
  const [first, ...others] = inState;
  if (!first || others.some(({ children }) => children.resource !== first.children.resource)) return [];
  const isOpen = ([name, pointer]: readonly [string, string]) =>
    normalizeName(name) === 'totalcount' &&
    reader.allowsNumber(pointer) &&
    !counted.some(({ property }) => property === name);
  const names = [...reader.getProperties(schema)].filter(isOpen).map(([name]) => name);
  return names.map((property) => ({ property, children: first.children, only: undefined, time: undefined }));
}

/** Names of numbers by which entries are rated, such as the `stars` of a review. */
const RATINGS = ['rating', 'stars', 'score'];

/** Matches the names of entries with ratings, in the names of numbers without uppercase letters and separators. */
const RATED = /^(?:rating|review)s?$/;

/** Returns whether a number such as `rating` is the average of other ratings: beside it, a number counts these. */
function isRating(property: string, siblings: readonly string[]): boolean {
  const counts = siblings.some((one) => RATED.test(getCountedName(normalizeCountName(one)) ?? ''));
  return counts && ['rating', 'overallrating', 'ratingvalue', 'stars'].includes(normalizeName(property));
}

/** Finds the entries that a number such as `ratingCount` counts: those whose average rating the number beside it is. */
function findRatingCount(
  reader: SchemaReader,
  property: string,
  schema: string,
  children: readonly Children[],
): Found | undefined {
  if (!RATED.test(getCountedName(normalizeCountName(property)) ?? '')) return undefined;
  const siblings = [...reader.getProperties(schema)];
  const names = siblings.map(([name]) => name);
  const rated = siblings.flatMap(([name, pointer]) => {
    const found = findAverage(reader, isRating(name, names) ? 'averagerating' : name, pointer, children);
    return found && RATINGS.includes(normalizeProperty(found.average?.property ?? '')) ? [found.children] : [];
  });
  const [only, ...others] = new Set(rated);
  return only && others.length === 0 ? { children: only, only: undefined, time: undefined } : undefined;
}

/** Words before the name of what a user has, and the properties that name the user, without separators. */
const LINK_WORDS: readonly (readonly [word: RegExp, links: RegExp])[] = [
  [/^assigned(?:to(?:me|you))?(?=.)/, /^assign/],
  [/^(?:created|authored|reported|requested|uploaded|posted)(?=.)/, /^(?:author|creator|reporter|.*by$)/],
  [/^owned(?=.)/, /^owner/],
];

/** Returns whether a property has the user who did something to an entry, such as `cancelledBy`. */
function isActor(property: string): boolean {
  const name = normalizeName(property);
  return /by(?:(?:user)?id)?$/.test(name) && !isCreator(name);
}

/**
 * Adds the entries that name an entry to its children. If several properties of the same entries do, it is the one that
 * the name of the number says, such as `assignedTaskCount`, or else that its description or a number beside it says.
 * Returns the name of the number without this word.
 */
function addLinks(
  reader: SchemaReader,
  schema: string,
  {
    property,
    pointer,
    children,
    links,
  }: { property: string; pointer: string; children: readonly Children[]; links: readonly Children[] },
): { readonly all: readonly Children[]; readonly name: string } {
  const own = normalizeName(property);
  const [word, named] = LINK_WORDS.find(([one]) => one.test(own)) ?? [];
  const isAssigned =
    /assigned/i.test(String(reader.getKeyword(pointer, 'description') ?? '')) ||
    [...reader.getProperties(schema).keys()].some((one) => /^assigned/.test(normalizeName(one)));
  const wanted = named ?? (isAssigned ? /^assign/ : undefined);
  const resources = [...new Set(links.map(({ resource }) => resource))];
  const chosen = resources.flatMap((resource) => {
    const same = links.filter((one) => one.resource === resource && !isActor(one.link?.property ?? ''));
    const fitting = wanted ? same.filter(({ link }) => wanted.test(normalizeName(link?.property ?? ''))) : [];
    const [only, ...others] = fitting.length > 0 ? fitting : same;
    return only && others.length === 0 ? [only] : [];
  });
  return { all: [...children, ...chosen], name: word ? own.replace(word, '') : property };
}

type Found = Omit<Derived, 'property'>;

/**
 * The maximum number of resources in which a state such as `done` is searched for `doneCount`. With more, several have
 * the state.
 */
export const MAX_STATES = 30;

/** Words for a number of entries in French, German, Spanish and Portuguese: `nombre_articles`, `anzahl_bilder`. */
const NUMBERS = ['nombre', 'nb', 'nbr', 'nbre', 'anzahl', 'cantidad', 'quantidade', 'qtd', 'qtde'];

/** Words after a word for a number: `nombre_de_places`, `numero_de_itens`. */
const OF = ['de', 'd', 'des', 'do', 'dos', 'da', 'das', 'di', 'der'];

/**
 * Returns the name of a property without uppercase letters and separators, and with the English word for a number:
 * `numberofarticles` for `nombreArticles` and `nb_articles`. Without `de`, `numero` is the number that an entry has.
 */
export function normalizeCountName(property: string): string {
  const [first = '', second = '', ...others] = splitWords(property);
  if (second === '' || !(NUMBERS.includes(first) || first === 'numero')) return normalizeName(property);
  if (others.length > 0 && OF.includes(second)) return `numberof${others.join('')}`;
  return first === 'numero' ? normalizeName(property) : `numberof${second}${others.join('')}`;
}

/** Returns what a property counts: `task` for `taskcount` and `tasks` for `numberoftasks`. */
export function getCountedName(name: string): string | undefined {
  const [, after, before] =
    /^(?:totalnumberof|numberof|numof|num|total|countof|count)(.+)$|^(?:total)?(.+?)(?:count|total)$/.exec(name) ?? [];
  return after ?? before;
}

/**
 * Finds what a property such as `taskCount`, `numberOfTasks`, `openTasksCount` or `tasksDone` counts.
 * `isEntry`: whether the property is that of an entry. Then `done` counts the only children that can be done.
 * `siblings`: the names of the properties of the same schema.
 */
function findCount(
  reader: SchemaReader,
  property: string,
  children: readonly Children[],
  { isEntry, siblings }: { readonly isEntry: boolean; readonly siblings: readonly string[] },
): Found | undefined {
  const name = normalizeCountName(property);
  const index = indexNames(children);
  // `pendingInvoices` is the number of invoices with the status `pending`, and so is `invoicesPending`.
  const isPart = (one: string) => one.length > 2 && name !== one && (name.endsWith(one) || name.startsWith(one));
  const hasPlural = [...index.keys()].some(isPart);
  const counted = getCountedName(name) ?? (hasPlural || isEntry ? name : undefined);
  const named = [...new Set([...(index.get(counted ?? '') ?? []), ...(index.get(name) ?? [])])];
  // An integer such as `tasks` is a number of tasks.
  const [own] = named;
  if (own && named.length === 1) return { children: own, only: undefined, time: undefined };
  if (counted === undefined || named.length > 0 || children.length > MAX_STATES) return undefined;
  const isPlain = getCountedName(name) === undefined && !hasPlural;
  const inState = children.flatMap((one): readonly Found[] => {
    const { schema } = one.resource;
    const word = removeNames(counted, one.resource);
    const find = isPlain ? findExactState : findCountedState;
    const only = schema === '' || word === '' ? undefined : find(reader, schema, word);
    const view =
      only || !(isOverdueWord(word) || word === 'upcoming') ? undefined : findView(reader, one.resource, `/${word}`);
    return only || view ? [{ children: one, only, time: undefined, ...(view ? { view } : {}) }] : [];
  });
  // Beside `itemCount`, `unreadCount` is about items.
  const beside = inState.filter(({ children: { resource } }) => siblings.some((one) => isCountOf(one, resource)));
  const [only, ...others] = inState.length === 1 ? inState : beside;
  return others.length === 0 ? only : undefined;
}

/** Returns whether a property such as `itemCount` or `items` counts the entries of a resource. */
function isCountOf(property: string, { name, singular }: Resource): boolean {
  const counted = getCountedName(normalizeCountName(property)) ?? '';
  return [name.split('.').at(-1) ?? '', singular].map(normalizeName).includes(counted);
}

/** Removes the name of entries from that of a number: `open` for `opentasks` and `tasksopen`. */
function removeNames(name: string, { name: plural, singular }: Pick<Resource, 'name' | 'singular'>): string {
  const words = [plural.split('.').at(-1) ?? '', singular].map(normalizeName).filter((word) => word !== '');
  const ending = words.find((word) => name.endsWith(word));
  if (ending !== undefined) return name.slice(0, -ending.length);
  const start = words.find((word) => name.startsWith(word));
  return start === undefined ? name : name.slice(start.length);
}

/** Matches the names of the share of entries that are done, such as `progress`, `completionRate` or `percentDone`. */
const PROGRESS =
  /^(.*?)(?:progress|completion)(?:rate|ratio|percent|percentage|pct)?$|^percent(?:age)?(?:complete|completed|done)$|^(.*?)(?:complete|completed|done)(?:rate|ratio|share|percent|percentage|pct)$/;

/** Finds the only entries whose share that is done a property such as `progress` shows. */
function findProgress(
  reader: SchemaReader,
  property: string,
  pointer: string,
  children: readonly Children[],
): Found | undefined {
  const match = PROGRESS.exec(normalizeName(property));
  if (!match || children.length > MAX_STATES) return undefined;
  const subject = match[1] ?? match[2] ?? '';
  const found = children.flatMap((child): readonly Found[] => {
    const names = ['', child.resource.name, child.resource.singular].map(normalizeName);
    const only = names.includes(subject) ? findDone(reader, child.resource.schema) : undefined;
    return only ? [{ children: child, only, time: undefined, ...getShare(reader, property, pointer) }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns how a number shows a share: as a percentage, or as a fraction, and whether it is an integer. */
export function getShare(
  reader: SchemaReader,
  property: string,
  pointer: string,
): Pick<Derived, 'whole' | 'isInteger'> {
  const isInteger = !reader.getTypes(pointer).includes('number');
  const examples = ['maximum', 'example', 'default'].map((keyword) => Number(reader.getKeyword(pointer, keyword) ?? 0));
  const text = `${property} ${reader.getKeyword(pointer, 'description') ?? ''}`;
  const isPercentage = isInteger || /percent|pct|%/i.test(text) || examples.some((value) => value > 1);
  return { whole: isPercentage ? 100 : 1, isInteger };
}

/** Finds the only number whose average a property such as `averageRating` shows. */
function findAverage(
  reader: SchemaReader,
  property: string,
  pointer: string,
  children: readonly Children[],
): Found | undefined {
  const name = getAveraged(property);
  if (name === undefined || !reader.allowsNumber(pointer) || children.length > MAX_STATES) return undefined;
  const numbers = children.flatMap((one) => {
    const { schema, singular } = one.resource;
    return [...(schema === '' ? [] : listEntryProperties(reader, schema))].flatMap(([own, place]) => {
      const names = [normalizeProperty(own), normalizeName(singular) + normalizeProperty(own)];
      return reader.allowsNumber(place) ? [{ children: one, own, names }] : [];
    });
  });
  const exact = numbers.filter(({ names }) => names.includes(name));
  const isRated = exact.length === 0 && ['rating', 'ratings', 'stars'].includes(name);
  const rated = isRated ? numbers.filter(({ own }) => RATINGS.includes(normalizeProperty(own))) : [];
  const [only, ...others] = [...exact, ...rated];
  if (!only || others.length > 0) return undefined;
  const allowsZero = Number(reader.getKeyword(pointer, 'minimum') ?? 0) <= 0;
  const none: 0 | null | undefined = reader.allowsNull(pointer) ? null : allowsZero ? 0 : undefined;
  const isInteger = !reader.getTypes(pointer).includes('number');
  return {
    children: only.children,
    only: undefined,
    time: undefined,
    average: { property: only.own, none },
    isInteger,
  };
}

/** Finds the entries whose average number for each other entry a property such as `averageTasksPerProject` shows. */
function findAverageCount(
  reader: SchemaReader,
  property: string,
  pointer: string,
  children: readonly Children[],
): Found | undefined {
  const [, counted = '', other = ''] = /^(?:average|avg|mean)(.+?)per(.+)$/.exec(normalizeName(property)) ?? [];
  const index = indexNames(children);
  const [all, each] = [counted, other].map((name) => index.get(name) ?? []);
  const [one, per] = [all?.[0], each?.[0]];
  if (!one || !per || all?.length !== 1 || each?.length !== 1 || !reader.allowsNumber(pointer)) return undefined;
  const isInteger = !reader.getTypes(pointer).includes('number');
  const average = { property: '', none: 0, per: per.resource } as const;
  return { children: one, only: undefined, time: undefined, average, isInteger };
}

/** Finds the entries whose latest time a property such as `lastCommentAt` shows. */
function findLatest(reader: SchemaReader, property: string, children: readonly Children[]): Found | undefined {
  const [, name] = /^(?:last|latest)(.+?)(?:at|on|date|time)$/.exec(normalizeName(property)) ?? [];
  const own = name === undefined ? undefined : indexNames(children).get(name)?.[0];
  if (!own || own.resource.schema === '') return undefined;
  const time = findCreatedName([...reader.getProperties(own.resource.schema).keys()]);
  return time === undefined ? undefined : { children: own, only: undefined, time };
}
