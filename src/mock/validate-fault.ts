import type { Contract } from '../openapi/contract.ts';
import { isJsonType, responseTo } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { ResponseToVerify } from '../openapi/verify-response.ts';
import { normalizeHeaderNames } from '../util/header-names.ts';
import { pointerTo } from '../util/json-pointer.ts';
import { chosenResponse, InvalidPreferenceError } from './choose-response.ts';
import { onlyOnPath } from './unmatched-faults.ts';

/** A response that is forced: by its status or the name of its example, and with a body and headers of its own. */
export interface ForcedResponse {
  readonly status?: number | undefined;
  readonly example?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Operations, and an answer that all of them, or where none is named any, are to give. */
export interface InjectedResponse extends ForcedResponse {
  readonly operation?: string | readonly string[] | undefined;
  /** Whether body and headers may break the contract. */
  readonly violation?: boolean | undefined;
  readonly where?: { readonly path?: string | undefined } | undefined;
}

/** Something that is wrong with what is meant: where it was said (JSON Pointer), and why. */
interface Issue {
  readonly pointer: string;
  readonly trouble: string;
}

/** The operations that a contract doesn't have, if any: where they were named (JSON Pointer), and which it has. */
export function findUnknownOperations(
  { routes }: Pick<Contract, 'routes'>,
  operation: InjectedResponse['operation'] = [],
): readonly Issue[] {
  const known = routes.map(({ operationId }) => operationId);
  const unknown = [operation].flat().filter((id) => !known.includes(id));
  if (unknown.length === 0) return [];
  return [{ pointer: '/operation', trouble: `is ${unknown.join(', ')}: the contract has ${known.join(', ')}` }];
}

/** What of a response a contract doesn't document for operations that it has: where it was said (JSON Pointer), and what the contract has. */
export function validateInjectedResponse(
  contract: Pick<Contract, 'routes' | 'verify'>,
  meant: InjectedResponse,
): readonly Issue[] {
  const { routes } = contract;
  const ids = meant.operation === undefined ? [] : [meant.operation].flat();
  const chosen = ids.length > 0 ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const faults = chosen.flatMap((route) => (canForce(route, meant) ? [] : (faultOf(route, meant) ?? [])));
  const isSomewhere = ids.length === 0 && faults.length < chosen.length;
  if (faults.length > 0 && !isSomewhere)
    return faults.slice(0, 1).map(({ wish, message }) => ({ pointer: `/${NAMES[wish]}`, trouble: message }));
  return meant.violation ? [] : violationsOf(contract, onlyOnPath(chosen, meant.where?.path), meant);
}

/** What a preference is called in a fault. */
const NAMES = { code: 'status', example: 'example' } as const;

/** How a body and headers of their own break the contract of the first operation that documents their status otherwise. */
function violationsOf(contract: Pick<Contract, 'verify'>, routes: readonly Route[], meant: ForcedResponse) {
  const { status, body, headers } = meant;
  if (status === undefined || (body === undefined && headers === undefined)) return [];
  for (const route of routes) {
    if (!isDocumented(route, { status })) continue;
    const answer = withOwn(route, { status, headers: {} }, meant);
    const issues = contract
      .verify(route, answer, { closed: false })
      .filter(({ where }) =>
        where.startsWith('header ') ? findName(headers, where) !== undefined : body !== undefined,
      )
      .map(({ where, message: said }) => ({
        pointer: pointerOf(where, headers),
        trouble: `breaks the contract of ${route.operationId}: ${said}`,
      }));
    if (issues.length > 0) return issues;
  }
  return [];
}

function pointerOf(where: string, headers: ForcedResponse['headers']): string {
  const name = findName(headers, where === 'content type' ? 'header Content-Type' : where);
  return name === undefined ? where.replace(/^(body|content type)/, '/body') : `/headers${pointerTo(name)}`;
}

/** Returns the name of the header at this place of a response as the fault spells it. */
function findName(headers: ForcedResponse['headers'] = {}, where: string): string | undefined {
  return Object.keys(headers).find((name) => where.toLowerCase() === `header ${name.toLowerCase()}`);
}

/** A response with a body and headers of its own in place of those that it has. */
export function withOwn(
  { responses }: Pick<Route, 'responses'>,
  { status, headers, body }: ResponseToVerify,
  own: Pick<ForcedResponse, 'body' | 'headers'>,
): ResponseToVerify {
  const ownHeaders = normalizeHeaderNames(own.headers ?? {});
  const names = Object.keys(ownHeaders).map((name) => name.toLowerCase());
  const types = Object.keys(responseTo(responses, status)?.media ?? {});
  const type = own.body === undefined ? {} : { 'Content-Type': types.find(isJsonType) ?? 'application/json' };
  const kept = Object.entries({ ...headers, ...type }).filter(([name]) => !names.includes(name.toLowerCase()));
  return {
    status,
    headers: { ...Object.fromEntries(kept), ...ownHeaders },
    body: own.body === undefined ? body : own.body,
  };
}

/** Whether the contract documents such an answer of an operation. */
export function isDocumented(route: Route, answer: ForcedResponse): boolean {
  return faultOf(route, answer) === undefined;
}

/** Whether an operation can be made to answer so: as the contract documents, or with any error, which a gateway before it may send. */
export function canForce(route: Route, { status, example }: ForcedResponse): boolean {
  const isError = example === undefined && status !== undefined && status >= 400;
  return isError || isDocumented(route, { status, example });
}

function faultOf(route: Route, { status, example }: ForcedResponse): InvalidPreferenceError | undefined {
  try {
    chosenResponse(route, { code: status, example }, example === undefined ? [] : [example]);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidPreferenceError) return error;
    throw error;
  }
}
