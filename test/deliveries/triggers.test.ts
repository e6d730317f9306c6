import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explain } from '../../src/server/explain.ts';
import { createWebhookDocument, type Webhook } from '../support/fixtures/webhook-document.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

/** Returns what sends each webhook and callback of a document, by name. */
async function explainWebhooks(webhooks: Readonly<Record<string, Webhook>>): Promise<Record<string, string>> {
  const contract = join(await tempFolder(), 'openapi.json');
  writeFileSync(contract, JSON.stringify(createWebhookDocument(webhooks)));
  const lines = (await explain({ contract })).text.split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, explanation] =
        /^(?:webhook|callback) +(\S+) +\S+ (?:to each --webhook-url|\S+) +(sent .*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, explanation ?? '']];
    }),
  );
}

const CREATED = 'sent when an entry of tasks is created';

describe('a webhook', () => {
  it.each([
    ['task.created', CREATED],
    ['taskCreated', CREATED],
    ['newTask', CREATED],
    ['on-task-created', CREATED],
    ['tasks/created', CREATED],
    ['TASK_CREATED', CREATED],
    ['taskUpdated', 'sent when an entry of tasks is updated'],
    ['task-deleted', 'sent when an entry of tasks is deleted'],
    ['task.created_or_updated', 'sent when an entry of tasks is created or updated'],
    ['task.done', 'sent when status of an entry of tasks becomes done'],
    ['taskStatusChanged', 'sent when status of an entry of tasks changes'],
  ])('%s with a task as its payload is %s', async (name, explanation) => {
    expect(await explainWebhooks({ [name]: { payload: '#/components/schemas/Task' } })).toMatchObject({
      [name]: explanation,
    });
  });

  it('finds the entry in an envelope', async () => {
    const webhooks = { 'task.created': { payload: '#/components/schemas/TaskEvent' } };
    expect(await explainWebhooks(webhooks)).toMatchObject({ 'task.created': CREATED });
  });

  it.each([
    ['note.created', '#/components/schemas/Task', 'its name does not say which change of tasks it reports'],
    ['task.escalated', '#/components/schemas/Task', 'its name does not say which change of tasks it reports'],
    ['task', '#/components/schemas/Task', 'its name does not say which change of tasks it reports'],
    ['task.created', '#/components/schemas/Ping', 'its payload has no schema of a stored resource'],
  ])('%s with the payload %s is sent only with storefront webhook send', async (name, payload, reason) => {
    expect(await explainWebhooks({ [name]: { payload } })).toMatchObject({
      [name]: `sent only with storefront webhook send: ${reason}`,
    });
  });

  it('is corrected by x-storefront', async () => {
    const payload = '#/components/schemas/Ping';
    const webhooks = {
      ping: { payload, extension: { resource: 'tasks', on: ['updated', 'deleted'] } },
      'task.created': { payload: '#/components/schemas/Task', extension: { off: true } },
    };
    expect(await explainWebhooks(webhooks)).toMatchObject({
      ping: 'sent when an entry of tasks is updated or deleted',
      'task.created': 'sent only with storefront webhook send: x-storefront: off',
    });
  });

  it.each([
    [{ resource: 'task', on: 'created' }, /openapi\.json:1:\d+ .*is not a resource: did you mean "tasks"\?/],
    [{ on: 'done' }, /is not a change: use one or more of created, updated, deleted/],
    [{ when: 'created' }, /is unknown: use resource, on, off/],
  ])('with the x-storefront extension %j is refused with its place', async (extension, message) => {
    const webhooks = { ping: { payload: '#/components/schemas/Ping', extension } };
    await expect(explainWebhooks(webhooks)).rejects.toThrow(message);
  });
});

it('a callback is sent when its operation succeeds', async () => {
  expect(await explainWebhooks({})).toEqual({ onDone: 'sent when createTask succeeds' });
});
