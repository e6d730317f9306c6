import type { FaultWish } from '../../control/operation.ts';
import type { StateIssue } from '../../store/validate-state.ts';
import { isBodilessStatus } from '../../util/bodiless-status.ts';
import { pointerTo } from '../../util/json-pointer.ts';
import { isMessageHeader } from '../../util/message-headers.ts';
import { createRequestMatcher, type RequestMatcher } from '../matcher/request-matcher.ts';
import { InvalidMatcherError } from '../matcher/value-matcher.ts';

/** How long the faults of a sandbox may be together, as JSON in characters. */
export const MAX_FAULT_LENGTH = 20_000;

/** A fault that makes sense. */
export interface ParsedFault {
  readonly wish: FaultWish;
  readonly isMeant: RequestMatcher;
}

/** A fault that is wished for, where its condition makes sense. `at`: where the wish stands (JSON Pointer). Throws `InvalidMatcherError`. */
export function parseFault(wish: FaultWish, at = ''): ParsedFault {
  return { wish, isMeant: conditionAt(wish, at) };
}

/** What is wrong with a fault beside what its schema says and the contract of the shop; `at`: where it stands (JSON Pointer). */
export function faultFlaws(wish: FaultWish, at = ''): readonly StateIssue[] {
  const { status, example, body, headers, violation, delay, connection, bodyDurationMs } = wish;
  const effects = [status, example, delay, connection, bodyDurationMs];
  const isOwn = body !== undefined || headers !== undefined;
  const checks: readonly (readonly [isWrong: boolean, pointer: string, trouble: string])[] = [
    [
      effects.every((effect) => effect === undefined),
      '',
      'does nothing: give status, example, delay, connection or bodyDurationMs',
    ],
    [isOwn && status === undefined, body === undefined ? '/headers' : '/body', 'goes with a status: give one'],
    [
      body !== undefined && status !== undefined && isBodilessStatus(status),
      '/body',
      `can't be sent with status ${status}, which has no body: leave out body, or give another status`,
    ],
    [isOwn && example !== undefined, '/example', 'has a body of its own: leave out body and headers, or example'],
    [violation !== undefined && !isOwn, '/violation', 'goes with body or headers: give one of them, or leave it out'],
    [typeof delay === 'object' && delay.from > delay.to, '/delay', 'ends before it begins: give to at least from'],
    [
      connection === 'reset' && [status, example, bodyDurationMs].some((effect) => effect !== undefined),
      '/connection',
      'is reset, so that no answer comes: leave out status, example and bodyDurationMs',
    ],
    [
      connection === 'cut' && bodyDurationMs !== undefined,
      '/bodyDurationMs',
      'goes with no cut: leave out one of them',
    ],
    [
      JSON.stringify(wish).length > MAX_FAULT_LENGTH,
      '',
      `is longer than ${MAX_FAULT_LENGTH} characters: say less in where or body`,
    ],
  ];
  const flaws = checks.flatMap(([isWrong, pointer, trouble]) => (isWrong ? [{ pointer, trouble }] : []));
  return [...flaws, ...headerFlaws(headers)].map((flaw) => ({ ...flaw, pointer: at + flaw.pointer }));
}

/** A name and a value of a header (RFC 9110, sections 5.1 and 5.5), which HTTP can carry. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function headerFlaws(headers: FaultWish['headers'] = {}): readonly StateIssue[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.entries(headers).flatMap(([name, value], place) => {
    const pointer = `/headers${pointerTo(name)}`;
    if (!HEADER_NAME.test(name))
      return [{ pointer, trouble: 'is no name of a header: use letters, digits and hyphens' }];
    if (isMessageHeader(name)) return [{ pointer, trouble: 'is written by the server itself: leave it out' }];
    if (names.indexOf(name.toLowerCase()) < place)
      return [{ pointer, trouble: 'is given twice: names that differ only in case are the same header' }];
    return HEADER_VALUE.test(value) ? [] : [{ pointer, trouble: 'is no value of a header: use printable characters' }];
  });
}

function conditionAt(wish: FaultWish, at: string): RequestMatcher {
  try {
    return createRequestMatcher(wish);
  } catch (error) {
    if (!(error instanceof InvalidMatcherError)) throw error;
    throw new InvalidMatcherError(error.flaws.map((flaw) => ({ ...flaw, pointer: at + flaw.pointer })));
  }
}
