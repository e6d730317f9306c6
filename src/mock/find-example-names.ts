import { isDeepStrictEqual } from 'node:util';
import type { Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { OperationInput } from '../openapi/validate-request.ts';

/**
 * Returns the names of the request examples that match a request. A name matches if every part of the request (body, parameters) that has an example of
 * this name was sent with its value. Returns only the names that match the most parts. Microcks, Specmatic and Prism also pair request and response
 * examples by name.
 */
export function findExampleNames(
  { bodyMedia, parameters }: Route,
  { path, query, body }: OperationInput,
): readonly string[] {
  const sent: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { path, query };
  const parts: readonly RequestPart[] = [
    {
      examples: Object.values(bodyMedia).flatMap(({ examples }) => examples),
      isSent: (value) => isDeepStrictEqual(value, body),
    },
    ...parameters.map(({ name, in: location, examples }): RequestPart => {
      const sentValue = sent[location]?.[name];
      return { examples, isSent: (value) => sentValue !== undefined && String(value) === String(sentValue) };
    }),
  ];
  const names = [...new Set(parts.flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? [])))];
  const counts = names.map((name) => countMatches(parts, name));
  const highest = Math.max(0, ...counts);
  return highest === 0 ? [] : names.filter((_, index) => counts[index] === highest);
}

interface RequestPart {
  readonly examples: readonly Example[];
  /** Returns whether the part was sent with a value. */
  readonly isSent: (value: unknown) => boolean;
}

/** Returns the number of parts that match the example; 0 if one doesn't. */
function countMatches(parts: readonly RequestPart[], name: string): number {
  const matches = parts.flatMap(({ examples, isSent }) => {
    const named = examples.filter((example) => example.name === name);
    return named.length === 0 ? [] : [named.some(({ value }) => isSent(value))];
  });
  return matches.includes(false) ? 0 : matches.length;
}
