import { chooseResponse, InvalidPreferenceError } from '../mock/choose-response.ts';
import type { Contract } from '../openapi/contract.ts';
import { isJsonType } from '../openapi/media-types.ts';
import { findResponse, type ResponseToVerify } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { normalizeHeaderNames } from '../util/header-names.ts';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { suggestOneOf } from '../util/similar-names.ts';
import { tryOrError } from '../util/try-or-undefined.ts';
import { filterByPath } from './path-globs.ts';

/**
 * The response that a fault injects: a documented status or example, optionally with another body and other headers.
 */
interface ForcedResponse {
  readonly status?: number | undefined;
  readonly example?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * An injected fault: the requests that it applies to, and the response that it injects.
 * A fault without `operation` applies to all operations.
 */
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

/** Returns an issue if a fault names an operation that is not in the contract. */
export function findUnknownOperationIssues(
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

/**
 * Validates the response that a fault injects.
 * Returns an issue if the contract does not document the status or the example for the operations of the fault.
 * Otherwise, returns the issues in the body and headers of the fault.
 * Ignores unknown operations.
 */
export function validateInjectedResponse(
  contract: Pick<Contract, 'routes' | 'verifyResponse'>,
  fault: Fault,
): readonly Issue[] {
  const { routes } = contract;
  const ids = fault.operation === undefined ? [] : [fault.operation].flat();
  const selected = ids.length > 0 ? routes.filter(({ operationId }) => ids.includes(operationId)) : routes;
  const errors = selected.flatMap((route) => (canForce(route, fault) ? [] : (findPreferenceError(route, fault) ?? [])));
  const [first] = errors;
  // A fault for all operations is valid if one operation documents its response.
  if (first && (ids.length > 0 || errors.length === selected.length))
    return [createIssue(`/${FAULT_PROPERTIES[first.preference]}`, { ...first, rule: 'enum' })];
  return fault.violation ? [] : findViolations(contract, filterByPath(selected, fault.where?.path), fault);
}

/** The fault property for each preference of the `Prefer` header: `code=404` corresponds to `status: 404`. */
const FAULT_PROPERTIES = { code: 'status', example: 'example' } as const;

/** The maximum number of violations that are reported for a fault. */
const MAX_ISSUES = 100;

/**
 * Returns the contract violations in the body and the headers of a fault.
 * If several operations have violations, returns those of the first one.
 */
function findViolations(
  contract: Pick<Contract, 'verifyResponse'>,
  routes: readonly Route[],
  fault: ForcedResponse,
): readonly Issue[] {
  const { status, body, headers } = fault;
  if (status === undefined || (body === undefined && headers === undefined)) return [];
  for (const route of routes.filter((candidate) => isDocumented(candidate, { status }))) {
    const response = replaceBodyAndHeaders(route, { status, headers: {} }, fault);
    const violations = contract.verifyResponse(route, response, { closed: false });
    const issues = violations.slice(0, MAX_ISSUES).flatMap(({ where, rule, message, describe }) => {
      const pointer = toFaultPointer(where, fault);
      if (pointer === undefined) return [];
      const undocumented = { problem: message.replace(/^(a body|content type) /, ''), remedy: 'remove it' };
      const { problem, remedy } = describe?.() ?? undocumented;
      return createIssue(pointer, {
        rule,
        problem: `${problem}, which violates the contract of ${route.operationId}`,
        remedy: `${remedy}, or set \`violation\``,
      });
    });
    if (issues.length > 0) return issues;
  }
  return [];
}

/**
 * Converts the place of a violation in a response to a JSON Pointer in the fault that injects the response:
 * `header Age` becomes `/headers/Age`.
 * Returns undefined if the fault does not set the value at this place.
 */
function toFaultPointer(where: string, { headers = {}, body }: ForcedResponse): string | undefined {
  const isHeader = where.startsWith('header ');
  if (!isHeader && body === undefined) return undefined;
  const header = (where === 'content type' ? 'header content-type' : where).toLowerCase();
  const name = Object.keys(headers).find((key) => header === `header ${key.toLowerCase()}`);
  if (name !== undefined) return `/headers${formatPointer(name)}`;
  return isHeader ? undefined : where.replace(/^(body|content type)/, '/body');
}

/**
 * Replaces the body of a response with the body of a fault, and adds the headers of the fault.
 * A header of the fault replaces a header with the same name.
 */
export function replaceBodyAndHeaders(
  { responses }: Pick<Route, 'responses'>,
  response: ResponseToVerify,
  fault: Pick<ForcedResponse, 'body' | 'headers'>,
): ResponseToVerify {
  const { body = response.body } = fault;
  const headers = normalizeHeaderNames(fault.headers ?? {});
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const types = Object.keys(findResponse(responses, response.status)?.media ?? {});
  const type = fault.body === undefined ? {} : { 'Content-Type': types.find(isJsonType) ?? 'application/json' };
  const others = Object.entries({ ...response.headers, ...type }).filter(
    ([name]) => !names.includes(name.toLowerCase()),
  );
  return { status: response.status, headers: { ...Object.fromEntries(others), ...headers }, body };
}

/** Returns whether the contract documents the status and the example of a response for an operation. */
export function isDocumented(route: Route, response: ForcedResponse): boolean {
  return findPreferenceError(route, response) === undefined;
}

/**
 * Returns whether a fault can inject a response for an operation.
 * The contract must document the response.
 * An error status is always allowed, because a gateway in front of the server can send it.
 */
export function canForce(route: Route, { status, example }: ForcedResponse): boolean {
  const isError = example === undefined && status !== undefined && status >= 400;
  return isError || isDocumented(route, { status, example });
}

function findPreferenceError(route: Route, { status, example }: ForcedResponse): InvalidPreferenceError | undefined {
  const names = example === undefined ? [] : [example];
  const chosen = tryOrError(InvalidPreferenceError, () => chooseResponse(route, { code: status, example }, names));
  return chosen instanceof InvalidPreferenceError ? chosen : undefined;
}
