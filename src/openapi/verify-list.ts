import { type Steps, splitList } from '../util/slices.ts';
import { type Document, getNode, isNode, parseReference } from './document.ts';
import { type DocumentedResponse, findResponse, type ResponseToVerify, type ResponseViolation } from './responses.ts';

/** The keywords of an array schema whose validation does not need the whole list: each entry can be validated on its own. */
const ENTRY_KEYWORDS = ['type', 'items', 'nullable', 'title', 'description', 'example', 'examples', 'externalDocs'];

/** The maximum number of violations that are reported for a long list. */
const MAX_VIOLATIONS = 1_000;

/** A response with a list as its body. */
export type ListResponse = ResponseToVerify & { readonly body: readonly unknown[] };

/**
 * Verifies a list in a response part by part, and yields after each part. Returns the first 1,000 violations. `verify`: returns the violations in a response
 * that has only a part of the list.
 */
export function* verifyListParts(
  response: ListResponse,
  verify: (response: ResponseToVerify) => readonly ResponseViolation[],
): Steps<readonly ResponseViolation[]> {
  const violations: ResponseViolation[] = [];
  for (const [body, start] of splitList(response.body)) {
    const found = verify({ ...response, body });
    violations.push(...(start === 0 ? found : found.flatMap((violation) => moveToEntry(violation, start))));
    if (violations.length >= MAX_VIOLATIONS) break;
    yield;
  }
  return violations.slice(0, MAX_VIOLATIONS);
}

/**
 * Converts a violation in a part of a list so that it refers to the whole list: `body/3/name` becomes `body/503/name` if the part starts at index 500. Returns
 * an empty array for a violation in the status or a header. `start`: the index at which the part starts.
 */
function moveToEntry(violation: ResponseViolation, start: number): readonly ResponseViolation[] {
  const [place, index] = /^body\/(\d+)/.exec(violation.where) ?? [];
  // The first part has already reported the violations in the status and the headers.
  if (place === undefined) return [];
  const move = (text: string) => `body/${start + Number(index)}${text.slice(place.length)}`;
  return [{ ...violation, where: move(violation.where), message: move(violation.message) }];
}

/** Returns whether a list in a response can be verified in parts. This is not possible if the schema has a rule for the whole list, such as `uniqueItems`. */
export function canVerifyParts(
  document: Document,
  responses: readonly DocumentedResponse[],
  { status }: ResponseToVerify,
): boolean {
  return Object.values(findResponse(responses, status)?.media ?? {}).every(
    ({ schema }) => schema === undefined || hasOnlyEntryRules(document, getNode(document, schema)),
  );
}

/** Returns whether a schema has only rules for the entries of a list. Also checks the keywords beside a reference, which are rules in OpenAPI 3.1. */
function hasOnlyEntryRules(document: Document, schema: unknown): boolean {
  if (!isNode(schema)) return false;
  const { $ref, ...rules } = schema;
  if (!Object.keys(rules).every((key) => ENTRY_KEYWORDS.includes(key) || key.startsWith('x-'))) return false;
  return typeof $ref !== 'string' || hasOnlyEntryRules(document, getNode(document, parseReference($ref)));
}
