import { normalizeName, toSingular } from '../../util/names.ts';
import { getPropertySchema, listEntryProperties, normalizeProperty } from '../document/entry-properties.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { listParticiples, listRomanceTimes } from '../document/verb-forms.ts';

/**
 * Words for the same state of an entry, without uppercase letters and separators: verbs in paths, such as `complete`,
 * and values of properties, such as `done`.
 */
const SYNONYMS: readonly (readonly string[])[] = [
  ['complete', 'completed', 'finish', 'finished', 'done', 'checked'],
  ['cancel', 'cancelled', 'canceled'],
  ['publish', 'published', 'live'],
  ['open', 'reopen', 'reopened', 'opened', 'todo', 'active'],
  ['start', 'started', 'inprogress', 'doing', 'running', 'active'],
  ['resume', 'resumed', 'running', 'active', 'inprogress'],
  ['stop', 'stopped', 'halted'],
  ['pause', 'paused', 'onhold', 'hold'],
  ['approve', 'approved'],
  ['reject', 'rejected', 'declined', 'denied'],
  ['decline', 'declined', 'rejected'],
  ['accept', 'accepted', 'approved'],
  ['pay', 'paid'],
  ['ship', 'shipped', 'sent'],
  ['send', 'sent'],
  ['close', 'closed', 'resolved'],
  ['resolve', 'resolved', 'closed', 'fixed'],
  ['activate', 'activated', 'active', 'enabled'],
  ['deactivate', 'deactivated', 'inactive', 'disabled'],
  ['enable', 'enabled', 'active'],
  ['disable', 'disabled', 'inactive'],
  ['suspend', 'suspended', 'blocked'],
  ['block', 'blocked', 'suspended', 'banned'],
  ['ban', 'banned', 'blocked'],
  ['favorite', 'favorited', 'favourite', 'favourited'],
  ['read', 'seen'],
  ['win', 'won'],
  ['lose', 'lost'],
  ['withdraw', 'withdrawn'],
  ['review', 'reviewed', 'inreview'],
  ['schedule', 'scheduled', 'planned'],
  ['hide', 'hidden'],
];

/** Returns whether a segment of a path is a verb that leads to a state, such as `cancel`. */
export function isStateVerb(segment: string): boolean {
  return SYNONYMS.some(([verb]) => verb === normalizeName(segment));
}

/** Words in a segment that do not name a state: `mark-as-read` means `read`. */
const FILLERS = /^(?:mark|set|make|as|is|to|be)(?=[A-Z_-])|[_-](?:as|to)(?=[_-])/;

/** Returns words for the state that a word names, the best first: `completed` and `done` for `complete`. */
export function listStateWords(word: string): readonly string[] {
  const own = normalizeName(word);
  const stem = own.replace(/e$/, '');
  const inflected = [
    own,
    `${stem}ed`,
    `${own}ed`,
    `${own}${own.at(-1)}ed`,
    `${own.replace(/y$/, 'i')}ed`,
    `${stem}ing`,
  ];
  // `check-in` is `checked_in`.
  const [, verb = '', particle = ''] = /^([a-z]+)[_-]?(in|out|up|off)$/i.exec(word) ?? [];
  const phrasal = verb === '' ? [] : [`${verb.toLowerCase()}ed${particle.toLowerCase()}`];
  const same = SYNONYMS.filter((group) => group[0] === own || (group.slice(1).includes(own) && own !== 'active'));
  return [...new Set([...inflected, ...phrasal, ...same.flat(), ...listParticiples(own)])];
}

/**
 * Returns a verb and the nouns that it can have: `cancel`, `cancelling` and `cancellation`.
 * Some of the words don't exist, but no property has their names either.
 */
export function listActionWords(segment: string): readonly string[] {
  const own = normalizeName(removeFillers(segment));
  const stem = own.replace(/e$/, '');
  const ends = ['ation', 'lation', 'ion', 'al', 'ment', 'ure', 'ing'];
  const changed = [/y$/, /nd$/, /lve$/, /it$/].map((end, index) =>
    own.replace(end, ['ial', 'nsion', 'lution', 'ission'][index] ?? ''),
  );
  return [...new Set([own, ...ends.flatMap((end) => [own + end, stem + end]), ...changed])];
}

/** Removes the words that do not name a state from a segment: `mark-as-read` becomes `read`. */
export function removeFillers(segment: string): string {
  let rest = segment;
  for (let shorter = rest.replace(FILLERS, ''); shorter !== rest; shorter = rest.replace(FILLERS, ''))
    rest = shorter.replace(/^[_-]+/, '');
  return rest;
}

/** A value of a property that stands for a state, such as `status: 'done'` or `archived: true`. */
export interface StateValue {
  readonly property: string;
  readonly value: unknown;
}

