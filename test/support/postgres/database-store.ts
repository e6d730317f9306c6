import { randomUUID } from 'node:crypto';
import { createConfiguredParts, INITIAL_SETTINGS } from '../../../src/sandbox/sandbox.ts';
import { CommonLists } from '../../../src/sandbox/shared/common-lists.ts';
import { decodeSandbox, SandboxBackend } from '../../../src/sandbox/shared/shared-backend.ts';
import { SharedKeys } from '../../../src/sandbox/shared/shared-keys.ts';
import { ContentFormat } from '../../../src/sandbox/shared/stored-content.ts';
import type { State } from '../../../src/shop/state.ts';
import type { Backend } from '../../../src/store/backend.ts';
import type { Database } from '../../../src/store/postgres/database.ts';
import { KeyTable } from '../../../src/store/postgres/key-table.ts';
import { openMigratedDatabase } from '../../../src/store/postgres/schema.ts';
import { SharedLog } from '../../../src/store/postgres/shared-log.ts';
import { createStore } from '../../../src/store/store.ts';
import { defaults } from '../fixtures/default-data.ts';
import type { OpenedStore } from '../harness/backends.ts';
import { NOW_MS } from '../harness/start-storefront.ts';

const SCHEMA = `stores_${process.pid}`;

/** Returns a function that opens a store in the database at `url`. Each call creates a new sandbox. */
export function createOpener(url: string): () => Promise<OpenedStore> {
  let opening: ReturnType<typeof openMigratedDatabase> | undefined;
  return async () => {
    opening ??= openMigratedDatabase({ url, schema: SCHEMA }, { info() {}, warn() {}, error() {} });
    const { database } = await opening;
    return openStore(database);
  };
}

async function openStore(database: Database): Promise<OpenedStore> {
  let isFailing = false;
  const query: Database['query'] = (statement, values) =>
    isFailing && statement.includes('INSERT INTO changes')
      ? database.query('SELECT 1/0')
      : database.query(statement, values);
  const log = new SharedLog({ ...database, query });
  const format = new ContentFormat(new CommonLists(log.lists));
  const id = randomUUID();
  await log.create(id, await format.encode({ state: defaults, settings: INITIAL_SETTINGS, snapshots: new Map() }));
  const load = async () => decodeSandbox((await log.load(id)) as never, { format });
  const loaded = await load();
  const backend = new SandboxBackend({ id, log, format, warn() {}, sandbox: createParts(database, id), loaded });
  const initial = loaded.content.state as State;
  return {
    store: createStore<State>({
      backend: backend as unknown as Backend<State>,
      initial,
      defaults: () => ({ ...defaults }),
      nowMs: () => NOW_MS,
    }),
    kept: async () => (await load()).content.state as State,
    failCommits(next) {
      isFailing = next;
    },
  };
}

/** Creates the parts of a sandbox that are stored together with its state, such as its clock and its settings. */
function createParts(database: Database, id: string) {
  const parts = { nowMs: () => NOW_MS, elapsedMs: () => NOW_MS, newId: randomUUID, log() {} };
  const configured = createConfiguredParts(parts, { quota: { reserve() {} } as never, onChange() {} });
  return { ...configured, idempotencyKeys: new SharedKeys(new KeyTable(database, id), id) };
}
