import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { UserError } from '../util/issue.ts';
import { joinList } from '../util/text.ts';
import { SAFE_METHODS } from './session.ts';

/** The operations to check, and the operations to which a check may send requests. */
export interface Selection {
  readonly contract: Contract;
  /** The ids of the operations to check. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** The ids of operations to which no request is sent. */
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
 * Returns the operations to check.
 * Throws `UserError` if a selected operation does not exist, or if no operation is selected.
 */
export function getCheckedRoutes({ contract: { routes, path }, ...selection }: Selection): readonly Route[] {
  const ids = routes.map(({ operationId }) => operationId);
  const only = selection.only && joinSplitIds(selection.only, routes);
  const exclude = joinSplitIds(selection.exclude ?? [], routes);
  const unknown = [...(only ?? []), ...exclude].filter((id) => !ids.includes(id));
  if (unknown.length > 0)
    throw new UserError(
      `${path} has no operation ${unknown.join(', ')}. Its operations are ${joinList(ids, MAX_LISTED_OPERATIONS)}.`,
      { reason: 'usage' },
    );
  const isSelected = (id: string) => (only ?? ids).includes(id) && !exclude.includes(id);
  const selected = routes.filter((route) => isSelected(route.operationId) && canBeRequested(route));
  if (selected.length === 0)
    throw new UserError('No operation is left to check: --exclude removes all selected operations.', {
      reason: 'usage',
    });
  return selected;
}

/** The maximum number of operations that a message lists. */
export const MAX_LISTED_OPERATIONS = 20;

/** Returns the operations to which a check may send requests, including operations that it does not check. */
export function getAllowedRoutes({ contract: { routes }, mayWrite, ...selection }: Selection): readonly Route[] {
  const exclude = joinSplitIds(selection.exclude ?? [], routes);
  return routes.filter(
    (route) => canBeRequested(route) && !exclude.includes(route.operationId) && (mayWrite || !isWriteOperation(route)),
  );
}

/**
 * Returns whether a client can request the path of an operation.
 * Some documents describe an operation several times, with fragments such as `/things#v2`.
 * HTTP can't request a fragment.
 */
export function canBeRequested({ path }: Route): boolean {
  return !path.includes('#');
}

/** Returns whether an operation can change data. */
export function isWriteOperation({ method }: Route): boolean {
  return !SAFE_METHODS.includes(method);
}
