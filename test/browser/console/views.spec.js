// Checks each view at three widths in both themes: axe-core finds nothing, and nothing is wider than the page. With PICTURES=FOLDER, saves a picture of each.
import { readFileSync } from 'node:fs';
import { expect, KETTLE, rows, test } from './support.js';

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const { PICTURES } = process.env;

const SIZES = [
  { width: 360, height: 780 },
  { width: 1280, height: 800 },
  { width: 2560, height: 1440 },
];

/** The steps that show each view. */
const VIEWS = {
  empty: ({ open }) => open(),
  requests: async ({ open, page, fill }) => {
    await fill();
    await open();
    await expect(rows(page)).not.toHaveCount(0);
  },
  details: async ({ open, page, fill }) => {
    await fill();
    await open('requests', { request: '1' });
    await expect(page.locator('.line-marked')).toBeVisible();
  },
  state: async ({ open, page, fill }) => {
    await fill();
    await open('state');
    await expect(page.locator('tbody tr')).toHaveCount(40);
  },
  changes: async ({ open, page, fill }) => {
    await fill();
    await open('state', { collection: 'cartItems' });
    await expect(page.locator('.row-added')).toBeVisible();
  },
  editor: async ({ open, page }) => {
    await open('state');
    await page.getByRole('button', { name: 'Edit Lightweight Trail Running Shoes' }).click();
    await page.getByLabel('priceCents').fill('-1');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alert').first()).toBeVisible();
  },
  add: async ({ open, page }) => {
    await open('state', { collection: 'cartItems', sort: '-Price' });
    await page.getByRole('button', { name: 'Add entry' }).click();
    await expect(page.getByLabel('productId').getByRole('option')).toHaveCount(41);
  },
  coverage: async ({ open, page, fill }) => {
    await fill();
    await open('coverage');
    await expect(page.getByRole('list', { name: 'Statuses of createOrder' })).toBeVisible();
  },
  control: async ({ open, page, fill }) => {
    await fill();
    await open('control');
    await expect(page.getByLabel('Mock listProducts')).toBeVisible();
  },
};

/** Sends requests with different results. */
async function fillSandbox({ send, control }) {
  await control('POST', '/faults', { operation: 'createOrder', status: 503, times: 1 });
  await send('POST', '/api/cart-items', { data: { productId: KETTLE, quantity: 11 } });
  await send('GET', '/api/products?search=shoes');
  await send('GET', '/api/nothing');
  await send('POST', '/api/orders');
  await send('POST', '/api/cart-items', { data: { productId: KETTLE, quantity: 2 } });
}

for (const colorScheme of ['light', 'dark'])
  for (const viewport of SIZES)
    test.describe(`${viewport.width} px, ${colorScheme}`, () => {
      test.use({ colorScheme, viewport });

      for (const [name, show] of Object.entries(VIEWS))
        test(`the view ${name} is accessible and fits at ${viewport.width} px in ${colorScheme}`, async ({
          page,
          open,
          sandbox,
        }) => {
          await show({ page, open, fill: () => fillSandbox(sandbox) });
          if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${viewport.width}-${colorScheme}.png` });
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
          await page.evaluate(AXE);
          const { violations } = await page.evaluate(() => globalThis.axe.run());
          expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
        });
    });
