import { isDeepStrictEqual } from 'node:util';
import type { RawInput } from '../contract/requests.ts';
import type { Example } from '../contract/responses.ts';
import type { Route } from '../contract/routes.ts';

/**
 * The names under which the contract has this very request as an example: its body under `examples` of the request body, its parameters under
 * `examples` of theirs. Pairing what is asked and what is answered by these names is the custom of Microcks, Specmatic and Prism.
 */
export function namesOf({ bodyMedia, parameters }: Route, { path, query, body }: RawInput): readonly string[] {
  const byBody =
    body === undefined
      ? []
      : Object.values(bodyMedia).flatMap(({ examples }) =>
          namesWhere(examples, (value) => isDeepStrictEqual(value, body)),
        );
  const sent: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { path, query };
  const byParameters = parameters.flatMap(({ name, in: place, examples }) => {
    const value = sent[place]?.[name];
    return value === undefined ? [] : namesWhere(examples, (one) => String(one) === String(value));
  });
  return [...new Set([...byBody, ...byParameters])];
}

function namesWhere(examples: readonly Example[], isSent: (value: unknown) => boolean): readonly string[] {
  return examples.flatMap(({ name, value }) => (name !== undefined && isSent(value) ? [name] : []));
}
