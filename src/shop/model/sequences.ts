import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary } from 'fast-check';
import type { CheckContext } from '../../check/check-context.ts';
import { addConfirmed } from '../../check/confirm-findings.ts';
import type { Exchange, ReceivedResponse } from '../../check/exchange.ts';
import { explore, type FailedCase, type FastCheckModule } from '../../check/explore.ts';
import { type CheckName, type Finding, getFindingKey } from '../../check/findings.ts';
import { SAFE_METHODS, type Session } from '../../check/session.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import { FILL_CART, type Sequence } from './fixed-sequences.ts';
import { LISTS } from './lists.ts';
import { MAX_ADDED_QUANTITY, type Model } from './model.ts';
import { ALLOWED_ORIGIN } from './rules.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';
import * as series from './step-series.ts';
import * as steps from './steps.ts';

/** The number of different products in a random test sequence. */
const PRODUCT_COUNT = 5;

/** The maximum number of steps in a random test sequence. */
const MAX_STEPS = 25;

/**
 * Resets the shop and runs a test sequence.
 * Returns the findings that stopped it, or undefined if it reached its end.
 * A finding is an error for the report of the check.
 * `target`: a finding to reproduce.
 * Other findings that the results contain do not stop the sequence.
 */
type RunSequence = (sequence: Sequence, target?: Finding) => Promise<readonly Finding[] | undefined>;

function createSequenceRunner(session: Session, check: CheckName, defaultModel: Model): RunSequence {
  // The check of statuses includes CORS: the shop must allow this origin to read every response.
  const headers: Readonly<Record<string, string>> = check === 'statuses' ? { origin: ALLOWED_ORIGIN } : {};
  return async (sequence, target) => {
    const tester = new ShopTester({ session, check, headers, target }, defaultModel);
    const { findings } = await catchMismatch(async () => {
      await steps.resetUnchecked(tester);
      for (const step of sequence) await step(tester);
    });
    return findings;
  };
}

/**
 * Runs test sequences one after another.
 * If a sequence has findings, runs it a second time.
 * Adds only the findings that occur both times to the results.
 */
export async function checkFixedSequences(
  context: CheckContext,
  defaultModel: Model,
  sequences: readonly Sequence[],
): Promise<void> {
  const { session } = context;
  const { results } = session;
  const runSequence = createSequenceRunner(session, 'statuses', defaultModel);
  for (const sequence of sequences) {
    const findings = (await runSequence(sequence)) ?? [];
    const newFindings = findings.filter((finding) => !results.has(finding));
    await addConfirmed(session, findings, async () => {
      await changeState(context);
      return (await runSequence(sequence)) ?? [];
    });
    for (const finding of newFindings.filter((one) => results.has(one)))
      results.replace(await removeReads(context, finding));
  }
}

/**
 * Sends invalid requests and checks the responses.
 * First sends all of them in one sequence, to save time.
 * If this sequence has a finding, sends each request in a sequence of its own.
 */
export async function checkInvalidRequests(
  context: CheckContext,
  defaultModel: Model,
  requests: Sequence,
): Promise<void> {
  const runSequence = createSequenceRunner(context.session, 'statuses', defaultModel);
  if (!(await runSequence([...FILL_CART, ...requests]))) return;
  const sequences = requests.map((request) => [...FILL_CART, request]);
  await checkFixedSequences(context, defaultModel, sequences);
}

/**
 * Changes the state of the shop before a test sequence runs again.
 * This shows that a repeated finding does not depend on the earlier state.
 */
async function changeState({ session, prepare }: CheckContext): Promise<void> {
  session.mayHaveChanged = true;
  await prepare();
  session.mayHaveChanged = true;
}

/**
 * Tries to shorten the list of requests that lead to a finding.
 * Sends the requests again without the GET requests before the last one.
 * Returns the shortened finding if the last response is the same as before.
 * Otherwise returns the finding unchanged.
 */
async function removeReads(context: CheckContext, finding: Finding): Promise<Finding> {
  await changeState(context);
  const { exchanges } = finding;
  const last = exchanges.at(-1);
  const shortened = exchanges.filter((one) => one === last || !SAFE_METHODS.includes(one.request.method));
  if (!last || shortened.length === exchanges.length) return finding;
  const response = await replay(context.session, shortened);
  const isSame = response !== undefined && toComparable(response) === toComparable(last.response);
  return isSame ? { ...finding, exchanges: shortened } : finding;
}

