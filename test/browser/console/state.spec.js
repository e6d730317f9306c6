import { readFileSync } from 'node:fs';
import { expect, KETTLE, SERVER, test } from './support.js';

/** Returns the rows of the table of entries. */
function entries(page) {
  return page.locator('tbody').getByRole('row');
}

test('the state is shown as a table for each collection, with pictures', async ({ page, open }) => {
  await open('state');
  await expect(entries(page)).toHaveCount(40);
  const picture = entries(page).first().locator('img');
  await expect.poll(() => picture.evaluate((image) => image.naturalWidth)).toBeGreaterThan(0);
  await page.getByRole('link', { name: 'orders 2' }).click();
  await expect(entries(page)).toHaveCount(2);
});

test('the search selects entries, and the address keeps it', async ({ page, open }) => {
  await open('state', { collection: 'products' });
  await page.getByRole('searchbox').fill('KETTLE');
  await expect(entries(page)).toHaveCount(1);
  await page.reload();
  await expect(entries(page)).toHaveCount(1);
});

test('the search of the application is explained, and a misspelled term is corrected', async ({ page, open }) => {
  await open('state', { collection: 'products', search: 'ketle' });
  await page.getByLabel('Explain the search of the application').check();
  const explanation = page.getByRole('region', { name: 'Explanation of the search' });
  await expect(explanation).toContainText('kettle (misspelled)');
  await expect(explanation.getByRole('listitem').filter({ hasText: 'Cordless Electric Kettle' })).toContainText('cost');
  await explanation.getByRole('link', { name: 'kettle' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('kettle');
  await expect(explanation).toContainText('kettle (exact)');
});

test('an invalid value is refused at its field, and a valid value is saved', async ({ page, open, sandbox }) => {
  await open('state');
  await page.getByRole('button', { name: 'Edit Lightweight Trail Running Shoes' }).click();
  await expect(page.getByRole('heading', { name: 'Edit Lightweight Trail Running Shoes in products' })).toBeVisible();
  const price = page.getByLabel('priceCents');
  await price.fill('-5');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(price).toHaveAttribute('aria-invalid', 'true');
  await expect(price).toHaveAccessibleDescription(/0/);
  await price.fill('1250');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(entries(page).first()).toContainText('12.50');
  expect((await sandbox.control('GET', '/state')).products[0].priceCents).toBe(1250);
});

test('an entry that has changed in the meantime is not overwritten', async ({ page, open, sandbox }) => {
  await open('state', { collection: 'cartItems' });
  await entries(page).first().getByRole('button', { name: /^Edit/ }).click();
  const { cartItems } = await sandbox.control('GET', '/state');
  await sandbox.control('PUT', '/state', { cartItems: cartItems.map((item) => ({ ...item, quantity: 9 })) });
  await page.getByLabel('quantity').fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  expect((await sandbox.control('GET', '/state')).cartItems[0].quantity).toBe(9);
});

test('an entry can be edited as JSON, added and deleted', async ({ page, open, sandbox }) => {
  await open('state', { collection: 'cartItems' });
  await page.getByRole('button', { name: 'Add entry' }).click();
  await page.getByLabel('productId').selectOption(KETTLE);
  await page.getByLabel('Edit as JSON').check();
  await expect(page.getByLabel('JSON', { exact: true })).toHaveValue(new RegExp(KETTLE));
  await page.getByLabel('JSON', { exact: true }).fill('{');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('not valid JSON');
  const [{ id: _, ...item }] = (await sandbox.control('GET', '/state')).cartItems;
  const added = { ...item, productId: KETTLE, quantity: 4 };
  await page.getByLabel('JSON', { exact: true }).fill(JSON.stringify(added));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(entries(page)).toHaveCount(3);
  await entries(page).nth(2).getByRole('button', { name: /^Edit/ }).click();
  await page.getByRole('button', { name: 'Delete the entry' }).click();
  await page.getByRole('button', { name: 'Confirm: Delete the entry' }).click();
  await expect(entries(page)).toHaveCount(2);
  expect((await sandbox.control('GET', '/state')).cartItems).toHaveLength(2);
});

test('the entries that the last request changed are highlighted, without a reload', async ({ page, open, sandbox }) => {
  await open('state', { collection: 'cartItems' });
  await expect(entries(page)).toHaveCount(2);
  await sandbox.send('POST', '/api/cart-items', { data: { productId: KETTLE, quantity: 2 } });
  await expect(entries(page)).toHaveCount(3);
  await expect(page.locator('.row-added')).toHaveCount(1);
  await expect(page.getByText('cartItems: 1 entry added')).toBeVisible();
  await entries(page).first().getByRole('button', { name: /^Edit/ }).click();
  await page.getByLabel('quantity').fill('7');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Last change:')).toContainText('entry edited in the console');
  await expect(page.locator('.row-added')).toHaveCount(0);
  await sandbox.send('POST', '/api/cart-items', { data: { productId: KETTLE, quantity: 1 } });
  await expect(page.getByText('Last change:')).toContainText('POST /api/cart-items');
});

test('the state can be exported and imported', async ({ page, open, sandbox }) => {
  await open('state', { collection: 'orders' });
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const exported = JSON.parse(readFileSync(await (await downloading).path(), 'utf8'));
  expect(exported).toEqual(await sandbox.control('GET', '/state'));
  const file = (name, value) => ({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) });
  await page
    .getByLabel('JSON file to import')
    .setInputFiles(file('one.json', { ...exported, orders: [exported.orders[0]] }));
  await expect(entries(page)).toHaveCount(1);
  await page.getByLabel('JSON file to import').setInputFiles(file('bad.json', { orders: [{ id: 1 }] }));
  await expect(page.getByRole('status').filter({ hasText: 'the state is invalid' })).toBeVisible();
  await expect(entries(page)).toHaveCount(1);
});

test('Reset data restores the default data after a second click', async ({ page, open, sandbox }) => {
  await sandbox.control('PUT', '/state', { orders: [] });
  await open('state', { collection: 'orders' });
  await expect(page.getByText('No entries.')).toBeVisible();
  await page.getByRole('button', { name: 'Reset data' }).click();
  const confirm = page.getByRole('button', { name: 'Confirm: Reset data' });
  await expect(confirm).toHaveText('Reset data?');
  await confirm.click();
  await expect(entries(page)).toHaveCount(2);
});

test('the console at the path of a sandbox shows this sandbox', async ({ page, sandbox }) => {
  await page.goto(`${SERVER}/_sandbox/${sandbox.id}`);
  await expect(page.getByLabel('Sandbox', { exact: true })).toHaveValue(sandbox.id);
});

test('the tabs show no numbers of entries that are not known', async ({ page, open, sandbox }) => {
  await page.route(`**/_control/sandboxes/${sandbox.id}`, (route) => route.abort());
  await open('state');
  const tabs = page.getByRole('navigation', { name: 'Collections' });
  await expect(tabs.getByRole('link', { name: 'products' })).toBeVisible();
  await expect(tabs).not.toContainText(/\d/);
});
