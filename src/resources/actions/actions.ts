import { getNode, toNode } from '../../openapi/document.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { getPropertySchema, listEntryProperties, normalizeProperty } from '../document/entry-properties.ts';
import { getLastSegment, getParameterName, getParentPath, toTemplate } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { getProperty } from '../entries/entry-values.ts';
import { findUpload } from '../entries/uploads.ts';
import { indexEntrySchemas, indexReferences } from '../inference/references.ts';
import type { Effect, Inference, Resource } from '../resource.ts';
import { isSenderFlag } from '../users/sender-flags.ts';
import {
  type ActionBody,
  findCopies,
  listIgnoredProperties,
  readActionBody,
  sendsOwnTime,
  setsProperties,
  toEntryProperty,
} from './action-bodies.ts';
import { splitActionWords } from './describe-actions.ts';
import { findDescribedChange } from './described-states.ts';
import { findFollowingValues, findStateCounter, findStateTime, findStateValue, isUndo } from './states.ts';

/** The path of an action and its parts: `/tasks/{taskId}` and `complete`. */
interface ActionPath {
  readonly item: string;
  readonly verb: string;
}

/** Splits `/tasks/{taskId}/complete` and `/tasks/{taskId}:complete`. Returns undefined for a path without an action. */
export function splitActionPath(path: string): ActionPath | undefined {
  const last = getLastSegment(path);
  const [, parameter, verb] = /^(\{[^{}]+\}):([\w-]+)$/.exec(last) ?? [];
  if (parameter !== undefined && verb !== undefined) return { item: `${getParentPath(path)}/${parameter}`, verb };
  const item = getParentPath(toTemplate(path));
  const isItem = getParameterName(getLastSegment(item)) !== undefined;
  return isItem && getParameterName(last) === undefined ? { item, verb: last } : undefined;
}

/**
 * Returns what an action changes in an entry, as far as the document says it.
 * `complete` sets `status` to `done` if the schema has this value, `archived` to true, and `completedAt` to the current
 * time; `like` adds 1 to `likes`.
 * DELETE takes the action back.
 * `toggle` changes a boolean to its other value.
 * A body whose properties are those of the entry sets them.
 * Returns undefined if the document does not say what the action changes.
 */
export function findEffect(reader: SchemaReader, resource: Resource, route: Route, verb: string): Effect | undefined {
  const { schema } = resource;
  if (schema === '' || !['POST', 'PUT', 'PATCH', 'DELETE'].includes(route.method)) return undefined;
  const upload = findUpload(reader, resource, route, verb);
  if (upload) return upload;
  const isUndone = route.method === 'DELETE';
  const body = readActionBody(reader, resource, route);
  const isCopy = COPIES.test(normalizeName(verb)) || normalizeName(verb) === 'fork';
  // `POST /tasks/{taskId}/subtasks` creates something, although the server does not know what.
  const isCreation =
    route.method === 'POST' && (toSingular(verb) !== verb || isChildName(verb) || addsObject(reader, schema, verb));
  const isNew = isCreation || isCopy || route.successStatus === 201;
  const described = isNew || isUndone ? undefined : findDescribedChange(reader, resource, route);
  const all = addDescribed(findStates(reader, schema, verb), described);
  const known = isUndone ? all.map(({ property, value }) => findOtherValue(reader, schema, property, value)) : all;
  const time = sendsOwnTime(reader, resource, body) ? undefined : findTime(reader, schema, verb, described?.value);
  const steps = findSteps(reader, resource, route, body, verb);
  const counter = steps ? undefined : findStateCounter(reader, schema, verb);
  const isOther =
    isCopy ||
    NO_CHANGES.test(normalizeName(verb)) ||
    COMPUTES.test(verb) ||
    STEPS.has(getFirstWord(verb)) ||
    route.successStatus === 201 ||
    showsDocument(route);
  const readsBody = body && !isUndone && !isCreation && !isOther;
  const copies =
    readsBody && known.length + (time === undefined ? 0 : 1) > 0 ? findCopies(reader, resource, body, verb) : [];
  const setsBody = readsBody === true && setsProperties(reader, resource, route, { body, verb, copies });
  // What the client sends says more than the verb: `{ isDefault: false }`.
  const required = body && !isUndone ? body.required.map((name) => toEntryProperty(body, name)) : [];
  const values = known.filter(({ property }) => !required.includes(property));
  const toggled = known.length === 0 && !setsBody && !isUndone ? findToggled(reader, schema, route, verb) : undefined;
  if (toggled !== undefined) return { ...toggle(reader, schema, toggled), counter: undefined, setsBody: false };
  if (values.length === 0 && time === undefined && counter === undefined && !steps && !setsBody) return undefined;
  const effect: Effect = {
    values,
    time: time === undefined ? undefined : { property: time, isSet: !isUndone },
    counter: counter === undefined ? steps : { property: counter, step: isUndone ? -1 : 1 },
    setsBody,
    ...(copies.length > 0 ? { copies } : {}),
    ...(isUndone || isUndo(verb) ? { isUndo: true } : {}),
  };
  const ignored = listIgnoredProperties(reader, resource, body, effect);
  return ignored.length > 0 ? { ignored, ...effect } : effect;
}

