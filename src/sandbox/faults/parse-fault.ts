import type { FaultWish } from '../../control/operation.ts';
import { isBodilessStatus } from '../../util/bodiless-status.ts';
import type { Issue } from '../../util/issue.ts';
import { pointerTo } from '../../util/json-pointer.ts';
import { isMessageHeader } from '../../util/message-headers.ts';
import { parseTime } from '../clock.ts';
import { createRequestMatcher, type RequestMatcher } from '../matcher/request-matcher.ts';
import { InvalidMatcherError } from '../matcher/value-matcher.ts';

/** The maximum length of the faults of a sandbox together, as JSON in characters. */
export const MAX_FAULT_LENGTH = 20_000;

/** A fault definition with its compiled matcher. */
export interface ParsedFault {
  readonly wish: FaultWish;
  readonly isMeant: RequestMatcher;
}

/** Compiles the matcher of a fault. `at` is the location of the fault (JSON Pointer). Throws an `InvalidMatcherError`. */
export function parseFault(fault: FaultWish, at = ''): ParsedFault {
  return { wish: fault, isMeant: createMatcherAt(fault, at) };
}

function createMatcherAt(fault: FaultWish, at: string): RequestMatcher {
  try {
    return createRequestMatcher(fault);
  } catch (error) {
    if (!(error instanceof InvalidMatcherError)) throw error;
    throw new InvalidMatcherError(error.flaws.map((issue) => ({ ...issue, pointer: at + issue.pointer })));
  }
}

/** Returns the issues of a fault beyond its schema: effects that contradict each other, invalid headers and times. `at` is the location of the fault. */
export function faultFlaws(fault: FaultWish, at = ''): readonly Issue[] {
  const issues = [...validateEffect(fault), ...validateResponse(fault), ...validateHeaders(fault.headers)];
  return issues.map((issue) => ({ ...issue, pointer: at + issue.pointer }));
}

function validateEffect(fault: FaultWish): readonly Issue[] {
  const { status, example, delay, connection, bodyDurationMs, until } = fault;
  const effects = [status, example, delay, connection, bodyDurationMs];
  return [
    ...issueIf(
      effects.every((effect) => effect === undefined),
      '',
      'has no effect: add status, example, delay, connection or bodyDurationMs',
    ),
    ...issueIf(
      typeof delay === 'object' && delay.from > delay.to,
      '/delay',
      'has a `to` less than its `from`: swap them',
    ),
    ...issueIf(
      connection === 'reset' && [status, example, bodyDurationMs].some((effect) => effect !== undefined),
      '/connection',
      'is reset, so there is no response: remove status, example and bodyDurationMs',
    ),
    ...issueIf(
      connection === 'cut' && bodyDurationMs !== undefined,
      '/bodyDurationMs',
      'cannot be combined with `connection: cut`: remove one of them',
    ),
    ...issueIf(
      until !== undefined && Number.isNaN(parseTime(until)),
      '/until',
      'is not a time: use a time such as 2025-06-01T12:00:00Z',
    ),
    ...issueIf(
      JSON.stringify(fault).length > MAX_FAULT_LENGTH,
      '',
      `is longer than ${MAX_FAULT_LENGTH} characters: shorten where or body`,
    ),
  ];
}

function validateResponse({ status, example, body, headers, violation }: FaultWish): readonly Issue[] {
  const hasOwnContent = body !== undefined || headers !== undefined;
  return [
    ...issueIf(
      hasOwnContent && status === undefined,
      body === undefined ? '/headers' : '/body',
      'needs a status: add one',
    ),
    ...issueIf(
      body !== undefined && status !== undefined && isBodilessStatus(status),
      '/body',
      `cannot be sent with status ${status}, which has no body: remove body, or use another status`,
    ),
    ...issueIf(
      hasOwnContent && example !== undefined,
      '/example',
      'has its own body: remove body and headers, or example',
    ),
    ...issueIf(
      violation !== undefined && !hasOwnContent,
      '/violation',
      'applies to body or headers: add one of them, or remove it',
    ),
  ];
}

function issueIf(isInvalid: boolean, pointer: string, message: string): readonly Issue[] {
  return isInvalid ? [{ pointer, message }] : [];
}

/** The syntax of header names and values (RFC 9110, sections 5.1 and 5.5). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function validateHeaders(headers: FaultWish['headers'] = {}): readonly Issue[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.entries(headers).flatMap(([name, value], index) => {
    const pointer = `/headers${pointerTo(name)}`;
    if (!HEADER_NAME.test(name)) return [{ pointer, message: 'is not a header name: use letters, digits and hyphens' }];
    if (isMessageHeader(name)) return [{ pointer, message: 'is set by the server: remove it' }];
    if (names.indexOf(name.toLowerCase()) < index)
      return [{ pointer, message: 'is repeated: header names are case-insensitive' }];
    return HEADER_VALUE.test(value) ? [] : [{ pointer, message: 'is not a header value: use printable characters' }];
  });
}
