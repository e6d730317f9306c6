import { normalizeName, toSingular } from '../../util/names.ts';
import { findClassValue, findStateValue, listNotEnded } from '../actions/states.ts';
import { listEntryProperties, normalizeProperty } from '../document/entry-properties.ts';
import { getLastSegment } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findCreatedName } from '../entries/server-values.ts';
import type { Resource, View } from '../resource.ts';
import { POPULAR_NAMES } from './sort-entries.ts';

/** Names of dates and times until which something must be done, without uppercase letters and separators. */
const DUE_NAMES = ['duedate', 'dueat', 'dueon', 'due', 'deadline', 'expiresat', 'expirydate', 'expirationdate'];

/** Names of dates and times at which something begins, without uppercase letters and separators. */
const START_NAMES = [
  ...['startsat', 'startat', 'startson', 'starttime', 'startdate', 'startdatetime', 'start', 'beginsat'],
  ...['scheduledat', 'scheduledfor', 'scheduleddate', 'eventdate', 'departureat', 'departuretime'],
];

/** Words for entries that are past their due date, without uppercase letters and separators. */
const OVERDUE = ['overdue', 'pastdue', 'late', 'expired'];

/** Returns whether a name is a word for entries that are past their due date, such as `overdue` or `pastDue`. */
export function isOverdueWord(name: string): boolean {
  return OVERDUE.includes(normalizeName(name));
}

/** Returns whether a property has the date until which something must be done, or at which it begins. */
export function isDueName(name: string): boolean {
  return [...DUE_NAMES, ...START_NAMES].includes(normalizeName(name));
}

/** Names of the time at which an entry was deleted, without uppercase letters and separators. */
export const DELETED_NAMES = ['deletedat', 'deletedon', 'deletedtime', 'deletiondate', 'removedat'];

/** Matches words for some entries of a list, which only a property of the entries can tell from the others. */
const SELECTIONS =
  /^(?:expiring|upcoming|future|past|previous|lowstock|outofstock|archived|deleted|trash|trashed|(?:subscriptions?|following|followed|friends?)(?:feed|timeline|posts))$/;

/** Returns whether the last segment of a path is a word for some entries of a list, such as `overdue`. */
export function namesSelection(path: string): boolean {
  const word = getLastSegment(path);
  return isOverdueWord(word) || SELECTIONS.test(normalizeName(word));
}

/**
 * Returns which entries a path shows, and in which order, by the words in the path.
 * Returns undefined if the path shows all entries.
 */
export function findView(reader: SchemaReader, resource: Viewed, path: string): View | undefined {
  const view = readView(reader, resource, path);
  const isAll = view.values.length + view.times.length === 0 && !view.order;
  return isAll ? undefined : view;
}

type Viewed = Pick<Resource, 'schema' | 'singular'>;

function readView(reader: SchemaReader, { schema, singular }: Viewed, path: string): View {
  const segment = getLastSegment(path);
  const word = normalizeName(segment);
  const find = (names: readonly string[]) => findNamed(reader, schema, names);
  const view = { values: [], times: [], order: undefined };
  // The value of a property, such as the status `overdue`, says more than a date.
  // `/admin/users` shows all users, although the role of some is `user`, and the path `/teams/{teamId}/members` has the
  // members of a team, whatever their role is.
  const isClass = !path.includes('{') && normalizeName(toSingular(segment)) !== normalizeName(singular);
  const named = isClass ? findClassValue(reader, schema, segment) : undefined;
  const state = findStateValue(reader, schema, segment) ?? named;
  if (state) return { ...view, values: [{ ...state, isEqual: true }] };
  const due = find(DUE_NAMES);
  if (due !== undefined && (isOverdueWord(word) || word === 'past')) return createOverdueView(reader, schema, due);
  if (due !== undefined && /^(?:upcoming|future|due|active)$/.test(word))
    return { ...view, times: [{ property: due, comparison: 'least' }] };
  const start = find(START_NAMES);
  if (start !== undefined && /^(?:upcoming|future|past|previous)$/.test(word))
    return {
      ...view,
      times: [{ property: start, comparison: /^(?:upcoming|future)$/.test(word) ? 'least' : 'below' }],
    };
  const deleted = find(DELETED_NAMES);
  if (deleted !== undefined && /^(?:deleted|trash|trashed|recyclebin)$/.test(word))
    return { ...view, times: [{ property: deleted, comparison: 'below' }] };
  const created = findCreatedName([...reader.getProperties(schema).keys()]);
  if (created !== undefined && /^(?:recent|latest|newest|new)$/.test(word))
    return { ...view, order: { property: created, isDescending: true } };
  const popular = find(POPULAR_NAMES);
  if (popular !== undefined && /^(?:popular|top|trending|best|favou?rites)$/.test(word))
    return { ...view, order: { property: popular, isDescending: true } };
  return view;
}

/** Returns the property of entries with the first of some names. */
function findNamed(reader: SchemaReader, schema: string, names: readonly string[]): string | undefined {
  const known = [...listEntryProperties(reader, schema).keys()];
  return names
    .map((name) => known.find((property) => normalizeProperty(property) === name))
    .find((property) => property !== undefined);
}

/** Returns the property of entries with the date until which something must be done, such as `dueDate`. */
export function findDue(reader: SchemaReader, schema: string): string | undefined {
  return schema === '' ? undefined : findNamed(reader, schema, DUE_NAMES);
}

/** Returns the view of the entries that are past their due date and not in a final state. */
export function createOverdueView(reader: SchemaReader, schema: string, due: string): View {
  return { values: listNotEnded(reader, schema), times: [{ property: due, comparison: 'below' }], order: undefined };
}

/** Returns whether a view shows deleted entries, as `/tasks/trash` does. */
export function showsDeleted({ times }: View): boolean {
  return times.some(({ property }) => DELETED_NAMES.includes(normalizeProperty(property)));
}
