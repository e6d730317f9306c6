import type { Contract } from '../openapi/contract.ts';
import type { Route } from '../openapi/routes.ts';
import { CheckError } from './check-error.ts';
import { SAFE_METHODS } from './session.ts';

/** Which operations of a contract are judged, and which may be asked. */
export interface Selection {
  readonly contract: Contract;
  /** The operations that are judged; undefined for all. */
  readonly only?: readonly string[] | undefined;
  /** The operations that are never asked. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether operations are asked that may change something. */
  readonly mayWrite: boolean;
}

/** The operations that are judged. Throws `CheckError` where some are named that the contract hasn't, or none are left. */
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

/** The operations that may be asked, since they are judged or are needed to judge others. */
export function getAllowedRoutes({ contract: { routes }, exclude = [], mayWrite }: Selection): readonly Route[] {
  return routes.filter((route) => !exclude.includes(route.operationId) && (mayWrite || !isWriting(route)));
}

/** Whether an operation may change something. */
export function isWriting({ method }: Route): boolean {
  return !SAFE_METHODS.includes(method);
}
