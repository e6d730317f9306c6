import type { FaultWish } from '../control/operation.ts';
import type { Flaw } from '../store/check-state.ts';
import { momentIn } from './clock.ts';
import { type Condition, conditionOf } from './condition.ts';
import { ConditionFault } from './expectation.ts';

/** How long the faults of a sandbox may be together, as JSON in characters. */
export const LONGEST = 20_000;

/** A fault that makes sense. */
export interface FaultWanted {
  readonly wish: FaultWish;
  readonly isMeant: Condition;
}

/** A fault that is wished for, where it makes sense. `at`: where the wish stands (JSON Pointer). Throws `ConditionFault`. */
export function faultWanted(wish: FaultWish, at = ''): FaultWanted {
  const isMeant = conditionAt(wish, at);
  const flaws = flawsOf(wish, at);
  if (flaws.length > 0) throw new ConditionFault(flaws);
  return { wish, isMeant };
}

/** What is wrong with a fault beside what its schema says. */
function flawsOf(wish: FaultWish, at: string): readonly Flaw[] {
  const { code, example, delay, connection, slowMs, until } = wish;
  const effects = [code, example, delay, connection, slowMs];
  const checks: readonly (readonly [isWrong: boolean, pointer: string, trouble: string])[] = [
    [
      effects.every((effect) => effect === undefined),
      '',
      'does nothing: give code, example, delay, connection or slowMs',
    ],
    [typeof delay === 'object' && delay.from > delay.to, '/delay', 'ends before it begins: give to at least from'],
    [
      connection === 'reset' && [code, example, slowMs].some((effect) => effect !== undefined),
      '/connection',
      'is reset, so that no answer comes: leave out code, example and slowMs',
    ],
    [connection === 'cut' && slowMs !== undefined, '/slowMs', 'goes with no cut: leave out one of them'],
    [
      until !== undefined && Number.isNaN(momentIn(until)),
      '/until',
      'is no moment: give one such as 2025-06-01T12:00:00Z',
    ],
    [JSON.stringify(wish).length > LONGEST, '', `is longer than ${LONGEST} characters: say less in where`],
  ];
  return checks.flatMap(([isWrong, pointer, trouble]) => (isWrong ? [{ pointer: at + pointer, trouble }] : []));
}

function conditionAt(wish: FaultWish, at: string): Condition {
  try {
    return conditionOf(wish);
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error;
    throw new ConditionFault(error.flaws.map((flaw) => ({ ...flaw, pointer: at + flaw.pointer })));
  }
}
