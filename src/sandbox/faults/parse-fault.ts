import type { FaultWish } from '../../control/operation.ts';
import type { StateIssue } from '../../store/validate-state.ts';
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

/** Returns what is wrong with a fault that its schema can't say. */
export function findFaultIssues({ headers = {} }: FaultWish): readonly StateIssue[] {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.keys(headers).flatMap((name, place) => {
    const pointer = `/headers${pointerTo(name)}`;
    if (isMessageHeader(name)) return [{ pointer, trouble: 'is written by the server itself: leave it out' }];
    if (names.indexOf(name.toLowerCase()) < place)
      return [{ pointer, trouble: 'is given twice: names that differ only in case are the same header' }];
    return [];
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
