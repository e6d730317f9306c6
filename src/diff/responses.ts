import { getStatuses } from '../openapi/check-structure.ts';
import { isNode } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { Delta } from './change.ts';
import { contentChanges, type Sides } from './content.ts';
import { getKeys, type Operation, resolveNode } from './operation.ts';
import { serializationChange } from './requests.ts';
import type { Compare } from './schema-pair.ts';
import { readSchema } from './schema-parts.ts';

/** Returns the changes of the responses of an operation. */
export function responseChanges(before: Operation, after: Operation, compare: Compare): readonly Delta[] {
  const [old, now] = [before, after].map(({ node }) => getStatuses(isNode(node.responses) ? node.responses : {}));
  const followed = (old ?? []).flatMap((status) =>
    findCorrespondingResponses(status, now ?? []).map((other) => [status, other] as const),
  );
  return [
    ...(old ?? [])
      .filter((status) => !followed.some(([one]) => one === status))
      .map((status) => removed(before, after, status)),
    ...(now ?? [])
      .filter((status) => !followed.some(([, one]) => one === status))
      .map((status) => added(before, after, status)),
    ...followed.flatMap(([status, other]) => compareResponses(before, after, compare, status, other)),
  ];
}

/**
 * Returns the names of the newer responses that correspond to an older response.
 * This is the response with the same name, if there is one.
 * If a success is missing, it is the range (`2XX`) or `default` that includes its status.
 * If a range of successes is missing, these are all documented statuses in the range.
 */
function findCorrespondingResponses(status: string, now: readonly string[]): readonly string[] {
  const same = now.find((one) => one.toUpperCase() === status.toUpperCase());
  if (same !== undefined) return [same];
  if (!isSuccess(status)) return [];
  if (/XX$/i.test(status)) return now.filter((one) => one[0] === status[0]);
  const range = now.find((one) => one.toUpperCase() === `${status[0]}XX`) ?? now.find((one) => /^default$/i.test(one));
  return range === undefined ? [] : [range];
}

/**
 * Returns the change of a removed response.
 * Only a removed success is breaking, because clients handle all errors in the same way.
 */
function removed(before: Operation, after: Operation, status: string): Delta {
  const message = `the response ${status} is removed`;
  const effect = isSuccess(status) ? 'removed' : 'neutral';
  return { effect, before: `${before.pointer}/responses/${status}`, after: `${after.pointer}/responses`, message };
}

function added(before: Operation, after: Operation, status: string): Delta {
  const message = `the response ${status} is new`;
  return {
    effect: 'added',
    before: `${before.pointer}/responses`,
    after: `${after.pointer}/responses/${status}`,
    message,
  };
}

function isSuccess(status: string): boolean {
  return /^[123]/.test(status);
}

function compareResponses(
  before: Operation,
  after: Operation,
  compare: Compare,
  old: string,
  now: string,
): readonly Delta[] {
  const [one, other] = [
    resolveNode(before.document, `${before.pointer}/responses/${old}`),
    resolveNode(after.document, `${after.pointer}/responses/${now}`),
  ];
  const root = `the ${now} response`;
  const direction = after.isOutgoing ? 'request' : 'response';
  const sides: Sides = { old: before.document, now: after.document, root, direction, compare };
  return [
    ...contentChanges(sides, `${one.pointer}/content`, `${other.pointer}/content`),
    ...headerChanges(sides, `${one.pointer}/headers`, `${other.pointer}/headers`),
  ];
}

function headerChanges(sides: Sides, before: string, after: string): readonly Delta[] {
  const [old, now] = [getHeaderNames(sides, 'old', before), getHeaderNames(sides, 'now', after)];
  const has = (names: readonly string[], name: string) => names.some((one) => one.toLowerCase() === name.toLowerCase());
  const words = (name: string) => `header ${name} of ${sides.root}`;
  return [
    ...old
      .filter((name) => !has(now, name))
      .map((name): Delta => {
        return { effect: 'removed', before: before + formatPointer(name), after, message: `${words(name)} is removed` };
      }),
    ...now
      .filter((name) => !has(old, name))
      .map((name): Delta => {
        return { effect: 'added', before, after: after + formatPointer(name), message: `${words(name)} is new` };
      }),
    ...now.flatMap((name) => {
      const same = old.find((one) => one.toLowerCase() === name.toLowerCase());
      return same === undefined
        ? []
        : compareHeaders(sides, before + formatPointer(same), after + formatPointer(name), words(name));
    }),
  ];
}

/**
 * Returns the names of the documented headers, except Content-Type, whose definition OpenAPI ignores (OpenAPI 3.0,
 * Response Object).
 */
function getHeaderNames(sides: Sides, side: 'old' | 'now', pointer: string): readonly string[] {
  return getKeys(sides[side], pointer).filter((name) => name.toLowerCase() !== 'content-type');
}

function compareHeaders(
  { old, now, direction, compare }: Sides,
  before: string,
  after: string,
  words: string,
): readonly Delta[] {
  const [one, other] = [resolveNode(old, before), resolveNode(now, after)];
  const [wasRequired, isRequired] = [one, other].map(({ node }) => node.required === true);
  const [ownBefore, ownAfter] = [one, other].map(
    ({ node, pointer }) => pointer + ('required' in node ? '/required' : ''),
  );
  const places = { before: ownBefore ?? '', after: ownAfter ?? '' };
  return [
    // Clients can't rely on an optional header.
    ...(wasRequired && !isRequired ? [{ effect: 'wider', ...places, message: `${words} is optional` } as const] : []),
    ...(!wasRequired && isRequired
      ? [{ effect: 'narrower', ...places, message: `${words} is always present` } as const]
      : []),
    ...serializationChange(one, other, words),
    ...compare({
      before: readSchema(old, `${one.pointer}/schema`),
      after: readSchema(now, `${other.pointer}/schema`),
      place: { steps: '', root: words },
      direction,
    }),
  ];
}
