import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { projectFile } from '../fixtures/default-data.ts';
import { folderWith } from './folder-with.ts';
import { startStorefront, type TestShop } from './start-storefront.ts';

/** The text of the shop's contract, openapi.yaml. */
export const contractText = await readFile(projectFile('openapi.yaml'), 'utf8');

const REVIEWS = `  /api/reviews:
    get:
      operationId: listReviews
      responses:
        "200":
          description: The reviews
          content:
            application/json:
              schema: { type: array, items: { type: string }, minItems: 1 }
  /api/cart-items:
`;

/** Starts a shop for one test with a copy of the contract in a temporary folder. `save` replaces the text of this copy. */
export async function startWithContractFile(options: Parameters<typeof startStorefront>[0] = {}, text = contractText) {
  const folder = await folderWith({ 'openapi.yaml': text });
  const path = join(folder, 'openapi.yaml');
  const shop = await startStorefront({ contract: path, ...options });
  return { shop, path, save: (next: string) => writeFile(path, next) };
}

/** Returns the text of a contract in which `from` is replaced by `to`. Throws an error if the contract does not contain `from`. */
export function replaceInContract(from: string, to: string, text = contractText): string {
  if (!text.includes(from)) throw new Error(`openapi.yaml has no ${from}`);
  return text.replace(from, to);
}

/** Returns the shop's contract with additional properties in the product schema. `fields`: one line of YAML for each property. */
export function withProductFields(...fields: readonly string[]): string {
  const lines = fields.map((field) => `        ${field}\n`).join('');
  return replaceInContract('keywords]\n      properties:\n', `keywords]\n      properties:\n${lines}`);
}

/** The text of the shop's contract with an additional operation, `listReviews`. */
export const withReviews = replaceInContract('  /api/cart-items:\n', REVIEWS);

/** Waits until a shop has logged a message that contains `part`. `level`: the log level; 30 is info, and 40 is a warning. Returns the message. */
export async function waitForLog(shop: TestShop, part: string, level = 30) {
  return vi.waitFor(
    () => {
      const line = shop.log.find((one) => one.level === level && one.msg?.includes(part));
      if (!line) throw new Error(`the log doesn't tell of ${part}`);
      return line.msg ?? '';
    },
    { timeout: 60_000, interval: 20 },
  );
}