/** Returns the property with the time of an action: `shippedAt` for `ship`, or for an action that sets `shipped`. */
function findTime(reader: SchemaReader, schema: string, verb: string, described: unknown): string | undefined {
  return (
    findStateTime(reader, schema, verb) ??
    (described === undefined ? undefined : findStateTime(reader, schema, String(described)))
  );
}

/** Returns the values that a verb names, with the one that the text of the operation says. */
function addDescribed(values: Effect['values'], described: Effect['values'][number] | undefined): Effect['values'] {
  return described ? [described, ...values.filter(({ property }) => property !== described.property)] : values;
}

/** Returns the values that a verb names, those that follow from others last. */
function findStates(reader: SchemaReader, schema: string, verb: string): Effect['values'] {
  const named = findStateValue(reader, schema, verb);
  if (!named) return [];
  const isFlag = typeof named.value === 'boolean' && isSenderFlag(named.property);
  // A boolean of the user who sends the request must be at the top of an entry.
  if (typeof named.value === 'boolean' && !isFlag && isSenderFlag(normalizeProperty(named.property))) return [];
  const hasOthers = !isFlag && named.value !== false;
  return [named, ...(hasOthers ? findFollowingValues(reader, schema, verb, named.property) : [])];
}

/** Verbs that give an entry to a user. */
const ASSIGN = /^(?:re)?assign$/;

/**
 * Returns the effect of an action that names the entry to which an entry belongs: `PUT /tasks/{taskId}/assignee` and
 * `POST /tasks/{taskId}/assign` with `{ "userId" }`. `DELETE` and `unassign` remove it.
 * Returns undefined if the entry has no property for it, such as `assigneeId` or `assignee`.
 */
export function findAssignment(
  reader: SchemaReader,
  inference: Pick<Inference, 'resources' | 'users'>,
  { schema }: Resource,
  route: Route,
  verb: string,
): Effect | undefined {
  const name = normalizeName(verb);
  const isRemoved = route.method === 'DELETE' || name === 'unassign';
  const role = ASSIGN.test(name) || name === 'unassign' ? 'assignee' : name;
  const names = [`${role}id`, role, ...(role === 'assignee' ? ['assignedtoid', 'assignedto', 'assigneduserid'] : [])];
  const [to, pointer] = [...reader.getProperties(schema)].find(([one]) => names.includes(normalizeName(one))) ?? [];
  if (to === undefined || pointer === undefined || !['POST', 'PUT', 'PATCH', 'DELETE'].includes(route.method))
    return undefined;
  const isObject = reader.isObject(pointer);
  const shown = isObject ? indexEntrySchemas(reader)(inference.resources).get(reader.resolve(pointer)) : undefined;
  const target =
    shown ?? indexReferences(inference).get(`${role}id`) ?? (role === 'assignee' ? inference.users : undefined);
  if (!target || (!isObject && !reader.isScalar(pointer))) return undefined;
  const from = isRemoved
    ? undefined
    : findSentName(reader, target, route, [...names, `${normalizeName(target.singular)}id`]);
  if (!isRemoved && from === undefined) return undefined;
  return { values: [], time: undefined, counter: undefined, setsBody: false, assigns: { from, to, isObject, target } };
}