/**
 * Sends the requests of a finding again, in order.
 * Returns the last response, or undefined if one of the requests gets no response.
 */
async function replay({ client }: Session, exchanges: readonly Exchange[]): Promise<ReceivedResponse | undefined> {
  let response: ReceivedResponse | undefined;
  for (const { request } of exchanges) {
    response = await client.send(request).catch(() => undefined);
    if (!response) return undefined;
  }
  return response;
}

/** Matches UUIDs and times in ms. They differ each time a test sequence runs. */
const IDS_AND_TIMES = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}\b/gi;

function toComparable({ status, text }: ReceivedResponse): string {
  return `${status} ${text.replaceAll(IDS_AND_TIMES, '')}`;
}

/**
 * The pause before a failed test sequence runs again, in ms.
 * Short-lived caches on the server expire during the pause.
 */
const PAUSE_MS = 500;

/**
 * Runs random test sequences.
 * A sequence ends at its first finding, so a known finding can hide others.
 * If a sequence ends at a known finding, adds a note to the report.
 */
export async function checkRandomSequences(context: CheckContext, defaultModel: Model): Promise<void> {
  const { session, fc, seed, runs, note } = context;
  const { results } = session;
  const runSequence = createSequenceRunner(session, 'behaviour', defaultModel);
  const examine = async (sequence: Sequence, target?: Finding) => {
    const findings = await runSequence(sequence, target);
    if (!target && findings?.every((finding) => results.has(finding)))
      note('Some sequences ended early because of known findings. Fix these findings and check again.');
    return findings ?? [];
  };
  const examineAgain = async (sequence: Sequence, target?: Finding) => {
    await changeState(context);
    return examine(sequence, target);
  };
  const describe = async (smallest: FailedCase<Sequence>, first: FailedCase<Sequence>): Promise<Finding> => {
    for (const { value, finding } of [smallest, first]) {
      await sleep(PAUSE_MS);
      await changeState(context);
      const findings = await runSequence(value, finding);
      const repeated = findings?.find((other) => getFindingKey(other) === getFindingKey(finding));
      if (repeated) return removeReads(context, repeated);
    }
    const message = `${first.finding.message} (not reproducible: the same sequence passed after a pause)`;
    return { ...first.finding, message };
  };
  const cases = fc.array(createStepArbitrary(fc), { minLength: 1, maxLength: MAX_STEPS, size: 'max' });
  await explore({ fc, results, cases, seed, runs, examine, examineAgain, describe });
}

function createStepArbitrary(fc: FastCheckModule): Arbitrary<steps.Step> {
  const product = fc.nat(PRODUCT_COUNT - 1);
  const quantity = fc.integer({ min: 1, max: MAX_ADDED_QUANTITY });
  const isExpanded = fc.boolean();
  const anyQuantity = fc.oneof(quantity, fc.integer({ min: 1, max: QUANTITY_LIMIT }));
  const update = fc.record(
    { product, quantity: anyQuantity, option: fc.nat(5), isNumber: fc.boolean() },
    { requiredKeys: ['product'] },
  );
  const unknownOption = fc.record({ product, quantity, option: fc.constant('unknown' as const) });
  return fc.oneof(
    { weight: 5, arbitrary: fc.tuple(product, quantity).map((values) => steps.addItem(...values)) },
    { weight: 4, arbitrary: update.map(steps.updateItem) },
    { weight: 2, arbitrary: product.map(steps.removeItem) },
    { weight: 2, arbitrary: fc.constant(steps.createOrder) },
    {
      weight: 2,
      arbitrary: fc.tuple(fc.constantFrom(...LISTS), isExpanded).map((values) => steps.readList(...values)),
    },
    { weight: 1, arbitrary: fc.tuple(fc.nat(5), isExpanded).map((values) => steps.readOrder(...values)) },
    { weight: 1, arbitrary: unknownOption.map(steps.updateItem) },
    { weight: 1, arbitrary: fc.nat(500).map(steps.sendInvalidRequest) },
    { weight: 1, arbitrary: fc.constantFrom(steps.addUnknownProduct, steps.readUnknownOrder, steps.reset) },
    { weight: 1, arbitrary: product.map(series.exceedMaxQuantity) },
  );
}
