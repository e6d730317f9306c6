import { type Document, isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { BaselineEntry } from './report/report.ts';

/** What identifies a failure in a baseline. */
type Entry = Pick<BaselineEntry, 'operation' | 'request' | 'check' | 'rule' | 'signature'>;

/** The contract of the check. */
interface CurrentContract {
  readonly routes: readonly Route[];
  readonly document: Document;
}

/**
 * Returns a text that is the same for entries of the same failure.
 * Different parts of a check can find the same violation, so an entry with a rule is the same in each of them.
 */
export function getKey({ operation, check, rule = check, signature }: Entry): string {
  return JSON.stringify([operation, rule, signature]);
}

/** Matches the signature of a valid JSON body that the server accepts although a value in it is invalid. */
const INVALID_VALUE = /^(\S+) refused if (\S*) in the request body violates (\S+)$/;

/** Returns an entry as this version writes it. Earlier versions wrote some rules and signatures differently. */
export function modernize<Known extends Entry>(entry: Known): Known {
  const signature = entry.signature.replaceAll(/ {2,}/g, ' ');
  const [, status, place = '', keyword] = INVALID_VALUE.exec(signature) ?? [];
  if (entry.rule !== 'unparsable-refused' || status === undefined) return { ...entry, signature };
  const where = ['body', place.replaceAll(/\/\d+(?=\/|$)/g, '/*'), keyword].filter((part) => part !== '').join(' ');
  return { ...entry, rule: 'invalid-refused', signature: `${status} refuses invalid requests: ${where}` };
}

/**
 * Returns a function that finds the entries of a failure in a baseline that can be older than the contract.
 * If no entry has the same operation, rule and signature, they are those of a renamed operation, or those with the same
 * operation, rule and cause that no failure has.
 * `found`: the failures of the check.
 */
export function createEntryFinder(
  entries: readonly BaselineEntry[],
  found: readonly Entry[],
  contract: CurrentContract,
): (current: Entry) => readonly BaselineEntry[] {
  const operations = findRenamedOperations(entries, found, contract.routes);
  const translated = entries.map((entry) => ({ entry, renamed: translateEntry(entry, operations, contract.routes) }));
  const foundKeys = new Set(found.map(getKey));
  const remaining = translated.filter(({ renamed }) => !foundKeys.has(getKey(renamed)));
  return (current) => {
    const key = getKey(current);
    const same = entries.filter((entry) => getKey(entry) === key);
    const renamed = translated.filter((one) => getKey(one.renamed) === key);
    const caused = remaining.filter((one) => hasSameCause(one.renamed, current, contract));
    return (
      [same, ...[renamed, caused].map((list) => list.map(({ entry }) => entry))].find(({ length }) => length) ?? []
    );
  };
}

/** Returns an entry with the current names of its operations and of its path parameters. */
function translateEntry(entry: BaselineEntry, operations: ReadonlyMap<string, Route>, routes: readonly Route[]): Entry {
  const route = operations.get(entry.operation) ?? routes.find(({ operationId }) => operationId === entry.operation);
  const oldNames = [...entry.request.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  const signature = entry.signature
    .replaceAll(/[\w.-]+/g, (word) => operations.get(word)?.operationId ?? word)
    .replaceAll(/(?<=\bpath \/?)[^/\s]+/g, (name) => route?.pathNames[oldNames.indexOf(name)] ?? name);
  return { ...entry, operation: route?.operationId ?? entry.operation, signature };
}

/** The minimum number of common failures that shows that the segment of a path was renamed. */
const MIN_COMMON = 2;

/**
 * Returns the routes of operations that the contract has only with another operationId: the route with the same
 * request, or the one whose path differs in one segment, if operations below this segment have the same failures.
 */
function findRenamedOperations(
  entries: readonly BaselineEntry[],
  found: readonly Entry[],
  routes: readonly Route[],
): ReadonlyMap<string, Route> {
  const missing = entries.filter(({ operation }) => !routes.some(({ operationId }) => operationId === operation));
  const free = routes.filter(({ operationId }) => !entries.some(({ operation }) => operation === operationId));
  const isFailing = ({ operationId }: Route, entry: BaselineEntry) =>
    found.some((one) => getKey(one) === getKey({ ...entry, operation: operationId }));
  const candidates = missing.flatMap((entry) =>
    free.flatMap((route) => {
      const segments = findRenamedSegment(entry.request, getRequest(route));
      return segments === undefined ? [] : [{ operation: entry.operation, route, segments, entry }];
    }),
  );
  const countCommon = (segments: string) =>
    candidates.filter((one) => one.segments === segments && isFailing(one.route, one.entry)).length;
  const renamed = candidates
    .filter(({ segments }) => countCommon(segments) >= MIN_COMMON)
    .toSorted((one, other) => countCommon(one.segments) - countCommon(other.segments));
  const sameRequest = missing.flatMap(({ operation, request }) => {
    const route = routes.find((one) => isSameRequest(request, getRequest(one)));
    return route ? [[operation, route] as const] : [];
  });
  return new Map([...renamed.map(({ operation, route }) => [operation, route] as const), ...sameRequest]);
}

/** Returns the method and the path of an operation, such as `GET /tasks/{taskId}`. */
export function getRequest(route: Route | undefined): string {
  return route ? `${route.method} ${route.path}` : '';
}

/**
 * Returns whether two requests are those of one operation: they differ only in the names of path parameters, in the
 * version in the path, or in segments before it, such as `GET /tasks` and `GET /api/v2/tasks`.
 */
function isSameRequest(one: string, other: string): boolean {
  const [[method, path], [otherMethod, otherPath]] = [splitRequest(one), splitRequest(other)];
  return method === otherMethod && (path.endsWith(otherPath) || otherPath.endsWith(path));
}

/** Returns the two names of the only segment in which the paths of two requests with the same method differ. */
function findRenamedSegment(one: string, other: string): string | undefined {
  const [[method, path], [otherMethod, otherPath]] = [splitRequest(one), splitRequest(other)];
  const [segments, others] = [path.split('/'), otherPath.split('/')];
  if (method !== otherMethod || segments.length !== others.length) return undefined;
  const [first, ...more] = segments.flatMap((segment, index) =>
    segment === others[index] ? [] : [`${segments.slice(0, index).join('/')}/${segment} ${others[index]}`],
  );
  return more.length > 0 || first?.includes('{}') ? undefined : first;
}

/** Returns the method and the path of a request without the version and the names of path parameters. */
function splitRequest(request: string): readonly [method: string, path: string] {
  const [method = '', path = ''] = request.split(' ', 2);
  return [method, path.replaceAll(/\{[^}]*\}/g, '{}').replace(/\/v\d+(?:\.\d+)*(?=\/)/, '')];
}

/**
 * Returns whether an entry has the same operation, rule and cause as a failure.
 * The status can be documented in another way, and the named property, parameter or operation renamed or moved.
 */
function hasSameCause(entry: Entry, current: Entry, { routes, document }: CurrentContract): boolean {
  if (entry.operation !== current.operation || entry.rule !== current.rule || entry.rule === undefined) return false;
  const [[status, title], [currentStatus, currentTitle]] = [splitSignature(entry), splitSignature(current)];
  const route = routes.find(({ operationId }) => operationId === entry.operation);
  const isDocumented = route?.responses.some(({ name }) => name === status) === true;
  if (status !== currentStatus && (isDocumented || !isSameStatus(status, currentStatus))) return false;
  return (
    title === currentTitle ||
    (getPlace(title) !== undefined && getPlace(title) === getPlace(currentTitle)) ||
    isRenamed(title, currentTitle, listNames(document))
  );
}

function splitSignature({ signature }: Entry): readonly [status: string, title: string] {
  const [status = ''] = signature.split(' ', 1);
  // Earlier versions wrote the index of an entry of a list.
  return [status, signature.slice(status.length + 1).replaceAll(/\/\d+(?=[/ ]|$)/g, '/*')];
}

/** Returns whether a response with one of the documented names can have the other one too: `404` and `4XX`. */
function isSameStatus(one: string, other: string): boolean {
  const toRange = (name: string) => name.replace(/^(\d)..$/, '$1XX');
  return toRange(one) === toRange(other) || one === 'default' || other === 'default';
}

/** Returns the property and the keyword of a violation: `body price type` for `body/items/0/price type`. */
function getPlace(title: string): string | undefined {
  const [, property, keyword] = /\/([^/*\s]+)(?:\/\*)* (\S+)$/.exec(title) ?? [];
  return property === undefined ? undefined : `${title.split(/[/ ]/, 1)[0]} ${property} ${keyword}`;
}

/** Returns whether two titles differ in one name that the contract no longer has, and has instead. */
function isRenamed(title: string, currentTitle: string, names: ReadonlySet<string>): boolean {
  const [words, others] = [title, currentTitle].map((text) => text.split(/(?<=[\s/:])|(?=[\s/:])/));
  if (words?.length !== others?.length) return false;
  const pairs = words?.flatMap((word, index) => (word === others?.[index] ? [] : [[word, others?.[index] ?? '']]));
  const [[old = '', now = ''] = []] = pairs ?? [];
  return pairs?.every(([one, other]) => one === old && other === now) === true && !names.has(old) && names.has(now);
}

/** Returns the names of all properties, headers, parameters and operations of a document. */
const listNames = memoizeByObject((document: Document): ReadonlySet<string> => {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const entry of value) collect(entry);
    if (!isNode(value)) return;
    for (const name of [value.name, value.operationId]) if (typeof name === 'string') names.add(name);
    for (const named of [value.properties, value.headers])
      if (isNode(named)) for (const name of Object.keys(named)) names.add(name);
    for (const inner of Object.values(value)) collect(inner);
  };
  collect(document);
  return names;
});
