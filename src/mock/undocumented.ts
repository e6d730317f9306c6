import type { Route } from '../contract/routes.ts';
import { chosenResponse, WishFault } from './choice.ts';

/** Operations, and an answer that all of them, or where none is named any, are to give. */
export interface AnswerMeant {
  readonly operation?: string | readonly string[] | undefined;
  readonly code?: number | undefined;
  readonly example?: string | undefined;
}

/** What of this a contract doesn't have: where it was said (JSON Pointer), and what the contract has. */
export function undocumented(
  routes: readonly Route[],
  { operation, code, example }: AnswerMeant,
): readonly { readonly pointer: string; readonly trouble: string }[] {
  const ids = operation === undefined ? [] : [operation].flat();
  const known = routes.map(({ operationId }) => operationId);
  const unknown = ids.filter((id) => !known.includes(id));
  if (unknown.length > 0) {
    return [{ pointer: '/operation', trouble: `is ${unknown.join(', ')}: the contract has ${known.join(', ')}` }];
  }
  if (code === undefined && example === undefined) return [];
  const meant = ids.length > 0 ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const faults = meant.flatMap((route) => faultOf(route, { code, example }) ?? []);
  const isSomewhere = ids.length === 0 && faults.length < meant.length;
  return isSomewhere ? [] : faults.slice(0, 1).map(({ wish, message }) => ({ pointer: `/${wish}`, trouble: message }));
}

/** Whether the contract documents such an answer of an operation. */
export function isDocumented(route: Route, answer: Pick<AnswerMeant, 'code' | 'example'>): boolean {
  return faultOf(route, answer) === undefined;
}

function faultOf(route: Route, { code, example }: Pick<AnswerMeant, 'code' | 'example'>): WishFault | undefined {
  try {
    chosenResponse(route, { code, example }, example === undefined ? [] : [example]);
    return undefined;
  } catch (error) {
    if (error instanceof WishFault) return error;
    throw error;
  }
}
