import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary } from 'fast-check';
import type { CheckContext } from '../../check/check-context.ts';
import { addConfirmed } from '../../check/confirm-findings.ts';
import type { Exchange, ReceivedResponse } from '../../check/exchange.ts';
import { explore, type FailedCase, type FastCheckModule } from '../../check/explore.ts';
import { type CheckName, type Finding, getFindingKey } from '../../check/findings.ts';
import { SAFE_METHODS, type Session } from '../../check/session.ts';
import { QUANTITY_LIMIT } from '../domain/cart.ts';
import { endsWithInvalidRequest, type Sequence } from './fixed-sequences.ts';
import { LISTS } from './lists.ts';
import { MAX_ADDED_QUANTITY, type Model } from './model.ts';
import { ALLOWED_ORIGIN } from './rules.ts';
import { runStep, type Step } from './run-step.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';
import { resetUnchecked } from './steps.ts';

/** The number of products in a random sequence, and its maximum number of steps. */
const PRODUCT_COUNT = 5;
const MAX_STEPS = 25;

/** Resets the shop and runs a sequence. Returns the findings that ended the sequence; undefined if it ran to its end. */
type RunSequence = (sequence: Sequence) => Promise<readonly Finding[] | undefined>;

function createSequenceRunner(session: Session, check: CheckName, defaultModel: Model): RunSequence {
  // The check of statuses includes CORS: the shop must allow this origin to read every response.
  const headers: Readonly<Record<string, string>> = check === 'statuses' ? { origin: ALLOWED_ORIGIN } : {};
  return async (sequence) => {
    const tester = new ShopTester({ session, check, headers }, defaultModel);
    const { findings } = await catchMismatch(async () => {
      await resetUnchecked(tester);
      for (const step of sequence) await runStep(tester, defaultModel, step);
    });
    return findings;
  };
}

/** Runs fixed sequences. To save requests, first sends all invalid requests in one sequence, and separately only if that finds a violation. */
export async function checkFixedSequences(
  context: CheckContext,
  defaultModel: Model,
  sequences: readonly Sequence[],
): Promise<void> {
  const { session } = context;
  const { ledger } = session;
  const runSequence = createSequenceRunner(session, 'statuses', defaultModel);
  const areInvalidRejected = !(await runSequence(mergeInvalidRequests(sequences)));
  for (const sequence of areInvalidRejected ? sequences.filter((one) => !endsWithInvalidRequest(one)) : sequences) {
    const findings = (await runSequence(sequence)) ?? [];
    const newFindings = findings.filter((finding) => !ledger.has(finding));
    await addConfirmed(session, findings, async () => {
      await changeState(context);
      return (await runSequence(sequence)) ?? [];
    });
    for (const finding of newFindings.filter((one) => ledger.has(one)))
      ledger.replace(await removeReads(context, finding));
  }
}

/** Returns one sequence with all invalid requests. The steps before the invalid request are the same in each sequence. */
function mergeInvalidRequests(sequences: readonly Sequence[]): Sequence {
  const invalid = sequences.filter(endsWithInvalidRequest);
  const [first = []] = invalid;
  return [...first.slice(0, -1), ...invalid.flatMap((sequence) => sequence.slice(-1))];
}

/** Changes the state of the shop, so that a repeated finding does not depend on the state that the previous sequence left. */
async function changeState({ session, prepare }: CheckContext): Promise<void> {
  session.mayHaveChanged = true;
  await prepare();
  session.mayHaveChanged = true;
}

/** Returns a finding without the reads before its last request. If the last response is different without them, returns the finding unchanged. */
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

/** Sends requests again. Returns the last response; undefined if a request gets no response. */
async function replay({ client }: Session, exchanges: readonly Exchange[]): Promise<ReceivedResponse | undefined> {
  let response: ReceivedResponse | undefined;
  for (const { request } of exchanges) {
    response = await client.send(request).catch(() => undefined);
    if (!response) return undefined;
  }
  return response;
}

/** UUIDs and times in ms, which differ each time that a sequence runs. */
const IDS_AND_TIMES = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}\b/gi;

function toComparable({ status, text }: ReceivedResponse): string {
  return `${status} ${text.replaceAll(IDS_AND_TIMES, '')}`;
}

/** The pause before a failed sequence runs again, in ms. Entries of short-lived caches expire in it. */
const PAUSE_MS = 500;

/** Runs random sequences. Returns the number of sequences that ended early because of findings that are already known. */
export async function checkRandomSequences(
  context: CheckContext,
  defaultModel: Model,
  { seed, runs }: Pick<CheckContext, 'seed' | 'runs'>,
): Promise<number> {
  const { session, fc } = context;
  const { ledger } = session;
  const runSequence = createSequenceRunner(session, 'behaviour', defaultModel);
  let endedEarly = 0;
  const examine = async (sequence: Sequence) => {
    const findings = await runSequence(sequence);
    if (findings?.every((finding) => ledger.has(finding))) endedEarly++;
    return findings ?? [];
  };
  const examineAgain = async (sequence: Sequence) => {
    await changeState(context);
    return examine(sequence);
  };
  const describe = async (smallest: FailedCase<Sequence>, first: FailedCase<Sequence>): Promise<Finding> => {
    for (const { value, finding } of [smallest, first]) {
      await sleep(PAUSE_MS);
      await changeState(context);
      const findings = await runSequence(value);
      const repeated = findings?.find((other) => getFindingKey(other) === getFindingKey(finding));
      if (repeated) return removeReads(context, repeated);
    }
    const message = `${first.finding.message} (not reproducible: the same sequence passed after a pause)`;
    return { ...first.finding, message };
  };
  const cases = fc.array(createStepArbitrary(fc), { minLength: 1, maxLength: MAX_STEPS, size: 'max' });
  await explore({ fc, ledger, cases, seed, runs, examine, examineAgain, describe });
  return endedEarly;
}

function createStepArbitrary(fc: FastCheckModule): Arbitrary<Step> {
  const kind = <Kind extends Step['kind']>(name: Kind) => fc.constant(name);
  const product = fc.nat(PRODUCT_COUNT - 1);
  const quantity = fc.integer({ min: 1, max: MAX_ADDED_QUANTITY });
  const isExpanded = fc.boolean();
  const anyQuantity = fc.oneof(quantity, fc.integer({ min: 1, max: QUANTITY_LIMIT }));
  const update = fc.record(
    { kind: kind('update item'), product, quantity: anyQuantity, option: fc.nat(5), isNumber: fc.boolean() },
    { requiredKeys: ['kind', 'product'] },
  );
  const simple = fc.constantFrom('add unknown product' as const, 'read unknown order' as const, 'reset' as const);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: kind('add item'), product, quantity }) },
    { weight: 4, arbitrary: update },
    { weight: 2, arbitrary: fc.record({ kind: kind('remove item'), product }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('create order') }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('read list'), list: fc.constantFrom(...LISTS), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('read order'), order: fc.nat(5), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('set unknown delivery option'), product, quantity }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('send invalid request'), index: fc.nat(500) }) },
    { weight: 1, arbitrary: fc.record({ kind: simple }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('exceed maximum quantity'), product }) },
  );
}
