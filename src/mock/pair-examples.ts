import { isDeepStrictEqual } from 'node:util';
import type { Example } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import type { RawInput } from '../openapi/validate-request.ts';

/**
 * The names under which the contract has this very request as an example: its body under `examples` of the request body, its parameters under
 * `examples` of theirs. A name matches when every part that has an example of this name was sent with its value; of the names that match, those that
 * the most parts have. Pairing requests with responses by these names is the custom of Microcks, Specmatic and Prism.
 */
export function namesOf({ bodyMedia, parameters }: Route, { path, query, body }: RawInput): readonly string[] {
  const sent: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { path, query };
  const parts: readonly Part[] = [
    {
      examples: Object.values(bodyMedia).flatMap(({ examples }) => examples),
      isSent: (value) => isDeepStrictEqual(value, body),
    },
    ...parameters.map(({ name, in: place, examples }): Part => {
      const given = sent[place]?.[name];
      return { examples, isSent: (value) => given !== undefined && String(value) === String(given) };
    }),
  ];
  const names = [...new Set(parts.flatMap(({ examples }) => examples.flatMap(({ name }) => name ?? [])))];
  const counts = names.map((name) => matchCount(parts, name));
  const most = Math.max(0, ...counts);
  return most === 0 ? [] : names.filter((_, place) => counts[place] === most);
}

/** A part of a request: its examples in the contract, and whether a value is what was sent. */
interface Part {
  readonly examples: readonly Example[];
  readonly isSent: (value: unknown) => boolean;
}

/** How many parts have an example of this name; 0 when one of them was sent with another value, or not sent. */
function matchCount(parts: readonly Part[], name: string): number {
  const matches = parts.flatMap(({ examples, isSent }) => {
    const named = examples.filter((example) => example.name === name);
    return named.length === 0 ? [] : [named.some(({ value }) => isSent(value))];
  });
  return matches.includes(false) ? 0 : matches.length;
}
