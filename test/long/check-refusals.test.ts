import { describe, expect, it, onTestFinished } from 'vitest';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startDefective } from '../support/planted-defects/planted-defects.ts';
import { changeResponses, parseBody, replaceBody } from '../support/planted-defects/tamper.ts';

/** Starts a shop that responds with `status` instead of 400, and returns its address. */
async function startRejectingWith(status: number): Promise<string> {
  const { url, close } = await startDefective({
    name: `answers ${status} to wrong input`,
    operationId: undefined,
    tamper: changeResponses(undefined, (answer) =>
      answer.status === 400 ? { ...replaceBody(answer, { ...parseBody(answer), status }), status } : answer,
    ),
  });
  onTestFinished(close);
  return url;
}

describe('checkServer of a shop', () => {
  it.each([401, 403])('finds a response with status %i, since no operation requires credentials', async (status) => {
    const verdict = await runCheck(await startRejectingWith(status), { only: ['addCartItem', 'getOrder'] });
    const found = formatFindings(verdict.findings);
    for (const operationId of ['addCartItem', 'getOrder'])
      expect(found).toContainEqual(expect.stringMatching(new RegExp(`${operationId} 4XX access: Status ${status}`)));
  });

  it('accepts 403 for a host that is not allowed, because the contract documents it', async () => {
    const { url } = await startStorefront();
    const verdict = await runCheck(url, {
      headers: { host: 'shop.test' },
      only: ['getPaymentSummary'],
      isFresh: false,
    });
    expect(formatFindings(verdict.findings).filter((finding) => finding.includes(' access: '))).toEqual([]);
  });
});
