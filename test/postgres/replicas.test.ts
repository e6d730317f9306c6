import { expect, it } from 'vitest';
import { OwnLedger, SharedLedger } from '../support/postgres/ledgers.ts';
import { Load } from '../support/postgres/load.ts';
import { type Replicas, startReplicas } from '../support/postgres/replicas.ts';

/** The sandboxes, and the number of their clients. Clients of `own` sandboxes also reset them. */
const SANDBOXES = [
  { id: 'default', clients: 4, createLedger: () => new SharedLedger({ repeats: false }) },
  { id: 'once', clients: 3, createLedger: () => new SharedLedger({ repeats: false }) },
  { id: 'repeated', clients: 4, createLedger: () => new SharedLedger({ repeats: true }) },
  { id: 'own-1', clients: 1, createLedger: () => new OwnLedger() },
  { id: 'own-2', clients: 1, createLedger: () => new OwnLedger() },
] as const;

/** The number of times that a server is ended and started again. */
const ROUNDS = 3;

const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

/** Starts the clients of all sandboxes. */
function startLoad(url: string) {
  const load = new Load(url, SEED);
  const ledgers = SANDBOXES.map(({ id, clients, createLedger }) => {
    const ledger = createLedger();
    for (let number = 0; number < clients; number++) load.add(id, ledger.takeStep);
    return { id, ledger };
  });
  return { load, ledgers };
}

/** Ends each server in turn, mostly without warning, and starts it again. */
async function endAndStart({ replicas }: Replicas, load: Load): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const replica = replicas[round % replicas.length];
    await waitForChanges(load, 100);
    await replica?.stop(round === 1 ? 'SIGTERM' : 'SIGKILL');
    await waitForChanges(load, 100);
    await replica?.start();
  }
  await waitForChanges(load, 100);
}

/** Waits until servers have acknowledged more changes. */
async function waitForChanges(load: Load, count: number): Promise<void> {
  const before = load.acknowledged;
  await expect.poll(() => load.acknowledged - before, { timeout: 60_000 }).toBeGreaterThan(count);
}

it.each([2, 4])('%i servers behind nginx lose and repeat nothing if they are killed under load', async (count) => {
  const all = await startReplicas(count);
  const { load, ledgers } = startLoad(all.url);
  await endAndStart(all, load);
  await load.stop();
  expect(load.unexpected, `with SEED=${SEED}`).toEqual([]);
  for (const url of [all.url, ...all.replicas.map((replica) => replica.url)])
    for (const { id, ledger } of ledgers) await ledger.expectKept(url, id);
});
