import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { startStorefront } from 'storefront/testing';

const receiver = createServer((_request, response) => void response.end());
await new Promise((resolve) => receiver.listen(0, 'localhost', resolve));
const storefront = await startStorefront({ contract: 'tasks.yaml' });
after(() => Promise.all([storefront.close(), receiver.close()]));

test('a new task is reported', async () => {
  const sandbox = await storefront.sandbox();
  await sandbox.setWebhookUrls([`http://localhost:${receiver.address().port}/hooks`]);

  await sandbox.fetch('/tasks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"title":"Call Ann"}',
  });

  await sandbox.verify({ delivery: 'task.created', status: 200, atLeast: 1, withinMs: 5000 });
  await sandbox.clock.advance(60_000);
  const [delivery] = await sandbox.deliveries();
  assert.equal(delivery.body.title, 'Call Ann');
  const [sent] = await sandbox.sendWebhook('task.created', { data: { id: 7, title: 'Call Bob' } });
  assert.equal(sent.status, 'delivered');
});
