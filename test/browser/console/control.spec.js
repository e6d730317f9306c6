import { card, expect, SERVER, test } from './support.js';

test('a sandbox can be created from a snapshot, selected and deleted', async ({ page, open, sandbox, request }) => {
  const id = `${sandbox.id}-new`;
  await open('control');
  const sandboxes = card(page, 'Sandboxes');
  await sandboxes.getByLabel('New sandbox').fill(id);
  await sandboxes.getByLabel('Start with').selectOption('empty-cart');
  await sandboxes.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByLabel('Sandbox', { exact: true })).toHaveValue(id);
  const created = await (await request.get(`${SERVER}/_control/sandboxes/${id}`)).json();
  expect(created.counts.cartItems).toBe(0);
  await sandboxes.getByRole('button', { name: `Delete the sandbox ${id}` }).click();
  await sandboxes.getByRole('button', { name: `Confirm: Delete the sandbox ${id}` }).click();
  await expect(page.getByLabel('Sandbox', { exact: true })).toHaveValue('default');
  expect((await request.get(`${SERVER}/_control/sandboxes/${id}`)).status()).toBe(404);
});

test('the next order fails with 503 after a fault is added by the form', async ({ page, open, sandbox }) => {
  await open('control');
  const faults = card(page, 'Faults');
  await faults.getByRole('combobox', { name: 'Operation' }).selectOption('createOrder');
  await faults.getByRole('button', { name: 'Add fault' }).click();
  await expect(faults.getByRole('listitem')).toContainText('status 503 for createOrder, once');
  expect((await sandbox.send('POST', '/api/orders')).status()).toBe(503);
  expect((await sandbox.send('POST', '/api/orders')).status()).toBe(201);
  await expect(faults.getByRole('listitem')).toContainText('applied to 1 of 1 matching request');
  await faults.getByRole('button', { name: 'Delete all' }).click();
  await expect(faults.getByRole('listitem')).toHaveCount(0);
});

test('a fault can have a matcher, a delay and a lost connection', async ({ page, open, sandbox }) => {
  await open('control', { fault: 'listProducts' });
  const faults = card(page, 'Faults');
  await expect(faults.getByRole('combobox', { name: 'Operation' })).toHaveValue('listProducts');
  await faults.getByLabel('Connection failure').check();
  await faults.getByLabel('Delay in ms').fill('10');
  await faults.getByLabel('Times').fill('');
  await faults.getByText('More conditions').click();
  await faults.getByLabel('Matcher (JSON)').fill('{ "query": { "search": "x" } }');
  await faults.getByRole('button', { name: 'Add fault' }).click();
  await expect(faults.getByRole('listitem')).toHaveCount(1);
  const [fault] = await sandbox.control('GET', '/faults');
  expect(fault).toMatchObject({ operation: 'listProducts', connection: 'reset', delay: 10 });
  expect(fault.where).toEqual({ query: { search: 'x' } });
  await faults.getByRole('button', { name: `Delete the fault ${fault.id}` }).click();
  await expect(faults.getByRole('listitem')).toHaveCount(0);
});

test('an invalid fault is refused with the reason', async ({ page, open, sandbox }) => {
  await open('control');
  const faults = card(page, 'Faults');
  await faults.getByRole('combobox', { name: 'Operation' }).selectOption('createOrder');
  await faults.getByRole('combobox', { name: 'Status' }).fill('299');
  await faults.getByRole('button', { name: 'Add fault' }).click();
  await expect(faults.getByRole('alert')).toContainText('299');
  expect(await sandbox.control('GET', '/faults')).toEqual([]);
});

