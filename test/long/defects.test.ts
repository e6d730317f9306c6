import { describe, expect, it, onTestFinished } from 'vitest';
import { formatFindings, getFailedChecks, runCheck } from '../support/harness/check.ts';
import { getDefect } from '../support/oracles/who-finds-what.ts';
import { defects, startDefective } from '../support/planted-defects/planted-defects.ts';

/** The default of the command. */
const RUNS = 50;

/** Defects that cannot be found with only the contract and HTTP, each with the reason. */
const BEYOND_REACH: Readonly<Record<string, string>> = {};

describe('storefront check', () => {
  it.each(defects.map(({ name }) => name).filter((name) => !(name in BEYOND_REACH)))(
    'finds the planted defect in a shop that %s',
    async (name) => {
      const defect = getDefect(name);
      const { operationId } = defect;
      // Most defects show in their own operation; the others need a check of all operations.
      const scopes = [...(operationId === undefined ? [] : [{ only: [operationId] }]), {}];
      const found: string[] = [];
      for (const scope of scopes) {
        if (found.length > 0) break;
        const { url, close } = await startDefective(defect);
        onTestFinished(close);
        const verdict = await runCheck(url, { runs: RUNS, ...scope });
        expect(getFailedChecks(verdict).length > 0).toBe(verdict.findings.length > 0);
        found.push(...formatFindings(verdict.findings));
      }
      expect(found).not.toEqual([]);
    },
  );

  it('is tested with defects whose names are unique, and every exception names a defect', () => {
    const names = defects.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(BEYOND_REACH).filter((name) => !names.includes(name))).toEqual([]);
  });
});
