import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer, toNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeName } from '../util/names.ts';
import { PAGING_NAMES } from '../util/pages.ts';
import { limitList } from '../util/text.ts';
import type { ReceivedResponse } from './exchange.ts';
import { findId, findLists, isPathValue } from './ids.ts';
import { isCursor, type RequestValues, validateValues, withParameter } from './requests.ts';
import { type Confidence, createViolation, type RuleName } from './rules.ts';
import type { Rule } from './session.ts';

/**
 * A request that creates or updates a resource.
 * `route`: its operation.
 * `sent`: the request body.
 * `returned`: the response body.
 * `before`: the resource before an update; undefined for a new resource.
 * `read`: the operation that reads the resource.
 */
interface Change {
  readonly route: Route;
  readonly read: Route;
  readonly sent: unknown;
  readonly before: unknown;
  readonly returned: unknown;
  /** Returns whether the contract allows `body` in the response to this request. */
  canReturn(body: unknown): boolean;
}

/**
 * Creates a rule for the first read of a resource after it was created or updated.
 * Each property that the client sent must have the value from the response to that change.
 * The value can differ from the sent value, because a server may normalize values.
 * Ignores values that the contract does not allow in the response to the change.
 * After an update with new values, at least one property must have changed.
 */
export function createStoredRule({ read, ...change }: Change): Rule {
  const before = getEntry(read, change.before);
  const returned = getEntry(read, change.returned);
  const { operationId } = change.route;
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(read, body);
    const sent = unwrap(change.sent, entry);
    const names = Object.keys(sent).filter((name) => isScalar(entry[name]) && isScalar(sent[name]));
    const isComparable = (name: string) =>
      change.canReturn(replaceObject(change.returned, returned, { ...returned, [name]: entry[name] }));
    const lost = names.find((name) => isScalar(returned[name]) && returned[name] !== entry[name] && isComparable(name));
    const violate = (property: string | undefined, message: string) => [
      createViolation('stored-change', { message, pointer, property }),
    ];
    if (lost !== undefined)
      return violate(
        lost,
        `${lost} is ${JSON.stringify(entry[lost])}, but the response to ${operationId} contained ${JSON.stringify(returned[lost])}: store what the response shows`,
      );
    const changed = change.before === undefined ? [] : names.filter((name) => sent[name] !== before[name]);
    const isUnchanged = changed.length > 0 && changed.every((name) => entry[name] === before[name]);
    return isUnchanged
      ? violate(changed[0], `${operationId} with other values of ${changed.join(', ')} succeeded, but changed nothing`)
      : [];
  };
}

/**
 * Creates a rule for the first read of a resource after an update.
 * If the update has changed a sent property, the `ETag` must have changed too (RFC 9110, section 8.8.3).
 * `before`: the response that read the resource before.
 */
export function createVersionRule(read: Route, sentBody: unknown, before: ReceivedResponse | undefined): Rule {
  return ({ pointer }, { response }) => {
    const { etag } = response.headers;
    // A weak ETag can stay the same after a change that does not matter.
    if (!before || etag === undefined || etag.startsWith('W/') || before.headers.etag !== etag) return [];
    if (response.status !== 200) return [];
    const [old, entry] = [getEntry(read, before.body), getEntry(read, response.body)];
    const names = Object.keys(unwrap(sentBody, entry));
    const changed = names.find((name) => isScalar(entry[name]) && isScalar(old[name]) && entry[name] !== old[name]);
    if (changed === undefined) return [];
    const message = `The ETag is still ${etag}, although ${changed} has changed from ${JSON.stringify(old[changed])} to ${JSON.stringify(entry[changed])}: send another ETag after each change`;
    return [createViolation('etag-changes', { message, pointer })];
  };
}

/**
 * Creates a rule for the first read of a resource after an action: the changes that its response shows are stored.
 * `shown`: the changed properties in the response to the action.
 */
export function createActionRule(
  read: Route,
  { action, before, shown }: { readonly action: Route; readonly before: Node; readonly shown: Node },
): Rule {
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(read, body);
    const lost = Object.keys(shown).find((name) => isScalar(shown[name]) && entry[name] === before[name]);
    if (lost === undefined) return [];
    const message = `${lost} is ${JSON.stringify(entry[lost])}, but the response to ${action.operationId} contained ${JSON.stringify(shown[lost])}`;
    return [createViolation('stored-change', { message, pointer, property: lost })];
  };
}

