import { writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { State } from '../../src/shop/state.ts';
import { getPrintedSize, isDataFileError, readState } from '../../src/store/data-file.ts';
import { type Disk, machineDisk } from '../../src/store/disk.ts';
import { readStateInSteps } from '../../src/store/read-in-steps.ts';
import { runAtOnce } from '../../src/util/slices.ts';
import { createLargeState } from '../support/fixtures/many-products.ts';
import { shopValidator } from '../support/fixtures/state-validator.ts';
import { eventually, getEditLogs, getWarnings } from '../support/harness/edited-file.ts';
import { openTestState } from '../support/harness/open-store.ts';
import { startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const COUNT = 5_000;

const state = createLargeState(COUNT);
const edited = createLargeState(COUNT + 1);

async function startLarge() {
  const data = join(await tempFolder(), 'db.json');
  await writeFile(data, JSON.stringify(state));
  return startStorefront({ data });
}

/** Returns whether a search finds the last product of the edited state. */
async function hasLastProduct({ ask }: TestShop): Promise<boolean> {
  const { body } = await ask('GET', `/api/products?search=${COUNT}`);
  return body.some(({ id }: { id: string }) => id === edited.products.at(-1)?.id);
}

describe('an edit of a large data file', () => {
  it('is loaded as a whole while the server handles requests', async () => {
    const shop = await startLarge();
    await shop.ask('GET', '/api/products?search=shoes');
    await writeFile(shop.dataFile ?? '', JSON.stringify(edited));
    let requests = 0;
    while (!(await hasLastProduct(shop))) requests++;
    expect(requests).toBeGreaterThan(5);
    expect((await shop.ask('GET', '/api/products')).body).toEqual(edited.products);
    expect(getEditLogs(shop)).toHaveLength(1);
  });

  it('is not loaded at all if one entry is invalid', async () => {
    const shop = await startLarge();
    const products = edited.products.with(COUNT, { ...edited.products[0], priceCents: -1 } as never);
    await writeFile(shop.dataFile ?? '', JSON.stringify({ ...edited, products }));
    await eventually(() => expect(getWarnings(shop).join()).toContain(`/products/${COUNT}/priceCents`));
    expect((await shop.ask('GET', '/api/products')).body).toEqual(state.products);
  });

  it('is the last one of two, if the file changes while it is read', async () => {
    const data = join(await tempFolder(), 'db.json');
    const [first, second, third] = [40, 41, 42].map(createLargeState) as [State, State, State];
    await writeFile(data, JSON.stringify(first));
    let reads = 0;
    const disk: Disk = {
      ...machineDisk,
      readAt(...part) {
        if (++reads === 1) writeFileSync(data, JSON.stringify(third));
        return machineDisk.readAt(...part);
      },
    };
    const { store } = await openTestState({ data, disk });
    await writeFile(data, JSON.stringify(second));
    await eventually(() => expect(store.read().state).toEqual(third));
    expect([reads, store.read().revision]).toEqual([2, 1]);
  });

  it('is the base of a change that the server receives while it reads the file', async () => {
    const shop = await startLarge();
    await writeFile(shop.dataFile ?? '', JSON.stringify(edited));
    const item = { productId: edited.products.at(-1)?.id, quantity: 1 };
    expect((await shop.ask('POST', '/api/cart-items', item)).status).toBe(201);
    expect((await shop.ask('GET', '/api/products')).body).toHaveLength(COUNT + 1);
  });
});

describe('readStateInSteps', () => {
  // Several times the size of the text in which an error is searched.
  const small = createLargeState(3_000);
  const text = JSON.stringify(small, null, 2);
  const middle = text.indexOf('"priceCents"', text.length / 2);
  const { validate: check, validateInSteps: checkInSteps } = shopValidator();

  /** Returns the error messages of both ways to read a file, or the states. */
  async function readBoth(content: string | Buffer) {
    const path = join(await tempFolder(), 'db.json');
    await writeFile(path, content);
    const options = { path, disk: machineDisk, check, checkInSteps, remedy: 'Fix it' };
    return [() => readState(options), () => runAtOnce(readStateInSteps(options))].map((read) => {
      try {
        return read()?.state;
      } catch (error) {
        if (isDataFileError(error)) return error.message;
        throw error;
      }
    });
  }

  it.each([
    ['a valid file', text],
    ['a file with a byte order mark and other line breaks', `\uFEFF${text.replaceAll('\n', '\r\n')}`],
    ['a missing comma', text.replace('},', '}')],
    ['a missing comma in the middle', `${text.slice(0, middle)}"x": 1 ${text.slice(middle)}`],
    ['a missing quotation mark', text.slice(0, middle) + text.slice(middle + 1)],
    ['a missing brace', text.slice(0, middle) + text.slice(text.indexOf('{', middle) + 1)],
    ['an additional brace', `${text.slice(0, middle)}}${text.slice(middle)}`],
    ['a name that occurs twice', `${text.slice(0, middle)}"priceCents": 1, ${text.slice(middle)}`],
    ['a collection that occurs twice', text.replace('"products"', '"orders": [], "products"')],
    ['a list that is not closed', text.replace(/\]\s*\}\s*$/, '')],
    ['half of a file', text.slice(0, middle)],
    ['text after the end', `${text} 1`],
    ['an empty file', ''],
    ['a file of zeros', '\0'.repeat(1_000_000)],
    ['a list', `[${text}]`],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(text.slice(0, middle)), Buffer.of(0xff)])],
    [
      'a value that is nested too deeply',
      text.replace('"products": [', `"products": [${'['.repeat(99)}1${']'.repeat(99)},`),
    ],
    ['a number that is too large', text.replace(/"priceCents": \d+/, '"priceCents": 1e400')],
    ['a missing collection', text.replace('"orders"', '"others"')],
    ['an id that occurs twice', text.replace(small.products[9]?.id ?? '', small.products[7]?.id ?? '')],
  ])('has the same result as readState for %s', async (_what, content) => {
    const [atOnce, inSteps] = await readBoth(content);
    expect(typeof inSteps === 'object' ? JSON.stringify(inSteps) : inSteps).toEqual(
      typeof atOnce === 'object' ? JSON.stringify(atOnce) : atOnce,
    );
  });

  it.each([0, 1, 31, 32, 33, 64, 65])('computes the size that a commit of %i products writes', (count) => {
    const printed = `${JSON.stringify(createLargeState(count), null, 2)}\n`;
    expect(runAtOnce(getPrintedSize(createLargeState(count)))).toBe(Buffer.byteLength(printed));
  });
});
