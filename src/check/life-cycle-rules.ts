import { isNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { ReceivedResponse } from './exchange.ts';
import { findId } from './ids.ts';
import type { Rule } from './session.ts';

/**
 * A request that creates or updates a resource.
 * `sent`: the request body.
 * `returned`: the response body.
 * `before`: the resource before an update; undefined for a new resource.
 * `read`: the operation that reads the resource.
 */
interface Change {
  readonly read: Route;
  readonly sent: unknown;
  readonly before: unknown;
  readonly returned: unknown;
  /** Returns whether the contract allows `body` in the response to this request. */
  canReturn(body: unknown): boolean;
}

/** The name of the rule that a read resource has the values of the preceding change. */
export const STORED_RULE = 'changes are stored';

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
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(read, body);
    const sent = unwrap(change.sent, entry);
    const names = Object.keys(sent).filter((name) => isScalar(entry[name]) && isScalar(sent[name]));
    const isComparable = (name: string) =>
      change.canReturn(replaceObject(change.returned, returned, { ...returned, [name]: entry[name] }));
    const lost = names.find((name) => isScalar(returned[name]) && returned[name] !== entry[name] && isComparable(name));
    const createViolation = (message: string) => [{ rule: STORED_RULE, message, pointer }];
    if (lost !== undefined)
      return createViolation(
        `${lost} is ${JSON.stringify(entry[lost])}, but the response to the preceding change contained ${JSON.stringify(returned[lost])}`,
      );
    const changed = change.before === undefined ? [] : names.filter((name) => sent[name] !== before[name]);
    const isUnchanged = changed.length > 0 && changed.every((name) => entry[name] === before[name]);
    return isUnchanged ? createViolation(`The update of ${changed.join(', ')} succeeded, but changed nothing`) : [];
  };
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
function replaceObject(value: unknown, old: Node, replacement: Node): unknown {
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
const DELETION = /delet|remov|archiv|cancel|inactiv|disabl|discard|trash|clos|revok|terminat|expir/i;

/**
 * Returns whether a resource that can still be read is marked as deleted: since the last read before the deletion, a
 * property with such a name or such a value has changed, or a boolean.
 */
export function isMarkedDeleted(read: Route, before: unknown, after: unknown): boolean {
  const [old, current] = [getEntry(read, before), getEntry(read, after)];
  return Object.entries(current).some(([name, value]) => {
    if (JSON.stringify(value) === JSON.stringify(old[name])) return false;
    return typeof value === 'boolean' || DELETION.test(name) || (typeof value === 'string' && DELETION.test(value));
  });
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * Creates a rule for responses to read requests.
 * A response violates the rule if `isWrong` returns true.
 * `rule`: the name of the rule.
 * `done`: "created" or "deleted", for the message.
 */
export function createReadRule(isWrong: (response: ReceivedResponse) => boolean, rule: string, done: string): Rule {
  return ({ pointer }, { response }) => {
    const message = `Status ${response.status} for a resource that was ${done} before`;
    return isWrong(response) ? [{ rule, message, pointer }] : [];
  };
}

/** Returns whether the status of a response means that the resource does not exist. */
export function isMissing({ status }: ReceivedResponse): boolean {
  return status === 404 || status === 410;
}
