import { type Steps, splitList } from '../util/slices.ts';
import { type Document, getNode, isNode, parseReference } from './document.ts';
import { type DocumentedResponse, findResponse, type ResponseToVerify, type ResponseViolation } from './responses.ts';

/** The keywords of an array schema that make a list valid if, and only if, each entry is valid. */
const ENTRY_KEYWORDS = ['type', 'items', 'nullable', 'title', 'description', 'example', 'examples', 'externalDocs'];

/** The maximum number of violations in a long list. */
const MAX_VIOLATIONS = 1_000;

/** A response with a list as its body. */
export type ListResponse = ResponseToVerify & { readonly body: readonly unknown[] };

/** Verifies a response with a list, part by part. `verify` returns the violations in a response. Returns the first 1,000 violations. */
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

/** Returns a violation of a part with its place in the whole list. `start`: the index of the part. Returns none for a violation outside of the entries. */
function moveToEntry(violation: ResponseViolation, start: number): readonly ResponseViolation[] {
  const [place, index] = /^body\/(\d+)/.exec(violation.where) ?? [];
  // The status and the headers are the same for each part.
  if (place === undefined) return [];
  const move = (text: string) => `body/${start + Number(index)}${text.slice(place.length)}`;
  return [{ ...violation, where: move(violation.where), message: move(violation.message) }];
}

/** Returns whether the parts of a list in a response can be verified separately: its schema has no rule for the whole list, such as `uniqueItems`. */
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
