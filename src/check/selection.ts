import { METHODS } from 'node:http';
import type { Contract } from '../openapi/contract.ts';
import { getNode, toNode } from '../openapi/document.ts';
import { canBeRequested, type Route } from '../openapi/routes.ts';
import { UserError } from '../util/issue.ts';
import { SAFE_METHODS } from '../util/request-target.ts';
import { joinList } from '../util/text.ts';

/** The operations to check, and the operations to which a check may send requests. */
export interface Selection {
  readonly contract: Contract;
  /** The operations to check, as `selectRoutes` reads them. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** The operations to which no request is sent. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether the check may send requests to operations that can change data. */
  readonly mayWrite: boolean;
}

/**
 * Joins the parts of an operationId that contains a comma: the parts of the option, `a` and `b`, can be the operation
 * `a,b`.
 */
function joinSplitIds(parts: readonly string[], routes: readonly Route[]): readonly string[] {
  const withComma = routes.flatMap(({ operationId: id }) => (id.includes(',') ? { id, own: id.split(/\s*,\s*/) } : []));
  const joined: string[] = [];
  for (let index = 0; index < parts.length; ) {
    const found = withComma.find(({ own }) => own.every((part, offset) => parts[index + offset] === part));
    joined.push(found?.id ?? parts[index] ?? '');
    index += found?.own.length ?? 1;
  }
  return joined;
}

/**
 * Returns the operations that selectors select.
 * A selector is an operationId, a method (`GET`), a path with wildcards (`/tasks/*`, `/tasks/**`), a method and a path,
 * a tag (`tag:tasks`), or `deprecated`.
 * Throws `UserError` if a selector selects no operation, unless `mayBeEmpty` returns true for it.
 */
export function selectRoutes(
  { document, routes, path }: Contract,
  selectors: readonly string[],
  mayBeEmpty: (selector: string) => boolean = () => false,
): ReadonlySet<Route> {
  const getOperation = (route: Route) => toNode(getNode(document, route.pointer));
  const matches = (selector: string, route: Route): boolean => {
    if (selector === 'deprecated') return getOperation(route).deprecated === true;
    if (selector.startsWith('tag:')) return [getOperation(route).tags].flat().includes(selector.slice('tag:'.length));
    const [method = '', template = ''] = selector.startsWith('/') ? ['', selector] : selector.split(/\s+/, 2);
    if (method !== '' && !METHODS.includes(method)) return false;
    return (method === '' || route.method === method) && (template === '' || matchesPath(template, route.path));
  };
  const selected = new Set<Route>();
  const unknown: string[] = [];
  for (const selector of joinSplitIds(selectors, routes)) {
    const named = routes.filter(({ operationId }) => operationId === selector);
    const found = named.length > 0 ? named : routes.filter((route) => matches(selector, route));
    if (found.length === 0 && !mayBeEmpty(selector)) unknown.push(selector);
    for (const route of found) selected.add(route);
  }
  if (unknown.length > 0) throw refuseSelectors(unknown, { routes, path });
  return selected;
}

/** Returns whether a selector names a property of operations, such as a tag. A contract can have no such operation. */
function isProperty(selector: string): boolean {
  return selector === 'deprecated' || selector.startsWith('tag:');
}

/** Returns whether a path template matches a pattern: `*` stands for one segment, `**` for any number of them. */
function matchesPath(pattern: string, path: string): boolean {
  const match = ([head, ...tail]: readonly string[], segments: readonly string[]): boolean => {
    if (head === undefined) return segments.length === 0;
    if (head === '**') return segments.some((_, at) => match(tail, segments.slice(at))) || match(tail, []);
    const [segment, ...others] = segments;
    return segment !== undefined && (head === '*' || head === segment) && match(tail, others);
  };
  return match(pattern.split('/'), path.split('/'));
}

function refuseSelectors(selectors: readonly string[], { routes, path }: Pick<Contract, 'routes' | 'path'>): UserError {
  const ids = joinList(
    routes.map(({ operationId }) => operationId),
    MAX_LISTED_OPERATIONS,
  );
  return new UserError(
    `${path} has no operation ${selectors.join(', ')}. Its operations are ${ids}. You can also select a method (GET), a path (/tasks/*), a tag (tag:tasks), or deprecated operations (deprecated).`,
    { reason: 'usage' },
  );
}

/**
 * Returns the operations to check.
 * Throws `UserError` if a selected operation does not exist, or if no operation is selected.
 */
export function getCheckedRoutes({ contract, only, exclude = [] }: Selection): readonly Route[] {
  const wanted = only ? selectRoutes(contract, only) : new Set(contract.routes);
  const excluded = selectRoutes(contract, exclude, isProperty);
  const selected = contract.routes.filter(
    (route) => wanted.has(route) && !excluded.has(route) && canBeRequested(route),
  );
  if (selected.length === 0)
    throw new UserError(
      'No operation is left to check: --exclude, or skip in the configuration, removes all selected operations.',
      {
        reason: 'usage',
      },
    );
  return selected;
}

/** The maximum number of operations that a message lists. */
export const MAX_LISTED_OPERATIONS = 20;

/** Returns the operations to which a check may send requests, including operations that it does not check. */
export function getAllowedRoutes({ contract, mayWrite, exclude = [] }: Selection): readonly Route[] {
  const excluded = selectRoutes(contract, exclude, isProperty);
  return contract.routes.filter(
    (route) => canBeRequested(route) && !excluded.has(route) && (mayWrite || !isWriteOperation(route)),
  );
}

/** The largest number of parameters that add to the risk of an operation. */
const MAX_COUNTED_PARAMETERS = 5;

/**
 * Sorts operations by risk: those that change data, have a body, require credentials or have many parameters come
 * first, and deprecated ones last.
 */
export function sortByRisk({ document }: Contract, routes: readonly Route[]): readonly Route[] {
  const getRisk = (route: Route) => {
    const { parameters, bodyMedia, security, pointer } = route;
    if (toNode(getNode(document, pointer)).deprecated === true) return -1;
    const hasBody = Object.keys(bodyMedia).length > 0;
    const weights = [isWriteOperation(route) ? 4 : 0, hasBody ? 4 : 0, security.length > 0 ? 1 : 0];
    return weights.reduce((sum, one) => sum + one, Math.min(parameters.length, MAX_COUNTED_PARAMETERS));
  };
  return routes
    .map((route) => ({ route, risk: getRisk(route) }))
    .sort((one, other) => other.risk - one.risk)
    .map(({ route }) => route);
}

/** Returns whether an operation can change data. */
export function isWriteOperation({ method }: Route): boolean {
  return !SAFE_METHODS.includes(method);
}
