import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '../../../src/index.ts';
import { createWebhookDocument, type Webhook } from '../fixtures/webhook-document.ts';
import { createControlClient } from './sandboxes.ts';
import { startStorefront } from './start-storefront.ts';
import { tempFolder } from './temp-folder.ts';

const TASK = { payload: '#/components/schemas/Task' };
const TASK_EVENT = { payload: '#/components/schemas/TaskEvent' };
const WEBHOOKS = { 'task.created': TASK_EVENT, taskUpdated: TASK, 'task-deleted': TASK };

/**
 * Starts a server for the tasks of `createWebhookDocument` with a frozen clock. Returns it with a client of its control API. `change`: returns the document
 * with changes.
 */
export async function startWithWebhooks({
  webhooks = WEBHOOKS,
  change = (document) => document,
  ...options
}: Options & {
  webhooks?: Readonly<Record<string, Webhook>>;
  change?: (document: ReturnType<typeof createWebhookDocument>) => object;
} = {}) {
  const contract = join(await tempFolder(), 'openapi.json');
  writeFileSync(contract, JSON.stringify(change(createWebhookDocument(webhooks))));
  const server = await startStorefront({ ...options, contract });
  const control = createControlClient(server);
  await control('PUT', '/default/clock', { frozen: true });
  return { ...server, contract, control };
}
