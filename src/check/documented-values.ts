import type { Contract } from '../openapi/contract.ts';
import type { Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { getSchemaParts } from '../openapi/schema-parts.ts';
import { applyEdit, findRequestParts, type RequestPart } from './request-edits.ts';
import { getBodyType, isSendable, type RequestValues, validateValues } from './requests.ts';

/** The maximum number of documented values of one part that are sent. */
const MAX_VALUES = 20;

/**
 * Returns the examples and the default that the contract documents for a part of a request: those of the parameter, and
 * those of its schema.
 */
export function getDocumentedValues({ normalized }: Contract, part: RequestPart): readonly unknown[] {
  const own = part.kind === 'parameter' ? part.parameter.examples.map(({ value }) => value) : [];
  const parts = part.schema === undefined ? [] : getSchemaParts(normalized, part.schema);
  const listed = parts.flatMap(({ node }) => [
    ...(Array.isArray(node.examples) ? node.examples : []),
    ...['example', 'default'].filter((key) => key in node).map((key) => node[key]),
  ]);
  return [...own, ...listed].slice(0, MAX_VALUES);
}

/**
 * Returns a copy of a valid request in which the examples and defaults of the contract replace generated values, where
 * the request stays valid.
 * Ids in the path stay unchanged.
 * Returns undefined if the contract has no such values.
 */
export function withDocumentedValues(contract: Contract, route: Route, base: RequestValues): RequestValues | undefined {
  let values = base;
  const replaced: RequestPart[] = [];
  for (const part of findRequestParts(contract, route, base)) {
    if (isInPath(part) || replaced.some((outer) => isWithin(part, outer))) continue;
    const examples = part.kind === 'body' && part.path.length === 0 ? getBodyExamples(route, base) : [];
    const documented = [...examples, ...getDocumentedValues(contract, part)]
      .map((value) => applyEdit(values, part, { kind: 'set', value }))
      .find((edited) => edited && isSendable(edited) && validateValues(contract, route, edited).kind === 'call');
    if (!documented) continue;
    values = documented;
    replaced.push(part);
  }
  return replaced.length > 0 ? values : undefined;
}

/** Returns the examples of a request body that the server should accept. */
function getBodyExamples(route: Route, { format }: RequestValues): readonly unknown[] {
  const examples = route.bodyMedia[format?.type ?? getBodyType(route) ?? '']?.examples ?? [];
  return examples.filter(isAcceptable(route)).map(({ value }) => value);
}

/**
 * Creates a function that returns whether the server should accept a request example.
 * It should reject an example if an error response (4xx or 5xx) has an example with the same name.
 */
export function isAcceptable({ responses }: Route): (example: Example) => boolean {
  const errors = responses.filter(({ name }) => /^[45]/.test(name)).flatMap(({ media }) => Object.values(media));
  const names = errors.flatMap(({ examples }) => examples.map(({ name }) => name));
  return ({ name }) => name === undefined || !names.includes(name);
}

function isInPath(part: RequestPart): boolean {
  return part.kind === 'parameter' && part.parameter.in === 'path';
}

/** Returns whether a value in a body is inside another value. */
function isWithin(part: RequestPart, outer: RequestPart): boolean {
  if (part.kind !== 'body' || outer.kind !== 'body') return false;
  return outer.path.every((key, index) => part.path[index] === key);
}
