import { describe, expect, it, onTestFinished } from 'vitest';
import type { CheckOptions } from '../../src/check/check-options.ts';
import type { CheckName } from '../../src/check/findings.ts';
import { createReport } from '../../src/check/report/report.ts';
import { getNode } from '../../src/openapi/document.ts';
import { combineDefects, formatFindings, getFailedChecks, runCheck, shopContract } from '../support/harness/check.ts';
import { getDefect } from '../support/oracles/who-finds-what.ts';
import { startDefective } from '../support/planted-defects/planted-defects.ts';

/** Starts a shop with defects for one test, and returns its address. */
async function withDefects(...names: readonly string[]): Promise<string> {
  const chosen = names.map((name) => getDefect(name));
  const { url, close } = await startDefective(combineDefects(...chosen));
  onTestFinished(close);
  return url;
}

/** An expected finding: its check, operation, response and message. */
type Found = readonly [check: CheckName, defect: string, operationId: string, status: string, message: RegExp];

describe('checkServer', () => {
  /** Shops with defects: the checked operations, and the expected finding of each check. */
  const SHOPS: readonly { readonly checked: Partial<CheckOptions>; readonly found: readonly Found[] }[] = [
    {
      checked: { only: ['getOrder', 'createOrder', 'removeCartItem', 'listProducts'] },
      found: [
        [
          'statuses',
          'responds to a removal with success, but removes nothing',
          'removeCartItem',
          '204',
          /a removal removes exactly one item/,
        ],
        [
          'links',
          'responds to an order with success, but does not store it',
          'getOrder',
          '404',
          /The link getOrder.* leads to status 404/,
        ],
        ['behaviour', 'finds nothing for a blank term', 'listProducts', '200', /a blank term/],
      ],
    },
    {
      checked: { only: ['listProducts', 'getPaymentSummary'], exclude: ['resetData'] },
      found: [
        ['input', 'responds with 500 to a bracket in a search', 'listProducts', '5XX', /The server responds with 500/],
        ['methods', 'responds with 405 but without Allow', 'getPaymentSummary', '4XX', /405 response has no Allow/],
      ],
    },
  ];

  it.each(SHOPS)(
    'reports violations with curl commands and their place in the contract: $found',
    async ({ checked, found }) => {
      const url = await withDefects(...found.map(([, defect]) => defect));
      const verdict = await runCheck(url, checked);
      const { failures } = createReport(verdict, shopContract, (operationId) => `again ${operationId}`);
      for (const [check, , operationId, status, message] of found) {
        const one = failures.find(
          (failure) => failure.check === check && failure.operationId === operationId && message.test(failure.message),
        );
        expect(one, `${check} ${operationId}: ${formatFindings(verdict.findings).join('\n')}`).toMatchObject({
          status,
        });
        expect(one?.steps.at(-1)?.request).toMatch(new RegExp(`^curl .*'${url}/api/`));
        const [, line = '', column = '', pointer = ''] =
          /openapi\.yaml:(\d+):(\d+) #(.*)$/.exec(one?.place ?? '') ?? [];
        expect(getNode(shopContract.document, pointer), one?.place).toBeDefined();
        expect(shopContract.text.split('\n')[Number(line) - 1]?.slice(Number(column) - 1), one?.place).toMatch(/\S/);
      }
      expect(getFailedChecks(verdict)).toEqual(expect.arrayContaining(found.map(([check]) => check)));
      // Operations without a defect have no findings.
      const blamed = new Set(found.map(([, , operationId]) => operationId).concat('createOrder', 'listProducts'));
      expect(formatFindings(verdict.findings.filter(({ operationId }) => !blamed.has(operationId)))).toEqual([]);
    },
  );
});
