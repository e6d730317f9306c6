import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { projectFile } from '../fixtures/default-data.ts';
import { folderWith } from './folder-with.ts';
import { startStorefront, type TestShop } from './start-storefront.ts';

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

/** A shop with a contract file that the test can save again. */
export async function startWithContractFile(options: Parameters<typeof startStorefront>[0] = {}, text = contractText) {
  const folder = await folderWith({ 'openapi.yaml': text });
  const path = join(folder, 'openapi.yaml');
  const shop = await startStorefront({ contract: path, ...options });
  return { shop, path, save: (next: string) => writeFile(path, next) };
}

export function replaceInContract(from: string, to: string, text = contractText): string {
  if (!text.includes(from)) throw new Error(`openapi.yaml has no ${from}`);
  return text.replace(from, to);
}

/** openapi.yaml with additional properties of products, one line of YAML each. */
export function withProductFields(...fields: readonly string[]): string {
  const lines = fields.map((field) => `        ${field}\n`).join('');
  return replaceInContract('keywords]\n      properties:\n', `keywords]\n      properties:\n${lines}`);
}

export const withReviews = replaceInContract('  /api/cart-items:\n', REVIEWS);

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
