import type { Arbitrary } from 'fast-check';
import { type Chance, explore } from '../exploring.ts';
import type { Finding, Judge } from '../findings.ts';
import type { Judging } from '../judging.ts';
import type { Session } from '../session.ts';
import { LISTS } from './looks.ts';
import { MOST_OF_A_PRODUCT, type Model } from './model.ts';
import { perform, type Step } from './perform.ts';
import { createPlayer, Off } from './player.ts';
import { ORIGIN } from './rules.ts';
import { SCRIPTS } from './scripts.ts';
import { resetAlone } from './steps.ts';

/** How many products of the catalogue a sequence is about, and how many steps it has at most. */
const PRODUCTS = 5;
const LONGEST = 25;

/** Plays some steps from the default data on; what goes wrong, `WELL` where nothing does. */
async function play(session: Session, judge: Judge, start: Model, steps: readonly Step[]): Promise<readonly Finding[]> {
  // Answers may be read from any origin, whatever they are.
  const player = createPlayer(session, judge, start, judge === 'statuses' ? { origin: ORIGIN } : {});
  try {
    await resetAlone(player);
    for (const step of steps) await perform(player, start, step);
    return WELL;
  } catch (error) {
    if (error instanceof Off) return error.findings;
    throw error;
  }
}

/** Provokes each documented status of each operation, one after the other. */
export async function judgeStatuses(session: Session, start: Model): Promise<void> {
  for (const steps of SCRIPTS) session.ledger.addAll(await play(session, 'statuses', start, steps));
}

/** Plays sequences by chance against the model of the shop. */
export async function judgeSequences({ session, fc, seed, runs, note }: Judging, start: Model): Promise<void> {
  const cases = fc.array(stepArbitrary(fc), { minLength: 1, maxLength: LONGEST, size: 'max' });
  let cutShort = 0;
  const examine = async (steps: readonly Step[]) => {
    const findings = await play(session, 'behaviour', start, steps);
    if (findings !== WELL && findings.every((finding) => session.ledger.knows(finding))) cutShort++;
    return findings;
  };
  await explore({ fc, ledger: session.ledger, cases, seed, runs, examine });
  if (cutShort > 0)
    note(`${cutShort} sequences ended early, at what had been found before: mend that, and judge again`);
}

/** What a sequence finds that went to its end. */
const WELL: readonly Finding[] = [];

function stepArbitrary(fc: Chance): Arbitrary<Step> {
  const doing = <Name extends Step['do']>(name: Name) => fc.constant(name);
  const product = fc.nat(PRODUCTS - 1);
  const quantity = fc.integer({ min: 1, max: 10 });
  const isExpanded = fc.boolean();
  const wanted = {
    quantity: fc.oneof(quantity, fc.integer({ min: 1, max: MOST_OF_A_PRODUCT })),
    option: fc.nat(5),
    isNumber: isExpanded,
  };
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: doing('add'), product, quantity }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: doing('change'), product, ...wanted }, { requiredKeys: ['do', 'product'] }),
    },
    { weight: 2, arbitrary: fc.record({ do: doing('remove'), product }) },
    { weight: 2, arbitrary: fc.record({ do: doing('order') }) },
    { weight: 2, arbitrary: fc.record({ do: doing('look'), list: fc.constantFrom(...LISTS), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ do: doing('read order'), order: fc.nat(5), isExpanded }) },
    { weight: 1, arbitrary: fc.record({ do: doing('change to unknown option'), product, quantity }) },
    { weight: 1, arbitrary: fc.record({ do: doing('break'), which: fc.nat(500) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constantFrom('add unknown' as const, 'read unknown order' as const, 'reset' as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: doing('add beyond'), product }) },
  );
}
