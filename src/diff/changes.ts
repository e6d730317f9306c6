import { type Document, isNode } from '../openapi/document.ts';
import { type Change, type Direction, toChange } from './change.ts';
import { getCallbacks, getOperations, getWebhooks, type Operation } from './operation.ts';
import { bodyChanges, parameterChanges } from './requests.ts';
import { responseChanges } from './responses.ts';
import { schemaComparison } from './schema-changes.ts';
import type { Compare } from './schema-pair.ts';
import { securityChanges } from './security.ts';

export type { Change } from './change.ts';

/**
 * Returns the changes between two versions of an OpenAPI document (3.0 or 3.1) that clients can notice, in the order of
 * the newer document.
 * Ignores descriptions, examples, names of path parameters, order, `links` and extensions.
 * Some keywords can't be compared, such as `pattern` and rare keywords of JSON Schema 2020-12.
 * A change of such a keyword counts as breaking.
 */
export function changesBetween(before: Document, after: Document): readonly Change[] {
  const compare = schemaComparison(before, after);
  return removeDuplicates([
    ...serverChanges(before, after),
    ...operationListChanges(getOperations(before), getOperations(after), { holders: ['/paths', '/paths'], compare }),
    ...operationListChanges(getWebhooks(before), getWebhooks(after), { holders: ['/webhooks', '/webhooks'], compare }),
  ]);
}

/** What two lists of operations have in common. */
interface Lists {
  /** The JSON Pointers of the objects with the older and with the newer operations. */
  readonly holders: readonly [before: string, after: string];
  readonly compare: Compare;
}

function operationListChanges(
  old: readonly Operation[],
  now: readonly Operation[],
  { holders, compare }: Lists,
): readonly Change[] {
  const pairs = matchOperations(old, now);
  const matched = new Set(pairs.values());
  return [
    ...old.filter((one) => !matched.has(one)).map((one) => removed(one, holders[1])),
    ...now.flatMap((operation) => {
      const earlier = pairs.get(operation);
      return earlier ? operationChanges(earlier, operation, compare) : [added(operation, holders[0])];
    }),
  ];
}

/**
 * Returns the older operation of each newer operation.
 * This is the operation with the same method and path, apart from the names of path parameters.
 * If there is none, the path is renamed: then it is the operation with the same operationId.
 */
function matchOperations(old: readonly Operation[], now: readonly Operation[]): ReadonlyMap<Operation, Operation> {
  const pairs = new Map<Operation, Operation>();
  const gone = new Set(old);
  // Two paths can differ only in the names of their parameters, so the exact path comes first.
  for (const getKey of [({ name }: Operation) => name, ({ key }: Operation) => key, getId]) {
    const byKey = new Map([...gone].map((one) => [getKey(one), one]));
    for (const operation of now) {
      const key = getKey(operation);
      const earlier = key === undefined || pairs.has(operation) ? undefined : byKey.get(key);
      if (!earlier || !gone.delete(earlier)) continue;
      pairs.set(operation, earlier);
    }
  }
  return pairs;
}

function getId({ node: { operationId } }: Operation): string | undefined {
  return typeof operationId === 'string' ? operationId : undefined;
}

function operationChanges(before: Operation, after: Operation, compare: Compare): readonly Change[] {
  const { name, isOutgoing } = after;
  const [sent, received]: readonly Direction[] = isOutgoing ? ['response', 'request'] : ['request', 'response'];
  const requestDeltas = [
    ...parameterChanges(before, after, compare),
    ...bodyChanges(before, after, compare),
    ...(isOutgoing ? [] : securityChanges(before, after)),
  ];
  return [
    ...ownChanges(before, after),
    ...requestDeltas.map((delta) =>
      toChange(delta, { operation: name, kind: 'request', direction: sent ?? 'request' }),
    ),
    ...responseChanges(before, after, compare).map((delta) =>
      toChange(delta, { operation: name, kind: 'response', direction: received ?? 'response' }),
    ),
    ...operationListChanges(getCallbacks(before), getCallbacks(after), {
      holders: [before.pointer, after.pointer],
      compare,
    }),
  ];
}

