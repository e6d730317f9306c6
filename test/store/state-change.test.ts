import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { State } from '../../src/store/state.ts';
import { applyChanges, compareStates } from '../../src/store/state-change.ts';

const entries = Array.from({ length: 6 }, (_, id) => ({ id }));
const states: fc.Arbitrary<State> = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.subarray(entries), {
  noNullPrototype: true,
});

describe('The difference between two states', () => {
  it('makes the second of the first, with empty collections for those that the second lacks', () => {
    fc.assert(
      fc.property(states, states, (previous, next) => {
        const missing = Object.keys(previous).filter((name) => !Object.hasOwn(next, name));
        const expected = { ...next, ...Object.fromEntries(missing.map((name) => [name, []])) };
        expect(applyChanges(previous, [compareStates(previous, next)])).toEqual(expected);
      }),
    );
  });

  it('is empty for two references to one state', () => {
    const state = { a: entries };
    expect(compareStates(state, { ...state })).toEqual({});
  });
});