/** Names of properties with the main state of an entry, without uppercase letters and separators. */
export const STATE_PROPERTIES = ['status', 'state', 'stage', 'phase', 'statut', 'etat', 'estado', 'stato'];

/** Matches the names of properties that say what an entry is, and not in which state it is. */
export const CLASSES = /(?:type|kind|category|role|gender|language|currency|unit)$/;

/**
 * Returns the value of a property that a word names: `complete` names `status: 'done'`, and `archive` names
 * `archived: true`.
 * A verb that takes a state back, such as `unarchive`, names the value false.
 * Returns undefined if no property has such a value, or if several have one.
 * `schema`: the JSON Pointer of the schema of an entry.
 */
export function findStateValue(reader: SchemaReader, schema: string, segment: string): StateValue | undefined {
  const word = removeFillers(segment);
  const named = findNamedValue(reader, schema, word);
  if (named) return named;
  // `read` takes back what `unread` says.
  const negated = listStateWords(word).map((one) => `un${one}`);
  const undone = findBoolean(reader, schema, [...listOpposites(segment).flatMap(listStateWords), ...negated]);
  if (undone !== undefined) return { property: undone, value: false };
  const opposite = removeNegation(word);
  return opposite === undefined ? undefined : findOtherOfTwo(reader, schema, opposite);
}

/**
 * Returns the value of a property that says what an entry is, such as `role: 'business'`, if a segment of a path has
 * exactly its name or its plural, and no other property has it.
 */