/** Creates a change of a whole operation. */
function createChange(operation: string | undefined, change: Omit<Change, 'direction' | 'operation'>): Change {
  return { direction: 'both', operation, ...change };
}

function removed({ name, pointer, isOutgoing }: Operation, after: string): Change {
  const reason = isOutgoing ? 'clients that wait for it get no requests' : 'requests to it are rejected';
  return createChange(name, { isBreaking: true, before: pointer, after, message: 'is removed', reason });
}

function added({ name, pointer, isOutgoing }: Operation, before: string): Change {
  const reason = isOutgoing ? 'clients can ignore it' : 'no client calls it yet';
  return createChange(name, { isBreaking: false, before, after: pointer, message: 'is new', reason });
}

/**
 * Returns the changes of the path, `operationId` and `deprecated`.
 * A new operationId is not breaking: it is only a name in generated clients, and clients do not send it.
 */
function ownChanges(before: Operation, after: Operation): readonly Change[] {
  const change = (key: string, message: string, reason: string, isBreaking = false): Change => {
    const [old, now] = [before, after].map(({ node, pointer }) => pointer + (key in node ? `/${key}` : ''));
    return createChange(after.name, { isBreaking, before: old ?? '', after: now ?? '', message, reason });
  };
  const [oldId, newId] = [getId(before), getId(after)];
  const [wasDeprecated, isDeprecated] = [before, after].map(({ node }) => node.deprecated === true);
  return [
    ...(before.key === after.key
      ? []
      : [change('', `replaces ${before.name} (renamed: both have the operationId ${newId})`, RENAMED, true)]),
    ...(oldId !== undefined && oldId !== newId
      ? [change('operationId', `has ${newId ? `the operationId ${newId}` : 'no operationId'} instead of ${oldId}`, ID)]
      : []),
    ...(isDeprecated && !wasDeprecated ? [change('deprecated', 'is deprecated', WORKS)] : []),
    ...(wasDeprecated && !isDeprecated ? [change('deprecated', 'is no longer deprecated', WORKS)] : []),
  ];
}

const RENAMED = 'requests to the older method and path are rejected';
const ID = 'names in generated clients change, requests do not';
const WORKS = 'it works as before';

/** Returns the changes, without those that two operations have in common. */
function removeDuplicates(changes: readonly Change[]): readonly Change[] {
  const getKey = ({ operation, direction, before, after, message }: Change) =>
    [operation, direction, before, after, message].join(' ');
  return [...new Map(changes.map((change) => [getKey(change), change])).values()];
}

/**
 * Returns the changes of the servers.
 * A removed base path is breaking, because it is part of the path of each request.
 * The rest of the URL only says where the API is deployed.
 */
function serverChanges(before: Document, after: Document): readonly Change[] {
  const [old = [], now = []] = [before, after].map(getServerUrls);
  const gone = old.filter((url) => !now.includes(url));
  const gained = now.filter((url) => !old.includes(url));
  const paths = new Set(now.map(getBasePath));
  const [places, placesNow] = [before, after].map(({ servers }) => (servers === undefined ? '' : '/servers'));
  const change = (isBreaking: boolean, message: string, reason: string) =>
    createChange(undefined, { isBreaking, before: places ?? '', after: placesNow ?? '', message, reason });
  return [
    ...gone.map((url) =>
      paths.has(getBasePath(url))
        ? change(false, `server ${url} is removed`, 'another server has the same base path')
        : change(true, `server ${url} is removed`, `no other server has the base path ${getBasePath(url)}`),
    ),
    ...gained.map((url) => change(false, `server ${url} is new`, 'clients may use it')),
  ];
}

/** Returns the server URLs; "/" if the document has none (OpenAPI 3.0, OpenAPI Object). */
function getServerUrls({ servers }: Document): readonly string[] {
  const urls = (servers ?? []).flatMap((server) =>
    isNode(server) ? [String(server.url).replace(/(?<=.)\/$/, '')] : [],
  );
  return urls.length > 0 ? urls : ['/'];
}

function getBasePath(url: string): string {
  return url.replace(/^(?:[a-z][\w+.-]*:)?\/\/[^/]*/i, '') || '/';
}
