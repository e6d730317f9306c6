import { expect, it, onTestFinished } from 'vitest';
import type { Verdict } from '../../../src/check/check.ts';
import { CheckStoppedError } from '../../../src/check/exchange.ts';
import type { CheckResults } from '../../../src/check/findings.ts';
import { shopModel } from '../../../src/shop/model/shop.ts';
import { formatFindings, getFailedChecks, runCheck } from '../harness/check.ts';
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
      const verdict = await checkUntilFinding(url, scope);
      expect(getFailedChecks(verdict).length > 0).toBe(verdict.findings.length > 0);
      found.push(...formatFindings(verdict.findings));
    }
    expect(found).not.toEqual([]);
  });
}

/** Runs the check of a shop, and stops it after the first part with a finding: the rest of the check would need most of the time. */
async function checkUntilFinding(url: string, scope: { readonly only?: readonly string[] }): Promise<Verdict> {
  const controller = new AbortController();
  let results: CheckResults | undefined;
  return runCheck(url, {
    runs: RUNS,
    ...scope,
    model: {
      ...shopModel,
      open(context, ...more) {
        results = context.session.results;
        return shopModel.open(context, ...more);
      },
    },
    signal: controller.signal,
    onProgress() {
      if (results && results.findings.length > 0)
        controller.abort(new CheckStoppedError('a finding is enough', 'interrupted'));
    },
  });
}
