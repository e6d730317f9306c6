import { describe, it } from 'vitest';
import { groupByCause } from '../../src/check/causes.ts';
import { checkServer } from '../../src/check/check.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { stopAfterFinding } from '../support/harness/check.ts';
import { startClinic } from '../support/planted-defects/apis/clinic.ts';
import { createClinicDocument } from '../support/planted-defects/apis/clinic-document.ts';
import {
  CLINIC_DEFECTS,
  CLINIC_HABITS,
  CLINIC_HEADERS,
  type ClinicVariant,
} from '../support/planted-defects/apis/clinic-variants.ts';

/**
 * Checks a server with a defect or a habit. Returns the first rule of each cause, the findings, and what was not checked. `until`: the check ends after the
 * part that finds a violation of this rule.
 */
async function checkClinic(variant: ClinicVariant, seed: number, until?: string) {
  const contract = await loadContract({ path: await writeDocument(createClinicDocument(variant)), strict: false });
  const { url, close } = await startClinic(variant);
  try {
    const options = { headers: CLINIC_HEADERS, seed, runs: 10, mayWrite: true, isFresh: false, waitSeconds: 0 };
    const stop = until === undefined ? {} : stopAfterFinding(({ rule }) => rule === until);
    const { findings, unchecked } = await checkServer({ contract, url, ...options, ...stop });
    const rules = groupByCause(findings, contract.routes).map(([{ rule }]) => rule);
    return { rules, findings: findings.map(({ operationId, message }) => `${operationId}: ${message}`), unchecked };
  } finally {
    close();
  }
}

describe.concurrent('The check of the API of a clinic', { timeout: 1_800_000 }, () => {
  const defects = Object.entries(CLINIC_DEFECTS) as [keyof typeof CLINIC_DEFECTS, string][];

  it.for(defects)('finds that %s, as a violation of %s', async ([defect, rule], { expect }) => {
    const seed = 1 + (Object.keys(CLINIC_DEFECTS).indexOf(defect) % 3);
    expect((await checkClinic(defect, seed, rule)).rules).toContain(rule);
  });

  it.for([undefined, ...CLINIC_HABITS])(
    'has no findings if the server is correct and %s',
    async (habit, { expect }) => {
      const { findings, unchecked } = await checkClinic(habit, 1);
      expect([findings, unchecked]).toEqual([[], []]);
    },
  );
});
