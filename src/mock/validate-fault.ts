import type { Contract } from '../openapi/contract.ts';
import { findResponse, isJsonType, type ResponseToVerify } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeHeaderNames } from '../util/header-names.ts';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { suggestOneOf } from '../util/similar-names.ts';
import { chooseResponse, InvalidPreferenceError } from './choose-response.ts';
import { filterByPath } from './path-globs.ts';

/** A forced response: that of a status or an example, optionally with another body and headers. */
interface ForcedResponse {
  readonly status?: number | undefined;
  readonly example?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The parts of a fault that decide which requests match it, and which responses it can have: those of some operations, or of any if none is named. */
export interface Fault extends ForcedResponse {
  readonly operation?: string | readonly string[] | undefined;
  readonly where?: { readonly method?: string | undefined; readonly path?: string | undefined } | undefined;
  /** Whether only requests with a body match. */
  readonly needsBody?: boolean | undefined;
  /** Whether body and headers may violate the contract. */
  readonly violation?: boolean | undefined;
  readonly connection?: 'reset' | 'cut' | undefined;
  readonly bodyDurationMs?: number | undefined;
}

/** Returns the operations of a fault that the contract doesn't have. */
export function findUnknownOperations(
  { routes }: Pick<Contract, 'routes'>,
  operation: Fault['operation'] = [],
): readonly Issue[] {
  const knownIds = routes.map(({ operationId }) => operationId);
  const unknownIds = [operation].flat().filter((id) => !knownIds.includes(id));
  const [first] = unknownIds;
  if (first === undefined) return [];
  const problem = `${unknownIds.map((id) => `"${id}"`).join(', ')} ${unknownIds.length > 1 ? 'do' : 'does'} not exist`;
  return [createIssue('/operation', { rule: 'enum', problem, remedy: suggestOneOf(first, knownIds, 'operations') })];
}

/** Returns why the contract doesn't document a fault's response for its operations, or how body and headers violate it. Ignores unknown operations. */
export function validateInjectedResponse(
  contract: Pick<Contract, 'routes' | 'verifyResponse'>,
  fault: Fault,
): readonly Issue[] {
  const { routes } = contract;
  const ids = fault.operation === undefined ? [] : [fault.operation].flat();
  const selected = ids.length > 0 ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const errors = selected.flatMap((route) => (canForce(route, fault) ? [] : (findPreferenceError(route, fault) ?? [])));
  const [first] = errors;
  // A fault without operations only needs one that has its response.
  if (first && (ids.length > 0 || errors.length === selected.length))
    return [createIssue(`/${FAULT_PROPERTIES[first.preference]}`, { ...first, rule: 'enum' })];
  return fault.violation ? [] : findViolations(contract, filterByPath(selected, fault.where?.path), fault);
}

/** The properties of a fault that correspond to preferences. */
const FAULT_PROPERTIES = { code: 'status', example: 'example' } as const;

/** Returns the violations in body and headers for the first operation that documents the status differently. */
function findViolations(
  contract: Pick<Contract, 'verifyResponse'>,
  routes: readonly Route[],
  fault: ForcedResponse,
): readonly Issue[] {
  const { status, body, headers } = fault;
  if (status === undefined || (body === undefined && headers === undefined)) return [];
  for (const route of routes.filter((candidate) => isDocumented(candidate, { status }))) {
    const response = replaceBodyAndHeaders(route, { status, headers: {} }, fault);
    const issues = contract
      .verifyResponse(route, response, { closed: false })
      .filter(({ where }) =>
        where.startsWith('header ') ? findHeaderName(headers, where) !== undefined : body !== undefined,
      )
      .map(({ where, rule, message, describe }) => {
        const undocumented = { problem: message.replace(/^(a body|content type) /, ''), remedy: 'remove it' };
        const { problem, remedy } = describe?.() ?? undocumented;
        return createIssue(toFaultPointer(where, headers), {
          ...{ rule, problem: `${problem}, which violates the contract of ${route.operationId}` },
          remedy: `${remedy}, or set \`violation\``,
        });
      });
    if (issues.length > 0) return issues;
  }
  return [];
}

/** `where`: that of a response violation. */
function toFaultPointer(where: string, headers: ForcedResponse['headers']): string {
  const name = findHeaderName(headers, where === 'content type' ? 'header Content-Type' : where);
  return name === undefined ? where.replace(/^(body|content type)/, '/body') : `/headers${formatPointer(name)}`;
}

/** Returns the name of a header as the fault spells it. */
function findHeaderName(headers: ForcedResponse['headers'] = {}, where: string): string | undefined {
  return Object.keys(headers).find((name) => where.toLowerCase() === `header ${name.toLowerCase()}`);
}

/** Returns a response with the body and the headers of a fault in place of its own. */
export function replaceBodyAndHeaders(
  { responses }: Pick<Route, 'responses'>,
  { status, headers, body }: ResponseToVerify,
  own: Pick<ForcedResponse, 'body' | 'headers'>,
): ResponseToVerify {
  const ownHeaders = normalizeHeaderNames(own.headers ?? {});
  const ownNames = Object.keys(ownHeaders).map((name) => name.toLowerCase());
  const types = Object.keys(findResponse(responses, status)?.media ?? {});
  const type = own.body === undefined ? {} : { 'Content-Type': types.find(isJsonType) ?? 'application/json' };
  const others = Object.entries({ ...headers, ...type }).filter(([name]) => !ownNames.includes(name.toLowerCase()));
  return {
    status,
    headers: { ...Object.fromEntries(others), ...ownHeaders },
    body: own.body === undefined ? body : own.body,
  };
}

/** Returns whether the contract documents a response of an operation. */
export function isDocumented(route: Route, response: ForcedResponse): boolean {
  return findPreferenceError(route, response) === undefined;
}

/** Returns whether an operation can have a forced response: a documented one, or any error, since a gateway before the server may send it. */
export function canForce(route: Route, { status, example }: ForcedResponse): boolean {
  const isError = example === undefined && status !== undefined && status >= 400;
  return isError || isDocumented(route, { status, example });
}

function findPreferenceError(route: Route, { status, example }: ForcedResponse): InvalidPreferenceError | undefined {
  try {
    chooseResponse(route, { code: status, example }, example === undefined ? [] : [example]);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidPreferenceError) return error;
    throw error;
  }
}
