import type { FaultDefinition } from '../control/operation.ts';
import { createRequestMatcher, type RequestMatcher } from '../matcher/request-matcher.ts';
import { InvalidMatcherError } from '../matcher/value-matcher.ts';
import { createIssue, type Issue } from '../util/issue.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { isServerHeader } from '../util/server-headers.ts';

/** A fault definition with its compiled matcher. */
export interface ParsedFault {
  readonly definition: FaultDefinition;
  readonly matcher: RequestMatcher;
}

/**
 * Compiles the matcher of a fault.
 * `at`: the JSON Pointer to the fault in the request body.
 * Throws `InvalidMatcherError` if the matcher is invalid.
 */
export function parseFault(definition: FaultDefinition, at = ''): ParsedFault {
  try {
    return { definition, matcher: createRequestMatcher(definition) };
  } catch (error) {
    if (!(error instanceof InvalidMatcherError)) throw error;
    throw new InvalidMatcherError(error.issues.map((issue) => ({ ...issue, pointer: at + issue.pointer })));
  }
}

/**
 * Checks the header names of a fault.
 * Returns an issue for each header that only the server can set, and for each name that occurs twice.
 * A JSON Schema can't express these rules.
 */
export function findFaultIssues({ headers = {} }: FaultDefinition): readonly Issue[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.keys(headers).flatMap((name, index) => {
    const pointer = `/headers${formatPointer(name)}`;
    const isRepeated = names.indexOf(name.toLowerCase()) < index;
    if (!isRepeated && !isServerHeader(name)) return [];
    const problem = isRepeated
      ? 'is repeated, because header names are case-insensitive'
      : 'is set by the server, and a fault cannot change it';
    return [createIssue(pointer, { rule: 'propertyNames', problem, remedy: 'remove it' })];
  });
}
