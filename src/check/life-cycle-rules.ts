import { isNode, type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { ReceivedResponse } from './exchange.ts';
import { findId } from './ids.ts';
import type { Rule } from './session.ts';

/** A change of a resource: the body of its request and of its response, and the resource before it. */
interface Change {
  readonly read: Route;
  readonly sent: unknown;
  readonly before: unknown;
  readonly returned: unknown;
}

/**
 * Creates a rule for the response to a read request after a resource was created or updated. A sent property must have the value in the response to the
 * change. This value can differ from the sent value, because a server may normalize values. After an update, at least one property that was sent with a
 * new value must have changed.
 */
export function createStoredRule({ read, ...change }: Change): Rule {
  const parameter = read.pathNames.at(-1) ?? '';
  const getEntry = (body: unknown) => {
    const entry = findId(parameter, body)?.entry ?? toNode(body);
    // JSON:API has the values of a resource in `attributes`.
    return isNode(entry.attributes) ? entry.attributes : entry;
  };
  const before = getEntry(change.before);
  const returned = getEntry(change.returned);
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(body);
    const sent = unwrap(change.sent, entry);
    const names = Object.keys(sent).filter((name) => isScalar(entry[name]) && isScalar(sent[name]));
    const lost = names.find((name) => isScalar(returned[name]) && returned[name] !== entry[name]);
    const createViolation = (message: string) => [{ rule: 'changes are stored', message, pointer }];
    if (lost !== undefined)
      return createViolation(
        `${lost} is ${JSON.stringify(entry[lost])}, but the response to the change had ${JSON.stringify(returned[lost])}`,
      );
    const changed = change.before === undefined ? [] : names.filter((name) => sent[name] !== before[name]);
    const isUnchanged = changed.length > 0 && changed.every((name) => entry[name] === before[name]);
    return isUnchanged ? createViolation(`The successful update of ${changed.join(', ')} changed nothing`) : [];
  };
}

/** Returns the resource in the body of a request, which can be the only property of the body. `entry`: the stored resource. */
function unwrap(body: unknown, entry: Node): Node {
  const [only, ...others] = Object.entries(toNode(body));
  const isWrapper = only && others.length === 0 && !Object.hasOwn(entry, only[0]);
  return isWrapper && isNode(only[1]) ? only[1] : toNode(body);
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * Creates a rule for responses to read requests. A response violates the rule if `isWrong` returns true. `done` is "created" or "deleted", for the
 * message.
 */
export function createReadRule(isWrong: (response: ReceivedResponse) => boolean, rule: string, done: string): Rule {
  return ({ pointer }, { response }) => {
    const message = `Status ${response.status} for a resource that was ${done} before`;
    return isWrong(response) ? [{ rule, message, pointer }] : [];
  };
}

/** Returns whether a response means that the resource does not exist. */
export function isMissing({ status }: ReceivedResponse): boolean {
  return status === 404 || status === 410;
}
