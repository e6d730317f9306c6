import { describe, it } from 'vitest';
import { groupByCause } from '../../../../src/check/causes.ts';
import { checkServer, type Verdict } from '../../../../src/check/check.ts';
import type { RuleName } from '../../../../src/check/rules.ts';
import { type Contract, loadContract } from '../../../../src/openapi/contract.ts';
import { writeDocument } from '../../fixtures/other-document.ts';
import { stopAfterFinding } from '../../harness/check.ts';

/** A server whose variants have planted defects, one at a time, or habits of correct servers. */
export interface PlantedApi<Defect extends string, Habit extends string> {
  readonly name: string;
  /** The credentials of a client with all rights. */
  readonly headers: Readonly<Record<string, string>>;
  /** The rule that each defect violates. */
  readonly defects: Readonly<Record<Defect, RuleName>>;
  readonly habits: readonly Habit[];
  /** Returns the OpenAPI document of a variant. */
  readonly describe: (variant: NoInfer<Defect | Habit> | undefined) => object;
  /** Starts the server. Returns its URL and a function that stops it. */
  readonly start: (variant: NoInfer<Defect | Habit> | undefined) => Promise<{ url: string; close: () => void }>;
}

/** The result of a check of a server: its causes, each as the rules of its findings, and the verdict. */
interface VariantVerdict {
  readonly causes: readonly (readonly RuleName[])[];
  readonly verdict: Verdict;
  readonly contract: Contract;
}

/**
 * Checks a server with a defect or a habit.
 * `until`: the check ends after the part that finds a violation of this rule.
 */
export async function checkVariant<Defect extends string, Habit extends string>(
  api: PlantedApi<Defect, Habit>,
  variant: Defect | Habit | undefined,
  { seed, runs = 10, until }: { readonly seed: number; readonly runs?: number; readonly until?: RuleName },
): Promise<VariantVerdict> {
  const contract = await loadContract({ path: await writeDocument(api.describe(variant)), strict: false });
  const { url, close } = await api.start(variant);
  try {
    const options = { headers: api.headers, seed, runs, mayWrite: true, isFresh: false, waitSeconds: 0 };
    const stop = until === undefined ? {} : stopAfterFinding(({ rule }) => rule === until);
    const verdict = await checkServer({ contract, url, ...options, ...stop });
    const causes = groupByCause(verdict.findings, contract.routes).map((group) => group.map(({ rule }) => rule));
    return { causes, verdict, contract };
  } finally {
    close();
  }
}

/** The timeout of a test, in ms. The tests that run at once share one process, so each can take as long as all of them. */
const TIMEOUT_MS = 1_800_000;

/**
 * Tests that the check finds each defect of an API, and nothing in correct variants of it.
 * Most of the time is spent waiting, so several tests run at once.
 */
export function testPlantedDefects<Defect extends string, Habit extends string>(api: PlantedApi<Defect, Habit>): void {
  const defects = Object.entries(api.defects) as [Defect, RuleName][];
  describe.concurrent(`The check of the API of ${api.name}`, { timeout: TIMEOUT_MS }, () => {
    it.for(defects)('finds that %s, as a violation of %s', async ([defect, rule], { expect }) => {
      const seed = 1 + (Object.keys(api.defects).indexOf(defect) % 3);
      const { causes } = await checkVariant(api, defect, { seed, until: rule });
      expect(causes.map(([first]) => first)).toContain(rule);
    });

    it.for<Habit | undefined>([undefined, ...api.habits])(
      'has no findings if the server is correct and %s',
      async (habit, { expect }) => {
        const { verdict } = await checkVariant(api, habit, { seed: 1 });
        expect(verdict.findings.map(({ operationId, message }) => `${operationId}: ${message}`)).toEqual([]);
        expect(verdict.unchecked).toEqual([]);
      },
    );
  });
}