/**
 * Creates a rule for the first read of a resource after a PATCH with some properties (`sent`).
 * The other properties that requests can have (`known`) must be the same as before.
 */
export function createKeptRule(
  read: Route,
  {
    update,
    sent,
    known,
    before,
    confidence,
  }: {
    readonly update: Route;
    readonly sent: readonly string[];
    readonly known: readonly string[];
    readonly before: Node;
    readonly confidence: Confidence;
  },
): Rule {
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(read, body);
    const others = known.filter((name) => !sent.includes(name) && before[name] !== undefined);
    const lost = others.filter((name) => !isSameValue(entry[name], before[name]));
    if (lost.length === 0) return [];
    const changes = limitList(lost, MAX_LOST, (name) => describeLoss(name, before[name], entry[name]));
    const message = `${update.operationId} with only ${sent.join(', ')} in the body also ${changes.join(' and ')}: keep the properties that the body omits`;
    return [createViolation('patch-keeps', { message, pointer, confidence, property: lost[0], causedBy: update })];
  };
}

/** The maximum number of changed properties in a message. */
const MAX_LOST = 5;

/** The maximum length of a value in a list of changes, in characters. */
const MAX_VALUE_LENGTH = 60;

function describeLoss(name: string, before: unknown, now: unknown): string {
  const old = quoteStart(before);
  return now === undefined ? `removed ${name} (${old})` : `changed ${name} from ${old} to ${quoteStart(now)}`;
}

function quoteStart(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > MAX_VALUE_LENGTH ? `${json.slice(0, MAX_VALUE_LENGTH)}…` : json;
}

/**
 * Creates a rule for the first read of a resource after a PATCH with `null` for some properties (`names`).
 * None of them must have the same value as before, or be an empty text (RFC 7396).
 */
export function createNullRule(
  read: Route,
  {
    update,
    names,
    before,
    confidence,
  }: {
    readonly update: Route;
    readonly names: readonly string[];
    readonly before: Node;
    readonly confidence: Confidence;
  },
): Rule {
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(read, body);
    // An empty text is another value than null (RFC 7396).
    const isKept = (name: string) => isSameValue(entry[name], before[name]) || entry[name] === '';
    const kept = names.find(isKept);
    if (kept === undefined) return [];
    const asBefore = isSameValue(entry[kept], before[kept]) ? ', as before' : '';
    const message = `${kept} is ${JSON.stringify(entry[kept])} after ${update.operationId} with ${kept}: null${asBefore}. Remove the value, or set it to null (RFC 7396)`;
    return [createViolation('null-removes', { message, pointer, confidence, property: kept, causedBy: update })];
  };
}

/**
 * Creates a rule for the first read of a resource after a PUT without some optional properties (`omitted`).
 * None of them must have the same value as before (RFC 9110, section 9.3.4).
 */
export function createReplacedRule(
  read: Route,
  { update, omitted, before }: { readonly update: Route; readonly omitted: readonly string[]; readonly before: Node },
): Rule {
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(read, body);
    const kept = omitted.filter((name) => isSameValue(entry[name], before[name]));
    if (kept.length === 0) return [];
    const values = kept.length === 1 ? 'its value' : 'their values';
    const message = `${update.operationId} without ${kept.join(', ')} kept ${values}: a PUT replaces the whole resource (RFC 9110, section 9.3.4)`;
    return [createViolation('put-replaces', { message, pointer, property: kept[0], causedBy: update })];
  };
}

/** Returns whether two JSON values are equal. The order of properties matters. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Returns the object with the properties of a resource in a response body.
 * `read`: the operation that reads the resource.
 */
export function getEntry(read: Route, body: unknown): Node {
  const entry = findId(read.pathNames.at(-1) ?? '', body)?.entry ?? toNode(body);
  // In JSON:API, `attributes` contains the properties of a resource.
  return isNode(entry.attributes) ? entry.attributes : entry;
}

/** Returns a copy of `value`. Replaces the object `old` in it with `replacement`, at any depth. */
export function replaceObject(value: unknown, old: Node, replacement: Node): unknown {
  if (value === old) return replacement;
  if (Array.isArray(value)) return value.map((entry) => replaceObject(entry, old, replacement));
  if (!isNode(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, replaceObject(one, old, replacement)]));
}

