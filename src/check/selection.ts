import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { CheckError } from './check-error.ts';
import { SAFE_METHODS } from './session.ts';

/** The operations of a contract that are checked, and those that may be requested. */
export interface Selection {
  readonly contract: Contract;
  /** The operations to check; undefined for all. */
  readonly only?: readonly string[] | undefined;
  /** The operations that never get requests. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether operations that may change data get requests. */
  readonly mayWrite: boolean;
}

/** Returns the operations to check. Throws `CheckError` if a selected one does not exist, or none are left. */
export function getCheckedRoutes({ contract: { routes, path }, only, exclude = [] }: Selection): readonly Route[] {
  const ids = routes.map(({ operationId }) => operationId);
  const unknown = [...(only ?? []), ...exclude].filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    throw new CheckError(`${path} has no operation ${unknown.join(', ')}. Its operations are ${ids.join(', ')}.`, {
      isMisuse: true,
    });
  }
  const isChosen = (id: string) => (only ?? ids).includes(id) && !exclude.includes(id);
  const chosen = routes.filter(({ operationId }) => isChosen(operationId));
  if (chosen.length === 0)
    throw new CheckError('No operation is left to check: --exclude removes all of them.', { isMisuse: true });
  return chosen;
}

/** Returns the operations that may be requested, for their own check or that of others. */
export function getAllowedRoutes({ contract: { routes }, exclude = [], mayWrite }: Selection): readonly Route[] {
  return routes.filter((route) => !exclude.includes(route.operationId) && (mayWrite || !isWriting(route)));
}

/** Whether an operation may change data. */
export function isWriting({ method }: Route): boolean {
  return !SAFE_METHODS.includes(method);
}
