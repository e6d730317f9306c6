import { describe, it } from 'vitest';
import { groupByCause } from '../../src/check/causes.ts';
import { checkServer } from '../../src/check/check.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';
import { stopAfterFinding } from '../support/harness/check.ts';
import {
  BOOKING_DEFECTS,
  BOOKING_HABITS,
  BOOKING_HEADERS,
  type BookingVariant,
  describeBookings,
} from '../support/planted-defects/apis/booking-variants.ts';
import { startBookings } from '../support/planted-defects/apis/bookings.ts';

/**
 * Checks a server with a defect or a habit. Returns the first rule of each cause, the findings, and what was not checked. `until`: the check ends after the
 * part that finds a violation of this rule.
 */
async function checkBookings(variant: BookingVariant, seed: number, until?: string) {
  const contract = await loadContract({ path: await writeDocument(describeBookings(variant)), strict: false });
  const { url, close } = await startBookings(variant);
  try {
    const options = { headers: BOOKING_HEADERS, seed, runs: 10, mayWrite: true, isFresh: false, waitSeconds: 0 };
    const stop = until === undefined ? {} : stopAfterFinding(({ rule }) => rule === until);
    const { findings, unchecked } = await checkServer({ contract, url, ...options, ...stop });
    const rules = groupByCause(findings, contract.routes).map(([{ rule }]) => rule);
    return { rules, findings: findings.map(({ operationId, message }) => `${operationId}: ${message}`), unchecked };
  } finally {
    close();
  }
}

describe.concurrent('The check of the API of bookings', () => {
  const defects = Object.entries(BOOKING_DEFECTS) as [keyof typeof BOOKING_DEFECTS, string][];

  it.for(defects)('finds that %s, as a violation of %s', async ([defect, rule], { expect }) => {
    const seed = 1 + (Object.keys(BOOKING_DEFECTS).indexOf(defect) % 3);
    expect((await checkBookings(defect, seed, rule)).rules).toContain(rule);
  });

  it.for([undefined, ...BOOKING_HABITS])(
    'has no findings if the server is correct and %s',
    async (habit, { expect }) => {
      const { findings, unchecked } = await checkBookings(habit, 1);
      expect([findings, unchecked]).toEqual([[], []]);
    },
  );
});
