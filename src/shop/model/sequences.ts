import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary } from 'fast-check';
import type { CheckContext } from '../../check/check-context.ts';
import { addConfirmed } from '../../check/confirm-findings.ts';
import type { Exchange, ReceivedResponse } from '../../check/exchange.ts';
import { explore, type Failure, type FastCheckModule } from '../../check/explore.ts';
import { type CheckName, type Finding, getFindingKey } from '../../check/findings.ts';
import { SAFE_METHODS, type Session } from '../../check/session.ts';
import { endsWithInvalidRequest, type Sequence } from './fixed-sequences.ts';
import { LISTS } from './lists.ts';
import { MAX_QUANTITY, type Model } from './model.ts';
import { ALLOWED_ORIGIN } from './rules.ts';
import { runStep, type Step } from './run-step.ts';
import { catchMismatch, ShopTester } from './shop-tester.ts';
import { resetAlone } from './steps.ts';

/** The number of products in a sequence, and its maximum number of steps. */
const PRODUCT_COUNT = 5;
const MAX_STEPS = 25;

/** Plays steps from the default data. Returns the findings; undefined if the sequence completes. */
type RunSequence = (steps: Sequence) => Promise<readonly Finding[] | undefined>;

function createSequenceRunner(session: Session, check: CheckName, start: Model): RunSequence {
  // Pages of this origin may read every response.
  const headers: Readonly<Record<string, string>> = check === 'statuses' ? { origin: ALLOWED_ORIGIN } : {};
  return async (steps) => {
    const tester = new ShopTester({ session, check, headers }, start);
    const { findings } = await catchMismatch(async () => {
      await resetAlone(tester);
      for (const step of steps) await runStep(tester, start, step);
    });
    return findings;
  };
}

/** Plays each sequence by itself; invalid requests are one sequence as long as all of them are rejected. */
export async function checkFixedSequences(
  context: CheckContext,
  start: Model,
  sequences: readonly Sequence[],
): Promise<void> {
  const { session } = context;
  const { ledger } = session;
  const runSequence = createSequenceRunner(session, 'statuses', start);
  const areRefused = !(await runSequence(mergeSequences(sequences.filter(endsWithInvalidRequest))));
  for (const steps of areRefused ? sequences.filter((one) => !endsWithInvalidRequest(one)) : sequences) {
    const found = (await runSequence(steps)) ?? [];
    const fresh = found.filter((finding) => !ledger.has(finding));
    await addConfirmed(session, found, async () => {
      await enterOtherState(context);
      return (await runSequence(steps)) ?? [];
    });
    for (const finding of fresh.filter((one) => ledger.has(one))) ledger.replace(await minimize(context, finding));
  }
}

/** Changes the state of the shop, so that a repeated finding does not depend on the sequence before. */
async function enterOtherState({ session, prepare }: CheckContext): Promise<void> {
  session.mayHaveChanged = true;
  await prepare();
  session.mayHaveChanged = true;
}

/** Ids and times, which differ each time a sequence is sent. */
const IDS_AND_TIMES = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}\b/gi;

/** Returns a finding without the reads before its last request, if it has the same outcome without them; otherwise as it is. */
async function minimize(context: CheckContext, finding: Finding): Promise<Finding> {
  await enterOtherState(context);
  const { exchanges } = finding;
  const last = exchanges.at(-1);
  const changing = exchanges.filter((one) => one === last || !SAFE_METHODS.includes(one.request.method));
  if (!last || changing.length === exchanges.length) return finding;
  const outcome = await replay(context.session, changing);
  return outcome === toOutcome(last.response) ? { ...finding, exchanges: changing } : finding;
}

/** Sends requests again. Returns the outcome of the last one; undefined if one gets no response. */
async function replay({ client }: Session, exchanges: readonly Exchange[]): Promise<string | undefined> {
  let outcome: string | undefined;
  for (const { request } of exchanges) {
    const response = await client.send(request).catch(() => undefined);
    if (!response) return undefined;
    outcome = toOutcome(response);
  }
  return outcome;
}

function toOutcome({ status, text }: ReceivedResponse): string {
  return `${status} ${text.replaceAll(IDS_AND_TIMES, '')}`;
}

/** Returns one sequence with the invalid requests of several, which start with the same steps. */
function mergeSequences(sequences: readonly Sequence[]): Sequence {
  const [first = []] = sequences;
  return [...first.slice(0, -1), ...sequences.flatMap((steps) => steps.slice(-1))];
}

/** The pause before a sequence is repeated, in ms: short caches expire. */
const PAUSE_MS = 500;

/** Plays random sequences and compares the shop with the model. Returns how many stopped early at known findings. */
export async function checkRandomSequences(
  context: CheckContext,
  start: Model,
  chances: Pick<CheckContext, 'seed' | 'runs'>,
): Promise<number> {
  const { session, fc } = context;
  const { ledger } = session;
  const cases = fc.array(stepArbitrary(fc), { minLength: 1, maxLength: MAX_STEPS, size: 'max' });
  const runSequence = createSequenceRunner(session, 'behaviour', start);
  let stoppedEarly = 0;
  const examine = async (steps: Sequence) => {
    const findings = await runSequence(steps);
    if (findings?.every((finding) => ledger.has(finding))) stoppedEarly++;
    return findings ?? [];
  };
  const describe = async (smallest: Failure<Sequence>, first: Failure<Sequence>): Promise<Finding> => {
    for (const { one, finding } of [smallest, first]) {
      await sleep(PAUSE_MS);
      await enterOtherState(context);
      const repeated = await runSequence(one);
      const again = repeated?.find((other) => getFindingKey(other) === getFindingKey(finding));
      if (again) return minimize(context, again);
    }
    const message = `${first.finding.message} (not reproducible with this sequence alone: repeated after a pause, it passed)`;
    return { ...first.finding, message };
  };
  const examineAgain = async (steps: Sequence) => {
    await enterOtherState(context);
    return examine(steps);
  };
  await explore({ fc, ledger, cases, ...chances, examine, examineAgain, describe });
  return stoppedEarly;
}

function stepArbitrary(fc: FastCheckModule): Arbitrary<Step> {
  const constant = <Name extends Step['kind']>(name: Name) => fc.constant(name);
  const product = fc.nat(PRODUCT_COUNT - 1);
  const quantity = fc.integer({ min: 1, max: 10 });
  const isExpanded = fc.boolean();
  const anyQuantity = fc.oneof(quantity, fc.integer({ min: 1, max: MAX_QUANTITY }));
  const changes = fc.record(
    { kind: constant('change'), product, quantity: anyQuantity, option: fc.nat(5), isNumber: fc.boolean() },
    { requiredKeys: ['kind', 'product'] },
  );
  const simple = fc.constantFrom('add unknown' as const, 'read unknown order' as const, 'reset' as const);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: constant('add'), product, quantity }) },
    { weight: 4, arbitrary: changes },
    { weight: 2, arbitrary: fc.record({ kind: constant('remove'), product }) },
    { weight: 2, arbitrary: fc.record({ kind: constant('order') }) },
    { weight: 2, arbitrary: fc.record({ kind: constant('read list'), list: fc.constantFrom(...LISTS), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ kind: constant('read order'), order: fc.nat(5), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ kind: constant('change to unknown option'), product, quantity }) },
    { weight: 1, arbitrary: fc.record({ kind: constant('send invalid request'), which: fc.nat(500) }) },
    { weight: 1, arbitrary: fc.record({ kind: simple }) },
    { weight: 1, arbitrary: fc.record({ kind: constant('exceed maximum quantity'), product }) },
  );
}