test('an operation can be mocked, and its handler used again', async ({ page, open, sandbox }) => {
  await open('control');
  const mock = card(page, 'Operations').getByLabel('Mock createOrder');
  // The page shows the choice before the server has received it.
  const isMocked = async () => {
    const operations = await sandbox.control('GET', '/operations');
    return operations.find(({ operationId }) => operationId === 'createOrder').mocked;
  };
  const item = card(page, 'Operations').getByRole('listitem').filter({ hasText: 'createOrder' });
  await expect(item).toContainText('createOrder real: built-in handler');
  await mock.check();
  await expect(mock).toBeChecked();
  await expect(item).toContainText('createOrder mocked: in this sandbox');
  await expect.poll(isMocked).toBe(true);
  expect((await sandbox.send('POST', '/api/orders')).status()).toBe(201);
  expect((await sandbox.control('GET', '/state')).orders).toHaveLength(2);
  await mock.uncheck();
  await expect(mock).not.toBeChecked();
  await expect.poll(isMocked).toBe(false);
  expect((await sandbox.send('POST', '/api/orders')).status()).toBe(201);
  expect((await sandbox.control('GET', '/state')).orders).toHaveLength(3);
});

test('a snapshot can be saved, compared with the current state, restored and deleted', async ({
  page,
  open,
  sandbox,
}) => {
  await open('control');
  const snapshots = card(page, 'Snapshots');
  await snapshots.getByLabel('New snapshot').fill('before');
  await snapshots.getByRole('button', { name: 'Save' }).click();
  await expect(snapshots.getByText('before', { exact: true })).toBeVisible();
  await sandbox.send('POST', '/api/orders');
  await snapshots.getByRole('button', { name: 'Compare with before' }).click();
  await expect(snapshots).toContainText('Since this snapshot: 3 changes');
  await expect(snapshots).toContainText('added orders');
  await snapshots.getByRole('button', { name: 'Restore before' }).click();
  await snapshots.getByRole('button', { name: 'Confirm: Restore before' }).click();
  await expect(page.getByText('The snapshot before is restored')).toBeVisible();
  await expect(snapshots).toContainText('The current state equals the snapshot.');
  expect((await sandbox.control('GET', '/state')).orders).toHaveLength(2);
  await snapshots.getByRole('button', { name: 'Delete before' }).click();
  await snapshots.getByRole('button', { name: 'Confirm: Delete before' }).click();
  await expect(snapshots.getByText('before', { exact: true })).toHaveCount(0);
});

test('the clock can be frozen, set, advanced and reset', async ({ page, open, sandbox }) => {
  await open('control');
  const clock = card(page, 'Clock');
  await clock.getByRole('button', { name: 'Freeze' }).click();
  await expect(clock.getByText('frozen')).toBeVisible();
  await clock.getByLabel('Set the time').fill('2030-01-02T03:04:05');
  await clock.getByRole('button', { name: 'Set', exact: true }).click();
  await expect(clock.getByRole('time')).toContainText('2030');
  await clock.getByRole('button', { name: '+1 day' }).click();
  const expected = await page.evaluate(() => new Date('2030-01-03T03:04:05').toISOString());
  await expect.poll(async () => (await sandbox.control('GET', '/clock')).now).toBe(expected);
  await clock.getByRole('button', { name: 'Reset clock' }).click();
  await expect(clock.getByText('frozen')).toHaveCount(0);
});

test('a button and a check box keep the focus when they are used with the keyboard', async ({ page, open }) => {
  await open('control');
  const freeze = card(page, 'Clock').getByRole('button', { name: 'Freeze' });
  await freeze.focus();
  await page.keyboard.press('Enter');
  const resume = card(page, 'Clock').getByRole('button', { name: 'Resume' });
  await expect(resume).toBeFocused();
  const mock = card(page, 'Operations').getByLabel('Mock listOrders');
  await mock.focus();
  await page.keyboard.press('Space');
  await expect(mock).toBeChecked();
  await expect(mock).toBeFocused();
});

test('ids can have a seed, and be random again', async ({ page, open, sandbox }) => {
  await open('control');
  const ids = card(page, 'Ids');
  await ids.getByLabel('Seed').fill('42');
  await ids.getByRole('button', { name: 'Set seed' }).click();
  await expect(ids).toContainText('Ids have the seed 42.');
  expect(await sandbox.control('GET', '/ids')).toEqual({ seed: 42 });
  await ids.getByRole('button', { name: 'Use random ids' }).click();
  await expect(ids).toContainText('Ids are random.');
});
