import { isJsonType } from '../openapi/media-types.ts';
import type { Route } from '../openapi/routes.ts';
import type { RequestToSend } from './exchange.ts';

/** The maximum number of media types that the check names in the header `Accept`. */
const MAX_TYPES = 8;

/** Returns the media types of the success responses of an operation, JSON first. */
export function getAcceptedTypes({ responses }: Route): readonly string[] {
  const successes = responses.filter(({ name }) => /^2|^default$/.test(name));
  const types = [...new Set(successes.flatMap(({ media }) => Object.keys(media)))];
  return [...types.filter(isJsonType), ...types.filter((type) => !isJsonType(type))].slice(0, MAX_TYPES);
}

/**
 * Adds the header `Accept` to a request: the documented media types of the success responses, and any other type with a
 * low preference.
 * Without this header, many frameworks respond with HTML.
 * Returns the request unchanged if it or the `headers` of the user already have one, or if no type is documented.
 */
export function withAccept(
  route: Route,
  headers: Readonly<Record<string, string>>,
  request: RequestToSend,
): RequestToSend {
  const types = getAcceptedTypes(route);
  const { accept } = { ...headers, ...request.headers };
  if (accept !== undefined || types.length === 0) return request;
  return { ...request, headers: { accept: `${types.join(', ')}, */*;q=0.1`, ...request.headers } };
}