export function findClassValue(reader: SchemaReader, schema: string, segment: string): StateValue | undefined {
  const words = [segment, toSingular(segment)].map(normalizeName);
  const found = [...listEntryProperties(reader, schema)].flatMap(([property, pointer]): readonly StateValue[] => {
    const values = reader.getKeyword(pointer, 'enum');
    const named = Array.isArray(values) ? values.filter((value) => words.includes(normalizeName(String(value)))) : [];
    return CLASSES.test(normalizeProperty(property)) && named.length === 1 ? [{ property, value: named[0] }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the rest of a verb that starts with a negation: `archive` for `unarchive`. */
export function removeNegation(word: string): string | undefined {
  return /^(?:un|dis|de)[_-]?(\w{3,})$/i.exec(word)?.[1];
}

/** Returns the verbs whose effects a verb takes back: `archive` for `unarchive`, and `hide` for `show`. */
export function listOpposites(segment: string): readonly string[] {
  const word = removeFillers(segment);
  return [removeNegation(word) ?? [], OPPOSITES.get(normalizeName(word)) ?? []].flat();
}

/** Verbs that take a state back. */
const OPPOSITES: ReadonlyMap<string, readonly string[]> = new Map([
  ['disable', ['enable']],
  ['restore', ['archive', 'delete', 'trash']],
  ['show', ['hide']],
  ['resume', ['pause']],
]);

/** Returns the other value of a property with two values: `draft` for `unpublish`. */
function findOtherOfTwo(reader: SchemaReader, schema: string, opposite: string): StateValue | undefined {
  const found = findNamedValue(reader, schema, opposite);
  const values = found && reader.getKeyword(getPropertySchema(reader, schema, found.property) ?? '', 'enum');
  const others = Array.isArray(values) ? values.filter((value) => value !== found?.value) : [];
  return found && others.length === 1 ? { property: found.property, value: others[0] } : undefined;
}

/**
 * Returns the further values that follow from the state which a word names: for `pay` with `status: 'paid'`, also
 * `isPaid: true` and `paymentStatus: 'paid'`.
 * `main`: the property that has the state.
 */
export function findFollowingValues(
  reader: SchemaReader,
  schema: string,
  segment: string,
  main: string,
): readonly StateValue[] {
  const word = normalizeName(removeFillers(segment));
  const words = listStateWords(word);
  const stem = word.replace(/e$/, '');
  return [...listEntryProperties(reader, schema)].flatMap(([property, pointer]): readonly StateValue[] => {
    const name = normalizeProperty(property);
    if (property === main) return [];
    if (reader.getTypes(pointer).includes('boolean')) {
      const isNamed = words.some((one) => [one, `is${one}`].includes(name));
      return isNamed ? [{ property, value: true }] : [];
    }
    if (stem.length < 3 || !name.startsWith(stem) || !/(?:status|state)$/.test(name)) return [];
    const values = reader.getKeyword(pointer, 'enum');
    const texts = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
    const value = words
      .map((one) => texts.find((text) => normalizeName(text) === one))
      .find((text) => text !== undefined);
    return value === undefined ? [] : [{ property, value }];
  });
}

/** Returns the state of entries that has exactly the name of a number, such as `done` or `isDone`. */
export function findExactState(reader: SchemaReader, schema: string, property: string): StateValue | undefined {
  const found = schema === '' ? undefined : findStateValue(reader, schema, property);
  const name = normalizeName(property);
  const isExact =
    typeof found?.value === 'boolean'
      ? [name, `is${name}`].includes(normalizeProperty(found.property))
      : normalizeName(String(found?.value)) === name;
  return isExact ? found : undefined;
}

/** Words for entries that are not done, without uppercase letters and separators. */
const NOT_DONE = [
  'open',
  'remaining',
  'incomplete',
  'uncompleted',
  'unfinished',
  'outstanding',
  'undone',
  'unresolved',
];

/**
 * Returns the state of the entries that a number such as `openTaskCount` counts. Without a state of this name, `open`
 * means all entries that are not done: those without the states `not`.
 */
export function findCountedState(
  reader: SchemaReader,
  schema: string,
  word: string,
): (StateValue & { readonly not?: readonly unknown[] }) | undefined {
  return findExactState(reader, schema, word) ?? findOpen(reader, schema, word) ?? findStateValue(reader, schema, word);
}

/** Returns the states that entries which are not done lack, if a word such as `open` or `unfinished` means these. */
export function findOpen(
  reader: SchemaReader,
  schema: string,
  word: string,
): (StateValue & { readonly not: readonly unknown[] }) | undefined {
  const done = NOT_DONE.includes(normalizeName(word)) ? findDone(reader, schema) : undefined;
  if (!done) return undefined;
  const values = reader.getKeyword(getPropertySchema(reader, schema, done.property) ?? '', 'enum');
  // A cancelled entry is not open either.
  const ended = Array.isArray(values) ? values.filter((value) => value !== done.value && isLaterState(value)) : [];
  return { ...done, not: [done.value, ...ended] };
}

/** Returns the state of entries that are done, such as `status: 'completed'` or `resolved: true`. */
export function findDone(reader: SchemaReader, schema: string): StateValue | undefined {
  return schema === ''
    ? undefined
    : (findStateValue(reader, schema, 'complete') ?? findStateValue(reader, schema, 'close'));
}

/** Matches states in which an entry has ended, although it could go on later, without uppercase letters. */
const INTERRUPTED = /^(?:expired|failed|noshow|suspended|blocked|banned)$/;

/** Names of the time at which an entry ends, without uppercase letters and separators. */
const END_TIMES = ['completedat', 'finishedat', 'closedat', 'resolvedat', 'returnedat', 'paidat', 'returndate'];

/** Returns the values of the entries that are in no final state, such as `done`, `cancelled` or `paid`. */
export function listNotEnded(
  reader: SchemaReader,
  schema: string,
): readonly (StateValue & { readonly isEqual: boolean })[] {
  const properties = [...listEntryProperties(reader, schema)];
  const isFinal = (state: unknown) => {
    const name = normalizeName(String(state));
    return name === 'paid' || (isLaterState(state) && !INTERRUPTED.test(name));
  };
  const states = properties.flatMap(([property, pointer]) => {
    const values = reader.getKeyword(pointer, 'enum');
    const ended =
      STATE_PROPERTIES.includes(normalizeProperty(property)) && Array.isArray(values) ? values.filter(isFinal) : [];
    return ended.map((value) => ({ property, value, isEqual: false }));
  });
  const done = findStateValue(reader, schema, 'complete') ?? findStateValue(reader, schema, 'pay');
  if (states.length > 0 || done) return states.length > 0 ? states : done ? [{ ...done, isEqual: false }] : [];
  const time = properties.find(([property]) => END_TIMES.includes(normalizeProperty(property)));
  return time ? [{ property: time[0], value: null, isEqual: true }] : [];
}

function findNamedValue(reader: SchemaReader, schema: string, word: string): StateValue | undefined {
  const words = listStateWords(word);
  const properties = [...listEntryProperties(reader, schema)];
  const found = properties.flatMap(([property, pointer]): readonly StateValue[] => {
    const values = reader.getKeyword(pointer, 'enum');
    const texts = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
    if (CLASSES.test(normalizeProperty(property))) return [];
    const best = words.map((one) => texts.find((text) => normalizeName(text) === one));
    const value = best.find((text) => text !== undefined);
    return value === undefined ? [] : [{ property, value }];
  });
  const main = found.filter(({ property }) => STATE_PROPERTIES.includes(normalizeProperty(property)));
  const [only] = main.length > 0 ? main : found;
  if (only && (main.length > 0 || found.length === 1)) return only;
  const flag = found.length === 0 ? findBoolean(reader, schema, words) : undefined;
  return flag === undefined ? undefined : { property: flag, value: true };
}

/** Returns the name of the boolean property for a state: `archived` or `isArchived`. */
function findBoolean(reader: SchemaReader, schema: string, words: readonly string[]): string | undefined {
  const flags = [...listEntryProperties(reader, schema)].filter(([, pointer]) =>
    reader.getTypes(pointer).includes('boolean'),
  );
  const find = (word: string) => flags.find(([name]) => listFlagNames(word).includes(normalizeProperty(name)))?.[0];
  return words.map(find).find((name) => name !== undefined);
}

function listFlagNames(word: string): readonly string[] {
  return [word, `is${word}`, `has${word}`, `${word}flag`, `est${word}`, `esta${word}`];
}

/**
 * Returns the property with the time of a state, such as `completedAt` for `complete`.
 * Returns undefined if there is none.
 */
export function findStateTime(reader: SchemaReader, schema: string, segment: string): string | undefined {
  const names = listTimeNames(segment);
  const isTime = (pointer: string) =>
    ['date', 'date-time'].includes(String(reader.getKeyword(pointer, 'format'))) || reader.allowsNumber(pointer);
  const times = [...listEntryProperties(reader, schema)].filter(([, pointer]) => isTime(pointer));
  return names
    .map((name) => times.find(([property]) => normalizeProperty(property) === name)?.[0])
    .find((property) => property !== undefined);
}

/** Returns the names that the time of a state can have, the best first: `completedat` for `complete`. */
export function listTimeNames(segment: string): readonly string[] {
  const verb = removeFillers(segment);
  const words = listStateWords(verb);
  const ended = words.flatMap((word) => ['at', 'on', 'date', 'time'].map((end) => word + end));
  return [...ended, ...ended.map((name) => `last${name}`), ...listRomanceTimes(verb)];
}

/** Returns the integer property that counts an action: `likes`, `likeCount` or `likesCount` for `like`. */
export function findStateCounter(reader: SchemaReader, schema: string, segment: string): string | undefined {
  const word = normalizeName(removeFillers(segment));
  const plural = word.endsWith('s') ? word : `${word}s`;
  const names = [plural, `${word}count`, `${plural}count`, `numberof${plural}`, `total${plural}`];
  const integers = [...listEntryProperties(reader, schema)].filter(([, pointer]) => reader.allowsNumber(pointer));
  return integers.find(([name]) => names.includes(normalizeProperty(name)))?.[0];
}

/** Matches actions that lead back to an earlier state, without uppercase letters and separators. */
const UNDOES =
  /^(?:un(?!ite|ify|it)\w{3,}|undo|reopen|reactivate|reenable|reinstate|recover|resume|restore|reset|revert)/;

/** Returns whether an action leads back to an earlier state: `reopen`, `unpublish`. */
export function isUndo(verb: string): boolean {
  return UNDOES.test(normalizeName(removeFillers(verb)));
}

/** Final states in English, French, Spanish, Portuguese and German, without uppercase letters and separators. */
const ENDED = [
  'cancell?ed|rejected|declined|void(?:ed)?|withdrawn|refunded|deleted|done|completed?|finished',
  '(?:annul|refus|rejet|rembours|supprim|termin)ee?s?',
  '(?:cancel|anul|rechaz|rejeit|recus|reembols|elimin|termin|finaliz|complet)ad[oa]s?',
  '(?:exclu|conclu)id[oa]s?',
  'storniert|ab(?:gelehnt|gesagt|geschlossen)|beendet|erledigt|erstattet|gelo(?:e)?scht',
];

/** Further states in which no entry starts, but which some actions leave: `reopen` leaves `closed`. */
const LATER = [
  'denied|expired|failed|noshow|closed|resolved|delivered|returned|archived|checkedout|suspended|blocked|banned',
  '(?:clotur|ferm|archiv|expir|livr)ee?s?',
  '(?:cerr|fech|encerr|archiv|arquiv|expir|entreg)ad[oa]s?',
  'entregue|resol(?:ue?|vid[oa])|resuelt[oa]|vencid[oa]',
  'geschlossen|archiviert|abgelaufen|(?:aus)?geliefert|zuru(?:e)?ckgegeben',
];

const ENDED_STATE = new RegExp(`^(?:${ENDED.join('|')})$`);
const LATER_STATE = new RegExp(`^(?:${[...ENDED, ...LATER].join('|')})$`);

/** Returns whether a state is final: actions such as `confirm` are refused in it. */
export function isEnded(state: unknown): boolean {
  return ENDED_STATE.test(normalizeName(String(state)));
}

/** Returns whether no entry starts in a state. */
export function isLaterState(state: unknown): boolean {
  return LATER_STATE.test(normalizeName(String(state)));
}

/**
 * Returns the state in which entries start: the first one that no action sets.
 * `isSet`: returns whether an action leads to a state.
 */
export function findFirstState(states: readonly unknown[], isSet: (state: unknown) => boolean): unknown {
  const early = states.filter((state) => !isLaterState(state));
  return early.find((state) => !isSet(state)) ?? early[0] ?? states.find((state) => !isSet(state)) ?? states[0];
}
