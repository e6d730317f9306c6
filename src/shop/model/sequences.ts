import { setTimeout as sleep } from 'node:timers/promises';
import type { Arbitrary } from 'fast-check';
import type { CheckContext } from '../../check/check-context.ts';
import { addConfirmed } from '../../check/confirm-findings.ts';
import type { Exchange, ReceivedResponse } from '../../check/exchange.ts';
import { explore, type Failure, type FastCheckModule } from '../../check/explore.ts';
import { type CheckName, type Finding, getFindingKey } from '../../check/findings.ts';
import { SAFE_METHODS, type Session } from '../../check/session.ts';
import { LISTS } from './lists.ts';
import { MAX_QUANTITY, type Model } from './model.ts';
import { perform, type Step } from './perform.ts';
import { catchMismatch, Player } from './player.ts';
import { ORIGIN } from './rules.ts';
import { isBreaking, type Script } from './scripts.ts';
import { resetAlone } from './steps.ts';

/** The number of products in a sequence, and its maximum number of steps. */
const PRODUCTS = 5;
const LONGEST = 25;

/** Plays steps from the default data. Returns the findings; undefined if the sequence completes. */
type Play = (steps: Script) => Promise<readonly Finding[] | undefined>;

function createPlay(session: Session, check: CheckName, start: Model): Play {
  // Pages of this origin may read every response.
  const headers: Readonly<Record<string, string>> = check === 'statuses' ? { origin: ORIGIN } : {};
  return async (steps) => {
    const player = new Player({ session, check, headers }, start);
    const { findings } = await catchMismatch(async () => {
      await resetAlone(player);
      for (const step of steps) await perform(player, start, step);
    });
    return findings;
  };
}

/** Plays each script by itself; invalid requests are one sequence as long as all of them are rejected. */
export async function checkScripts(context: CheckContext, start: Model, scripts: readonly Script[]): Promise<void> {
  const { session } = context;
  const { ledger } = session;
  const play = createPlay(session, 'statuses', start);
  const areRefused = !(await play(mergeScripts(scripts.filter(isBreaking))));
  for (const steps of areRefused ? scripts.filter((one) => !isBreaking(one)) : scripts) {
    const found = (await play(steps)) ?? [];
    const fresh = found.filter((finding) => !ledger.has(finding));
    await addConfirmed(session, found, async () => {
      await enterOtherState(context);
      return (await play(steps)) ?? [];
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
const OWN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b\d{13}\b/gi;

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
  return `${status} ${text.replaceAll(OWN, '')}`;
}

/** Returns one script with the invalid requests of several, which start with the same steps. */
function mergeScripts(scripts: readonly Script[]): Script {
  const [first = []] = scripts;
  return [...first.slice(0, -1), ...scripts.flatMap((steps) => steps.slice(-1))];
}

/** The pause before a sequence is repeated, in ms: short caches expire. */
const REST_MS = 500;

/** Plays random sequences and compares the shop with the model. Returns how many stopped early at known findings. */
export async function checkSequences(
  context: CheckContext,
  start: Model,
  chances: Pick<CheckContext, 'seed' | 'runs'>,
): Promise<number> {
  const { session, fc } = context;
  const { ledger } = session;
  const cases = fc.array(stepArbitrary(fc), { minLength: 1, maxLength: LONGEST, size: 'max' });
  const play = createPlay(session, 'behaviour', start);
  let cutShort = 0;
  const examine = async (steps: Script) => {
    const findings = await play(steps);
    if (findings?.every((finding) => ledger.has(finding))) cutShort++;
    return findings ?? [];
  };
  const describe = async (smallest: Failure<Script>, first: Failure<Script>): Promise<Finding> => {
    for (const { one, finding } of [smallest, first]) {
      await sleep(REST_MS);
      await enterOtherState(context);
      const repeated = await play(one);
      const again = repeated?.find((other) => getFindingKey(other) === getFindingKey(finding));
      if (again) return minimize(context, again);
    }
    const message = `${first.finding.message} (not reproducible with this sequence alone: repeated after a pause, it passed)`;
    return { ...first.finding, message };
  };
  const examineAgain = async (steps: Script) => {
    await enterOtherState(context);
    return examine(steps);
  };
  await explore({ fc, ledger, cases, ...chances, examine, examineAgain, describe });
  return cutShort;
}

function stepArbitrary(fc: FastCheckModule): Arbitrary<Step> {
  const doing = <Name extends Step['do']>(name: Name) => fc.constant(name);
  const product = fc.nat(PRODUCTS - 1);
  const quantity = fc.integer({ min: 1, max: 10 });
  const isExpanded = fc.boolean();
  const anyQuantity = fc.oneof(quantity, fc.integer({ min: 1, max: MAX_QUANTITY }));
  const changes = fc.record(
    { do: doing('change'), product, quantity: anyQuantity, option: fc.nat(5), isNumber: fc.boolean() },
    { requiredKeys: ['do', 'product'] },
  );
  const simple = fc.constantFrom('add unknown' as const, 'read unknown order' as const, 'reset' as const);
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: doing('add'), product, quantity }) },
    { weight: 4, arbitrary: changes },
    { weight: 2, arbitrary: fc.record({ do: doing('remove'), product }) },
    { weight: 2, arbitrary: fc.record({ do: doing('order') }) },
    { weight: 2, arbitrary: fc.record({ do: doing('look'), list: fc.constantFrom(...LISTS), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ do: doing('read order'), order: fc.nat(5), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ do: doing('change to unknown option'), product, quantity }) },
    { weight: 1, arbitrary: fc.record({ do: doing('send invalid request'), which: fc.nat(500) }) },
    { weight: 1, arbitrary: fc.record({ do: simple }) },
    { weight: 1, arbitrary: fc.record({ do: doing('add beyond'), product }) },
  );
}
