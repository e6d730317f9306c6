import { describe, expect, it, onTestFinished } from 'vitest';
import { checked, judgesOf, told } from '../support/harness/check.ts';
import { defectNamed } from '../support/oracles/who-finds-what.ts';
import { defects, startDefective } from '../support/planted-defects/planted-defects.ts';

/** As many as the command makes unless it says otherwise. */
const RUNS = 50;

/** Defects that nobody can find who has but the contract and HTTP, each with the reason. */
const BEYOND_REACH: Readonly<Record<string, string>> = {};

describe('a planted defect', () => {
  it.each(defects.map(({ name }) => name).filter((name) => !(name in BEYOND_REACH)))(
    'is found: a shop that %s',
    async (name) => {
      const defect = defectNamed(name);
      const { operationId } = defect;
      // Most show where they are; the others take a look at all.
      const looks = [...(operationId === undefined ? [] : [{ only: [operationId] }]), {}];
      const found: string[] = [];
      for (const look of looks) {
        if (found.length > 0) break;
        const { url, close } = await startDefective(defect);
        onTestFinished(close);
        const verdict = await checked(url, { runs: RUNS, ...look });
        expect(judgesOf(verdict).length > 0).toBe(verdict.findings.length > 0);
        found.push(...told(verdict.findings));
      }
      expect(found).not.toEqual([]);
    },
  );

  it('has a name of its own, and one of those that are out of reach has to be there', () => {
    const names = defects.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(BEYOND_REACH).filter((name) => !names.includes(name))).toEqual([]);
  });
});
