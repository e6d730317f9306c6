import { HttpProblemError } from '../http/problem.ts';
import type { State } from '../store/state.ts';
import type { ChangeResult, Store } from '../store/store.ts';
import type { StateValidator } from '../store/validate-state.ts';
import { findJsonIssues, MAX_JSON_DEPTH } from '../util/json-limits.ts';

/** Objects that are frozen with all that is in them. */
const frozen = new WeakSet<object>();

/**
 * Guards a store against the handler of a user: what it reads is frozen, and a change that is no change, or whose state could not be stored or served,
 * fails the request with an error that names the operation. Nothing is changed then.
 */
export function guardStore(store: Store, operationId: string, validator: StateValidator): Store {
  return {
    ...store,
    read: () => {
      const snapshot = store.read();
      deepFreeze(snapshot.state);
      return snapshot;
    },
    update: (change) =>
      store.update((state, nowMs) => {
        deepFreeze(state);
        const changed = change(state, nowMs);
        const issue = findIssue(changed, validator);
        if (issue === undefined) return changed;
        const detail = `nothing was changed: in the handler of ${operationId}, the function given to update() ${issue}`;
        throw new HttpProblemError({ code: 'internal-error', detail });
      }),
  };
}

/** What is wrong with the result of a change, as the end of a sentence; undefined where nothing is. */
function findIssue(changed: ChangeResult<unknown>, validator: StateValidator): string | undefined {
  if (typeof changed !== 'object' || changed === null) return 'did not return an object: return { next, result }';
  if ('then' in changed) {
    // Its rejection is part of the same mistake.
    Promise.resolve(changed).catch(() => {});
    return 'returned a promise: wait before you call update(), and return { next, result } at once';
  }
  const { next } = changed;
  return next === undefined ? undefined : findStateIssue(next, validator);
}

function findStateIssue(next: State, validator: StateValidator): string | undefined {
  if (findJsonIssues(next).some(({ rule }) => rule === 'depth'))
    return `returned a state with a cycle, or with more than ${MAX_JSON_DEPTH} levels`;
  const [first, ...more] = validator.validate(asJson(next));
  if (!first) return undefined;
  const others = more.length > 0 ? `, and ${more.length} more errors` : '';
  return `returned an invalid state: ${first.pointer || 'the state'} ${first.message}${others}`;
}

/** A copy of a state as it would be stored; undefined where JSON can't hold it. */
function asJson(state: State): unknown {
  try {
    return JSON.parse(JSON.stringify(state));
  } catch {
    // Such as a BigInt.
    return undefined;
  }
}

/** Freezes an object with all that is in it, each only once: states share what did not change. */
function deepFreeze(value: object): void {
  if (frozen.has(value)) return;
  frozen.add(value);
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  Object.freeze(value);
}