/** Returns the only property of a request body if it names an entry by its id, or by a login such as `email`. */
function findSentName(
  reader: SchemaReader,
  target: Resource,
  route: Route,
  ids: readonly string[],
): string | undefined {
  const request = reader.getRequestSchema(route);
  const [[name, pointer] = [], ...others] = request === undefined ? [] : [...reader.getProperties(request)];
  if (name === undefined || pointer === undefined || others.length > 0 || !reader.isScalar(pointer)) return undefined;
  const own = normalizeName(name);
  return [...ids, 'id', 'email', 'username'].includes(own) && (own !== 'email' || findLogin(reader, target, name))
    ? name
    : undefined;
}

/** Returns the property of an entry with the name of a property in a request: `email`. */
export function findLogin(reader: SchemaReader, { schema }: Resource, name: string): string | undefined {
  return [...reader.getProperties(schema).keys()].find((one) => normalizeName(one) === normalizeName(name));
}

/** Verbs that add a number in the body to a number of the entry, or subtract it. */
const STEPS: ReadonlyMap<string, 1 | -1> = new Map([
  ...['increase', 'increment', 'add', 'deposit', 'restock', 'replenish'].map((verb) => [verb, 1] as const),
  ...['decrease', 'decrement', 'subtract', 'reduce', 'withdraw', 'consume'].map((verb) => [verb, -1] as const),
]);

function getFirstWord(verb: string): string {
  return splitActionWords(verb)[0] ?? '';
}

/**
 * Returns the number of an entry to which an action such as `decrease` adds the number in its body, or from which it
 * subtracts it.
 * The only number in the body must have the name of a number of the entry.
 */
function findSteps(
  reader: SchemaReader,
  { schema }: Resource,
  { method }: Route,
  body: ActionBody | undefined,
  verb: string,
): Effect['counter'] {
  const step = STEPS.get(getFirstWord(verb));
  if (step === undefined || !body || method === 'DELETE') return undefined;
  const [[name] = [], ...others] = [...body.properties].filter(([, pointer]) => reader.allowsNumber(pointer));
  if (name === undefined || others.length > 0) return undefined;
  const property = toEntryProperty(body, name);
  const known = listEntryProperties(reader, schema).get(property);
  return known !== undefined && reader.allowsNumber(known) ? { property, step, isSent: true } : undefined;
}

/** Returns whether the success response is only a page, a picture or a file, such as the preview of what is sent. */
function showsDocument({ responses, successStatus }: Route): boolean {
  const types = Object.keys(findResponse(responses, successStatus)?.media ?? {});
  return (
    types.length > 0 && types.every((type) => /^(?:text\/html|text\/markdown|image\/|application\/pdf)/i.test(type))
  );
}

/** Matches verbs of actions that create another entry with the properties of one, without separators. */
export const COPIES = /^(?:copy|duplicate|clone|copier|dupliquer|cloner|copiar|duplicar|clonar|kopieren|duplizieren)$/;

/** Matches verbs of actions that create another entry, or change nothing, whatever their body has. */
const NO_CHANGES =
  /^(?:add|create|copy|duplicate|clone|fork|check|validate|verify|preview|simulate|calculate|estimate|quote|report|notify|send|share|invite|test|export|import|download|print|search)$/;

/** Matches words of paths that compute something about an entry, such as `match-analysis`. */
const COMPUTES =
  /(?:^|[_-])(?:analy[sz]e|analysis|predict(?:ion)?|recommend(?:ation)?s?|suggest(?:ion)?s?|summari[sz]e|translate|similarity)$/i;

/** Returns whether a segment names the entries below an entry of the same kind: `/topics/{topicId}/children`. */
export function isChildName(segment: string): boolean {
  return /^(?:children|child|replies|reply|sub(?!ject|mi[st]|scri|sid|stitut|net)[_-]?\w{3,})$/i.test(segment);
}

