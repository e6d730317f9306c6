import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { State } from '../../src/store/state.ts';

/** Where a file of the project stands. */
export function projectFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** The default data that comes along, as text and as data. */
export const defaultText: string = readFileSync(projectFile('db.json.default'), 'utf8');
export const defaults: State = JSON.parse(defaultText);

/** The id of the product of the default data whose name begins so. */
export function productId(nameBegins: string): string {
  const product = defaults.products.find(({ name }) => name.startsWith(nameBegins));
  if (!product) throw new Error(`no product's name begins with ${nameBegins}`);
  return product.id;
}