/**
 * Returns the resource in a request body, without a wrapper: the inner object of `{ "pet": { … } }`.
 * A property that the stored resource (`entry`) also has is not a wrapper.
 */
export function unwrap(body: unknown, entry: Node): Node {
  const [only, ...others] = Object.entries(toNode(body));
  const isWrapper = only && others.length === 0 && !Object.hasOwn(entry, only[0]);
  return isWrapper && isNode(only[1]) ? only[1] : toNode(body);
}

/** Matches names and values that mark a deleted resource. */
const DELETION =
  /delet|remov|archiv|cancel|inactiv|deactiv|disabl|discard|trash|clos|revok|terminat|expir|retire|withdrawn|\bended|\bvoid/i;

/** Matches the summary of an operation that marks a resource instead of deleting it. */
const MARKING = /\bsoft[- ]?delet|\bdeactivat|\barchiv|\bdisabl/i;

/** Matches the name of a flag of resources that are not marked as deleted, without uppercase letters and separators. */
const ACTIVE = /^(?:is)?(?:active|enabled)$/;

/**
 * Returns whether a resource that can still be read is marked as deleted: since the last read before the deletion, a
 * property with such a name or such a value has changed, or a boolean.
 * If the summary of the deletion says that it deactivates the resource, the check can have set its flag `active` to
 * false before.
 * `sent`: the body that created the resource.
 * `created`, `before`, `after`: the responses to the first read, to the last one before the deletion, and to one after
 * it.
 */
export function isMarkedDeleted(
  { normalized }: Contract,
  { read, remove }: { readonly read: Route; readonly remove: Route },
  { sent, created, before, after }: Readonly<Record<'sent' | 'created' | 'before' | 'after', unknown>>,
): boolean {
  const [first, old, current] = [getEntry(read, created), getEntry(read, before), getEntry(read, after)];
  const { summary } = toNode(getNode(normalized, remove.pointer));
  const isMarking = typeof summary === 'string' && MARKING.test(summary);
  const isSetByCheck = (name: string) => first[name] === true || unwrap(sent, first)[name] === false;
  return Object.entries(current).some(([name, value]) => {
    if (isMarking && value === false && ACTIVE.test(normalizeName(name)) && isSetByCheck(name)) return true;
    if (JSON.stringify(value) === JSON.stringify(old[name])) return false;
    return typeof value === 'boolean' || DELETION.test(name) || (typeof value === 'string' && DELETION.test(value));
  });
}

/** Returns whether a value is a text, a number or a boolean. */
export function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * Creates a rule for responses to read requests.
 * A response violates the rule if `isWrong` returns true.
 * `name`: the name of the rule.
 * `resource`: describes the resource, as in "the resource that deletePet deleted".
 */
export function createReadRule(
  isWrong: (response: ReceivedResponse) => boolean,
  name: RuleName,
  resource: string,
): Rule {
  return ({ pointer }, { response }) => {
    const message = `Status ${response.status} for ${resource}`;
    return isWrong(response) ? [createViolation(name, { message, pointer })] : [];
  };
}

/** Returns whether an operation documents a status by its number. */
export function documents({ responses }: Route, status: number): boolean {
  return responses.some(({ name }) => name === String(status));
}

/** Returns whether the status of a response means that the resource does not exist. */
export function isMissing({ status }: ReceivedResponse): boolean {
  return status === 404 || status === 410;
}

/** Matches the time in a description of how late a list can be: `within 5 seconds`, `up to 300 ms`. */
const DELAY =
  /\b(?:within|up to|at most|after|for|about|every|by)\s+(?:about\s+|a maximum of\s+)?(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|min|minutes?|h|hours?)\b/i;

/** Matches a word for lists that are late. Other sentences have durations of something else, such as a booking. */
const LATE =
  /\b(?:late|later|lags?|behind|delay(?:s|ed)?|stale|eventual(?:ly)?|consisten(?:t|cy)|cached?|refresh(?:es|ed)?|updated?|visible|appears?|indexed)\b/i;

/** The number of ms of each unit of time, by the start of its name. */
const UNITS = { ms: 1, milli: 1, s: 1_000, min: 60_000, h: 3_600_000 };

