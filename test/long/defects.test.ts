import { describe, expect, it, onTestFinished } from 'vitest';
import { checked, judgesOf, told } from '../support/check.ts';
import { defects, startDefective } from '../support/defects.ts';
import { defectNamed } from '../support/who-finds-what.ts';

/** As many as the command makes unless it says otherwise. */
const RUNS = 50;

/** Defects that nobody can find who has but the contract and HTTP, each with the reason. */
const BEYOND_REACH: Readonly<Record<string, string>> = {};

describe('a planted defect', () => {
  it.each(defects.map(({ name }) => name).filter((name) => !(name in BEYOND_REACH)))(
    'is found: a shop that %s',
    async (name) => {
      const { url, close } = await startDefective(defectNamed(name));
      onTestFinished(close);
      const verdict = await checked(url, { runs: RUNS });
      expect(told(verdict.findings)).not.toEqual([]);
      expect(judgesOf(verdict)).not.toEqual([]);
    },
  );

  it('has a name of its own, and one of those that are out of reach has to be there', () => {
    const names = defects.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(BEYOND_REACH).filter((name) => !names.includes(name))).toEqual([]);
  });
});
