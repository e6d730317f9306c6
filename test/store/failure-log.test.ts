import { mkdir, rename, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultText, getProductId } from '../support/fixtures/default-data.ts';
import { type LogLine, startStorefront, type TestShop } from '../support/harness/start-storefront.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';

const KETTLE = getProductId('Cordless Electric Kettle');
const REFUSALS = 3;
const INFO = 30;
const ERROR = 50;

describe("the log of a server whose data file can't be written", () => {
  it('contains one line with a stack for all refused changes, and one line per request', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    await blockWrites(shop);
    await refuseChanges(shop);
    expect(errors(shop)).toEqual([
      expect.objectContaining({
        msg: expect.stringMatching(
          /db\.json can't be written \(.*\)\. Requests that change data get 503 until it can be written\.$/,
        ),
        err: expect.objectContaining({ stack: expect.stringMatching(/\n +at /) }),
      }),
    ]);
    const refused = shop.log.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(REFUSALS);
    for (const line of refused) expect(line).toMatchObject({ level: INFO, notes: [expect.stringContaining('EISDIR')] });
  });

  it('contains one line when the file can be written again, and another line for a later failure', async () => {
    const shop = await startStorefront({ errorsExpected: true });
    for (let outage = 1; outage <= 2; outage++) {
      const unblock = await blockWrites(shop);
      await refuseChanges(shop);
      await unblock();
      for (let change = 1; change <= 2; change++) expect((await addKettle(shop)).status).toBe(201);
      expect(errors(shop)).toHaveLength(outage);
      expect(messages(shop).filter((message) => message.endsWith('db.json can be written again.'))).toHaveLength(
        outage,
      );
      await shop.flush();
    }
  });
});

describe('the log of a server whose default data is damaged while it runs', () => {
  it('contains one line without a stack for all refused resets', async () => {
    const defaultData = join(await tempFolder(), 'default.json');
    await writeFile(defaultData, defaultText);
    const shop = await startStorefront({ defaultData, errorsExpected: true });
    await writeFile(defaultData, '{');
    for (let number = 1; number <= REFUSALS; number++) expect((await shop.ask('POST', '/api/reset')).status).toBe(503);
    expect(errors(shop)).toMatchObject([{ msg: expect.stringContaining(`${defaultData}:1 is not JSON`) }]);
    expect(errors(shop)[0]).not.toHaveProperty('err');
    await writeFile(defaultData, defaultText);
    expect((await shop.ask('POST', '/api/reset')).status).toBe(204);
    expect(messages(shop)).toContain(`${defaultData} can be read again.`);
  });
});

async function refuseChanges(shop: TestShop): Promise<void> {
  for (let number = 1; number <= REFUSALS; number++) expect((await addKettle(shop)).status).toBe(503);
}

function addKettle(shop: TestShop) {
  return shop.ask('POST', '/api/cart-items', { productId: KETTLE, quantity: 1 });
}

function errors({ log }: TestShop): readonly LogLine[] {
  return log.filter(({ level }) => level >= ERROR);
}

function messages({ log }: TestShop): readonly string[] {
  return log.map(({ msg = '' }) => msg);
}

/** Replaces the file with a folder, so that no write can succeed. Returns a function that removes the folder. */
async function blockWrites({ dataFile = '' }: TestShop): Promise<() => Promise<void>> {
  await rename(dataFile, `${dataFile}.away`);
  await mkdir(dataFile);
  return async () => {
    await rmdir(dataFile);
    await rename(`${dataFile}.away`, dataFile);
  };
}