/** Returns how late a list can be, in ms: what its description says, otherwise 0. */
export function getListDelayMs({ normalized }: Contract, list: Route): number {
  const { summary, description } = toNode(getNode(normalized, list.pointer));
  const response = list.responses.find(({ name }) => name === String(list.successStatus));
  const texts = [summary, description, toNode(getNode(normalized, response?.pointer ?? '')).description];
  const sentences = texts.flatMap((text) => (typeof text === 'string' ? text.split(/[.;]\s|\n/) : []));
  const [, number, unit = ''] = DELAY.exec(sentences.find((one) => LATE.test(one) && DELAY.test(one)) ?? '') ?? [];
  const [, unitMs = 0] = Object.entries(UNITS).find(([start]) => unit.toLowerCase().startsWith(start)) ?? [];
  return number === undefined ? 0 : Number(number) * unitMs;
}

/** Names of query parameters that set the page size, in lower case and without separators: `pagesize`. */
const LIMIT_NAMES: readonly string[] = [...PAGING_NAMES.limit, 'maxitems'];

/**
 * Names of query parameters that select a page by its number or position, in lower case and without separators:
 * `pagenumber`.
 */
const PAGE_NAMES: readonly string[] = [...PAGING_NAMES.page, ...PAGING_NAMES.offset];

/** The page size that the check requests if the contract has no maximum. */
const MAX_LIMIT = 1_000;

/**
 * The assumed page size if the request does not set one.
 * A first page with fewer resources counts as the whole list.
 */
const MIN_PAGE_SIZE = 10;

/** Returns whether a parameter sets the page size. */
export function isLimit({ name, in: location }: Parameter): boolean {
  return location === 'query' && LIMIT_NAMES.includes(normalizeName(name));
}

/** Returns whether a parameter selects a page by its number or position. */
export function isPagePosition({ name, in: location }: Parameter): boolean {
  return location === 'query' && PAGE_NAMES.includes(normalizeName(name));
}

/**
 * Returns a request for a list, with the largest page size that the contract allows.
 * `values`: a request with the required parameters.
 * Returns undefined if another query parameter is required, because it may filter the list.
 */
export function createListRequest(
  contract: Contract,
  list: Route,
  values: RequestValues | undefined,
): RequestValues | undefined {
  const isFiltered = list.parameters.some((one) => one.in === 'query' && one.isRequired && !isLimit(one));
  if (!values || isFiltered) return undefined;
  const limit = list.parameters.find(isLimit);
  if (!limit) return values;
  const plain = contract.normalized;
  const maximum = getNode(plain, `${resolvePointer(plain, limit.schema)}/maximum`);
  const changed = withParameter(values, limit, typeof maximum === 'number' ? maximum : MAX_LIMIT);
  return changed && validateValues(contract, list, changed).kind === 'call' ? changed : values;
}

/**
 * Returns whether the list in a response contains the resource `id`.
 * Returns undefined if this is unknown: the response has no list, its entries have no recognizable ids, or the resource
 * can be on another page.
 */
export function isListed(
  { list, values, parameter }: { readonly list: Route; readonly values: RequestValues; readonly parameter: string },
  id: unknown,
  { body, headers }: ReceivedResponse,
): boolean | undefined {
  const lists = findLists(body);
  const entries = lists.flat();
  const ids = entries.map((entry) => findId(parameter, entry)?.id);
  if (ids.some((one) => isSame(one, id))) return true;
  const isMentioned = entries.some((entry) => Object.values(entry).some((value) => isSame(value, id)));
  const hasNoIds = entries.length > 0 && ids.every((one) => one === undefined);
  if (lists.length === 0 || hasNoIds || isMentioned || headers.link?.includes('next')) return undefined;
  const count = Math.max(...lists.map(({ length }) => length));
  const limit = list.parameters.find(isLimit);
  const isPaged = limit || list.parameters.some((one) => isCursor(one) || PAGE_NAMES.includes(normalizeName(one.name)));
  const pageSize = Number((limit && values.query[limit.name]) ?? MIN_PAGE_SIZE);
  return isPaged && count >= pageSize ? undefined : false;
}

/** Returns whether the resource in a response body has the value `id` in any of its properties. */
export function containsId(parameter: string, id: unknown, body: unknown): boolean {
  const found = findId(parameter, body);
  return found !== undefined && [found.id, ...Object.values(found.entry)].some((value) => isSame(value, id));
}

function isSame(value: unknown, id: unknown): boolean {
  return isPathValue(value) && String(value) === String(id);
}
