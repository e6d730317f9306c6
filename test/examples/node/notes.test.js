import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startStorefront } from 'storefront/testing';
import { archiveNote } from './handlers.js';

const server = await startStorefront({ contract: 'openapi.yaml', auth: 'off', handlers: { archiveNote } });
after(() => server.close());

test('a note can be archived', async () => {
  const sandbox = await server.sandbox();
  await sandbox.setState({ notes: [{ id: 7, text: 'Call Ann' }] });

  const response = await sandbox.fetch('/notes/7/archive', { method: 'POST' });

  assert.deepEqual(await response.json(), { id: 7, text: 'Call Ann', archived: true });
  assert.equal((await (await sandbox.fetch('/notes/7')).json()).archived, true);
  await sandbox.verify({ operation: 'archiveNote', times: 1 });
});
