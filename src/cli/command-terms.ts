import type { ControlRequest, ControlViolation } from '../client/client.ts';
import { parsePointer } from '../util/json-pointer.ts';
import { toFlag } from './control-command.ts';

/** Returns a message of the control API with options and commands in place of the properties and the requests of the API. */
export function useCommandTerms(
  message: string,
  { path }: Pick<ControlRequest, 'path'>,
  violations: readonly ControlViolation[] = [],
): string {
  const named = violations.reduce((text, violation) => nameOption(text, violation, path), message);
  return named
    .replaceAll(/`(\w+)`/g, (_, property: string) => toOption(property))
    .replaceAll(
      /(PUT|DELETE|POST) \/_control\/sandboxes\/([\w-]+)(\/reset)?/g,
      (_, method: string, id: string) => `${COMMANDS[method]} --sandbox ${id}`,
    )
    .replace(/([Ss])end Authorization: Bearer TOKEN/, (_, s: string) => `${s === 'S' ? 'U' : 'u'}se --token TOKEN`);
}

/** The commands for the requests in messages, by method. */
const COMMANDS: Readonly<Record<string, string>> = {
  PUT: 'storefront sandboxes create',
  DELETE: 'storefront sandboxes remove',
  POST: 'storefront reset',
};

/** Requests whose properties and query parameters are options of the command. */
const WITH_OPTIONS = /\/(faults|requests)\b/;

/** Replaces the subject of the clause about an invalid value by the option with the value. */
function nameOption(message: string, { in: part, pointer, value }: ControlViolation, path: string): string {
  const [property, ...rest] = parsePointer(pointer);
  if (property === undefined) return message.replace(`the body is ${JSON.stringify(value)}`, () => 'Invalid options');
  const place = [property, ...rest].join('.');
  const subject = part === 'body' ? place : `${part} parameter ${place}`;
  if (part === 'path') return message.replace(subject, () => (property === 'id' ? '--sandbox' : property));
  if (!WITH_OPTIONS.test(path)) return message;
  return message.replace(`${subject} `, () => `${[toOption(property), rest.join('.')].join(' ').trim()} `);
}

/** Returns the option for a property of a body or a query parameter. */
function toOption(property: string): string {
  return toFlag(property === 'headers' ? 'header' : property.replace(/Ms$/, ''));
}
