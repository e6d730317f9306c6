import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import { findErrorResponse, findResponse } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';
import { createStatusError, isMismatchedCode, type RequestError } from './error-fields.ts';
import type { Mock } from './mock.ts';

/** An error response of some operations, whose body the mock creates unless the response has one. */
interface InjectedError {
  readonly operation?: string | readonly string[] | undefined;
  readonly status?: number | undefined;
  readonly example?: string | undefined;
  readonly body?: unknown;
}

/** The contract, and the mock that creates the bodies of fault responses. */
interface Setup {
  readonly contract: Pick<Contract, 'routes'>;
  readonly mock: Mock;
}

/**
 * Returns a warning if the response of a fault has an error code that does not fit the status, such as `not_found` for
 * status 503.
 * The mock generates a wrong code only if the contract allows no other.
 */
export function findMismatchedCodes({ contract, mock }: Setup, fault: InjectedError): readonly string[] {
  const { operation = [], status = 0, body, example } = fault;
  if (status < 400 || body !== undefined || example !== undefined) return [];
  const selected = contract.routes.filter(({ operationId }) => [operation].flat().includes(operationId));
  const [code] = selected.flatMap((route) => findCodes(createBody(mock, route, status), createStatusError(status)));
  return code === undefined ? [] : [`${describeCode(code, status)}: set body`];
}

/**
 * Returns a message if the body of an error response has an error code that does not fit its status.
 * Returns undefined if the code fits, or if the contract has an example for the response.
 */
export function describeMismatchedCode(route: Route, body: unknown, error: RequestError): string | undefined {
  if (hasExamples(route, error.status)) return undefined;
  const [code] = findCodes(body, error);
  return code === undefined ? undefined : describeCode(code, error.status);
}

function describeCode(code: string, status: number): string {
  return `the body has the code "${code}", because the contract allows no code that fits the status ${status}`;
}

function hasExamples({ responses }: Route, status: number): boolean {
  const media = Object.values(findErrorResponse(responses, status)?.media ?? {});
  return media.some(({ examples }) => examples.length > 0);
}

/**
 * Returns the body that the mock creates for an error status of an operation; undefined if the contract has an example
 * for the response.
 */
function createBody(mock: Mock, route: Route, status: number): unknown {
  const media = Object.values(findResponse(route.responses, status)?.media ?? {});
  if (media.some(({ examples }) => examples.length > 0)) return undefined;
  const { body } =
    (media.length > 0
      ? tryOrUndefined(() => mock.createResponse(route, NO_INPUT, { code: status }, ''))
      : mock.createUndocumentedError(route, status, '')) ?? {};
  return body;
}

const NO_INPUT = { path: {}, query: {}, body: undefined };

/** `isEntry`: whether the body is a part of an entry of a list. */
function findCodes(body: unknown, error: RequestError, isEntry = false): readonly string[] {
  if (Array.isArray(body)) return body.flatMap((entry) => findCodes(entry, error, true));
  if (!isNode(body)) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    isMismatchedCode(name, value, error, isEntry) ? [String(value)] : findCodes(value, error, isEntry),
  );
}
