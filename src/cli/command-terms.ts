import type { ControlRequest } from '../client/client.ts';
import type { ControlViolation } from '../control/operation.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { toFlag } from '../util/option-flag.ts';

/**
 * Rewrites an error message of the control API for the command line. Replaces property names with options (`atLeast` with `--at-least`). Replaces requests with
 * commands (`DELETE /_control/sandboxes/w1` with `storefront sandboxes remove --sandbox w1`).
 */
export function useCommandTerms(
  message: string,
  { path }: Pick<ControlRequest, 'path'>,
  violations: readonly ControlViolation[] = [],
): string {
  return violations
    .reduce((text, violation) => replaceSubject(text, violation, path), message)
    .replaceAll(/`(\w+)`/g, (_, property: string) => toOption(property))
    .replaceAll(
      /(PUT|DELETE|POST) \/_control\/sandboxes\/([\w-]+)(\/reset)?/g,
      (_, method: string, id: string) => `${COMMANDS[method]} --sandbox ${id}`,
    )
    .replace('use the address of a running server', 'set the address of a running server with --url or STOREFRONT_URL')
    .replace(/([Ss])end Authorization: Bearer TOKEN/, (_, s: string) => `${s === 'S' ? 'U' : 'u'}se --token TOKEN`);
}

/** The commands that replace HTTP requests in error messages, by the method of the request. */
const COMMANDS: Readonly<Record<string, string>> = {
  PUT: 'storefront sandboxes create',
  DELETE: 'storefront sandboxes remove',
  POST: 'storefront reset',
};

/** Matches the path of a request if each of its body properties and query parameters has a command line option. */
const OPTION_PATHS = /\/(faults|requests)\b/;

/** Replaces the name of an invalid property or parameter in an error message with the name of the command line option. */
function replaceSubject(message: string, { in: part, pointer, value }: ControlViolation, path: string): string {
  const [property, ...rest] = parsePointer(pointer);
  if (property === undefined) return message.replace(`the body is ${JSON.stringify(value)}`, () => 'Invalid options');
  const place = [property, ...rest].join('.');
  const subject = part === 'body' ? place : `${part} parameter ${place}`;
  if (part === 'path') return message.replace(subject, () => (property === 'id' ? '--sandbox' : property));
  if (!OPTION_PATHS.test(path)) return message;
  return message.replace(`${subject} `, () => `${[toOption(property), rest.join('.')].join(' ').trim()} `);
}

/** Returns the flag of the option that sets a body property or a query parameter. */
function toOption(property: string): string {
  return toFlag(property === 'headers' ? 'header' : property.replace(/Ms$/, ''));
}