/** Returns whether a verb names an object in a list of an entry: `comment` for `comments`. */
function addsObject(reader: SchemaReader, schema: string, verb: string): boolean {
  return [...reader.getProperties(schema)].some(([name, pointer]) => {
    const items = reader.getItems(pointer);
    return items !== undefined && reader.isObject(items) && normalizeName(toSingular(name)) === normalizeName(verb);
  });
}

/** Returns the value of a state that is taken back: false, the default value, or the first other value. */
function findOtherValue(reader: SchemaReader, schema: string, property: string, value: unknown) {
  if (typeof value === 'boolean') return { property, value: !value };
  const pointer = getPropertySchema(reader, schema, property) ?? '';
  const values = reader.getKeyword(pointer, 'enum');
  const others = Array.isArray(values) ? values.filter((one) => one !== value) : [];
  const initial = [reader.getKeyword(pointer, 'default')].find((one) => others.includes(one));
  return { property, value: initial ?? others[0] };
}

/**
 * Returns the boolean that an action such as `toggle` or `toggle-done` changes to its other value: the one that the
 * path or the summary names, else the only one.
 */
function findToggled(reader: SchemaReader, schema: string, route: Route, verb: string): string | undefined {
  const [, rest] = /^toggle[_-]?(.*)$/i.exec(verb) ?? [];
  if (rest === undefined) return undefined;
  const { summary, description } = toNode(getNode(reader.document, route.pointer));
  const words = rest === '' ? `${summary ?? ''} ${description ?? ''}`.split(/[^\p{L}]+/u) : [rest];
  const named = words.flatMap((word) => {
    const found = word.length < 4 ? undefined : findStateValue(reader, schema, word.replace(/ion$/, 'e'));
    return found?.value === true ? [found.property] : [];
  });
  const properties = [...listEntryProperties(reader, schema)];
  const flags = properties.filter(([, pointer]) => reader.getTypes(pointer).includes('boolean'));
  return named[0] ?? (rest === '' && flags.length === 1 ? flags[0]?.[0] : undefined);
}

/** Returns what changes with a boolean: itself, and a time such as `completedAt`. */
function toggle(reader: SchemaReader, schema: string, property: string): Pick<Effect, 'values' | 'time' | 'toggles'> {
  const name = property.slice(property.lastIndexOf('.') + 1);
  const time = findStateTime(reader, schema, name.replace(/^(?:is|has)(?=[A-Z_])_?/, ''));
  return { values: [], time: time === undefined ? undefined : { property: time, isSet: true }, toggles: property };
}

/**
 * Applies an action to an entry. Returns the properties that it changes; an empty object if it changes nothing.
 * `entry`: the entry as clients see it.
 * `now`: the current time in the form of the property for it.
 * `sent`: the request body.
 */
export function applyEffect(
  { values, time, clears = [], counter, toggles }: Effect,
  entry: Entry,
  now: unknown,
  sent: Entry = {},
): Entry {
  if (toggles !== undefined) {
    const isOn = getProperty(entry, toggles) !== true;
    return { [toggles]: isOn, ...(time ? { [time.property]: isOn ? now : null } : {}) };
  }
  const changed = values.filter(({ property, value }) => getProperty(entry, property) !== value);
  const isSetTime = time?.isSet === true && now !== undefined;
  const isDone = values.length > 0 && changed.length === 0;
  if (isDone) return {};
  const by = counter?.isSent ? Number(getProperty(sent, counter.property) ?? 0) : 1;
  const count = counter && Number(getProperty(entry, counter.property) ?? 0) + counter.step * by;
  return {
    ...Object.fromEntries(changed.map(({ property, value }) => [property, value])),
    ...(time && isSetTime ? { [time.property]: now } : {}),
    ...(time && !time.isSet ? { [time.property]: null } : {}),
    ...Object.fromEntries(clears.map((property) => [property, null])),
    ...(counter && count !== undefined ? { [counter.property]: counter.isSent ? count : Math.max(0, count) } : {}),
  };
}
