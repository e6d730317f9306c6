import { ConditionFault } from '../sandboxes/expectation.ts';
import { TooManyFaults } from '../sandboxes/faults.ts';
import { PatternFault } from '../sandboxes/patterns.ts';
import type { Sandbox } from '../sandboxes/sandbox.ts';
import type { Flaw } from '../store/check-state.ts';
import type { ControlParts } from './handler.ts';
import { ControlRefusal } from './refusal.ts';

/** The sandbox of an id, which has to be there: looking at one doesn't make it. */
export function found(id: string, { sandboxes }: ControlParts): Sandbox {
  const sandbox = sandboxes.find(id);
  if (sandbox) return sandbox;
  const there = someOf(sandboxes.list().map((one) => one.id));
  const remedy = `PUT /_control/sandboxes/${id} makes it, as does a request of the shop that names it`;
  throw new ControlRefusal('unknown-sandbox', `there is no sandbox ${id}, but ${there}: ${remedy}`);
}

/** How many names a sentence tells. */
const TOLD = 20;

/** Some names, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const rest = names.length - TOLD;
  return `${names.slice(0, TOLD).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Declines where there are flaws. */
export function refuseFlaws(code: 'not-a-fault' | 'not-a-condition', flaws: readonly Flaw[]): void {
  if (flaws.length > 0) throw new ControlRefusal(code, sentenceOf(flaws), flaws);
}

function sentenceOf(flaws: readonly Flaw[]): string {
  return flaws.map(({ pointer, trouble }) => `${pointer || 'it'} ${trouble}`).join('; ');
}

/** What is given back, where what was asked for makes sense and there is room for it. */
export function orRefused<Value>(make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    if (error instanceof PatternFault) throw new ControlRefusal('not-a-condition', error.message);
    if (error instanceof ConditionFault)
      throw new ControlRefusal('not-a-condition', sentenceOf(error.flaws), error.flaws);
    if (error instanceof TooManyFaults) throw new ControlRefusal('too-many', error.message);
    throw error;
  }
}
