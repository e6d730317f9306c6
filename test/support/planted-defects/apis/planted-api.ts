import { describe, it } from 'vitest';
import type { Api, ApiDefect } from './api.ts';
import { API_DEFECTS, API_HABITS, checkVariant } from './find-api-defects.ts';

/** The timeout of a test, in ms. The tests that run at once share one process, so each can take as long as all of them. */
const TIMEOUT_MS = 1_800_000;

/**
 * Tests that the check finds each defect of an API, and nothing in correct variants of it.
 * Most of the time is spent waiting, so several tests run at once.
 */
export function testPlantedDefects(name: string, api: Api): void {
  const defects = Object.entries(API_DEFECTS) as [ApiDefect, string][];
  describe.concurrent(`The check of the API of ${name}`, { timeout: TIMEOUT_MS }, () => {
    it.for(defects)('finds that %s, as a violation of %s', async ([defect, rule], { expect }) => {
      const seed = 1 + (Object.keys(API_DEFECTS).indexOf(defect) % 3);
      const { causes } = await checkVariant(api, defect, { seed, until: rule });
      expect(causes.map(([first]) => first)).toContain(rule);
    });

    it('has no findings in a correct server', async ({ expect }) => {
      const { verdict } = await checkVariant(api, undefined, { seed: 1 });
      expect([verdict.findings, verdict.unchecked]).toEqual([[], []]);
    });

    it.for(API_HABITS)('has no findings if the server %s', async (habit, { expect }) => {
      const { verdict } = await checkVariant(api, habit, { seed: 1 });
      expect(verdict.findings.map(({ operationId, message }) => `${operationId}: ${message}`)).toEqual([]);
      expect(verdict.unchecked).toEqual([]);
    });
  });
}
