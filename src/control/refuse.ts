import { TooManyFaultsError } from '../sandbox/faults/fault-list.ts';
import { InvalidMatcherError } from '../sandbox/matcher/value-matcher.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { toIsoTime } from '../util/iso-time.ts';
import type { Issue } from '../util/issue.ts';
import type { ControlParts } from './handler.ts';
import { type ControlCode, ControlProblemError } from './refusal.ts';

/** The sandbox of an id, which has to be there: looking at one doesn't make it. */
export function getSandbox(id: string, { sandboxes }: ControlParts): Sandbox {
  const sandbox = sandboxes.find(id);
  if (sandbox) return sandbox;
  const there = formatNames(sandboxes.list().map((one) => one.id));
  const remedy = `PUT /_control/sandboxes/${id} makes it, as does a request of the shop that names it`;
  const expiredMs = sandboxes.expiredAtMs(id);
  const expired = expiredMs === undefined ? '' : `; it expired at ${toIsoTime(expiredMs)}`;
  throw new ControlProblemError('unknown-sandbox', `there is no sandbox ${id}, but ${there}${expired}: ${remedy}`);
}

/** How many names a sentence tells. */
const TOLD = 20;

/** Some names, and how many more there are. */
export function formatNames(names: readonly string[]): string {
  const rest = names.length - TOLD;
  return `${names.slice(0, TOLD).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Declines where there are flaws. */
export function refuseIssues(code: ControlCode, flaws: readonly Issue[]): void {
  if (flaws.length > 0) throw new ControlProblemError(code, sentenceOf(flaws), flaws);
}

function sentenceOf(flaws: readonly Issue[]): string {
  return flaws.map(({ pointer, message }) => `${pointer || 'it'} ${message}`).join('; ');
}

/** What is given back, where what was asked for makes sense and there is room for it. */
export function withControlProblems<Value>(make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    if (error instanceof InvalidMatcherError)
      throw new ControlProblemError('invalid-matcher', sentenceOf(error.issues), error.issues);
    if (error instanceof TooManyFaultsError) throw new ControlProblemError('limit-reached', error.message);
    throw error;
  }
}
