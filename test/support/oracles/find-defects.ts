import { expect, it, onTestFinished } from 'vitest';
import { formatFindings, getFailedChecks, runCheck, stopAfterFinding } from '../harness/check.ts';
import { type Defect, startDefective } from '../planted-defects/planted-defects.ts';

/** The default of the command. */
const RUNS = 50;

/** Adds a test for each defect: `storefront check` of a shop with this defect finds it with only the contract and HTTP. */
export function testThatCheckFinds(defects: readonly Defect[]): void {
  it.each(defects)('storefront check finds the planted defect in a shop that $name', async (defect) => {
    const { operationId } = defect;
    // Most defects show in their own operation; the others need a check of all operations.
    const scopes = [...(operationId === undefined ? [] : [{ only: [operationId] }]), {}];
    const found: string[] = [];
    for (const scope of scopes) {
      if (found.length > 0) break;
      const { url, close } = await startDefective(defect);
      onTestFinished(close);
      const verdict = await runCheck(url, { runs: RUNS, ...scope, ...stopAfterFinding() });
      expect(getFailedChecks(verdict).length > 0).toBe(verdict.findings.length > 0);
      found.push(...formatFindings(verdict.findings));
    }
    expect(found).not.toEqual([]);
  });
}

/** Adds a test for each defect: `storefront check` of the whole shop finds it with each of three seeds. */
export function testThatEverySeedFinds(defects: readonly Defect[]): void {
  const cases = defects.flatMap((defect) => [1, 2, 3].map((seed) => ({ ...defect, seed })));
  it.each(cases)('storefront check finds a shop that $name, with seed $seed', async ({ seed, ...defect }) => {
    const { url, close } = await startDefective(defect);
    onTestFinished(close);
    const { findings } = await runCheck(url, { runs: RUNS, seed });
    expect(formatFindings(findings)).not.toEqual([]);
  });
}
