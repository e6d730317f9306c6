import { renameSync, writeFileSync } from 'node:fs';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defaults } from './default-data.ts';
import { folderWith } from './folder-with.ts';
import { putInto } from './states.ts';

/** A data file of its own for one test. */
export interface CartFile {
  readonly path: string;
  /** The products in the cart that the file holds; undefined where there is no file. Rejects where it holds no JSON. */
  cart(): Promise<readonly string[] | undefined>;
  /** What the edits hold that are kept beside the file. */
  conflicts(): Promise<readonly string[]>;
  /** The names in its folder. */
  names(): Promise<readonly string[]>;
  mode(): Promise<number>;
}

/** The mode that a file is made with here: not the one that a new file would get by itself. */
export const CART_FILE_MODE = 0o640;

/** The ways in which somebody else may edit the file at `path`, each at one go. */
export const handEdits = [
  { how: 'in place', edit: (path: string, text: string) => writeFileSync(path, text) },
  {
    how: 'by a rename',
    edit(path: string, text: string) {
      writeFileSync(`${path}.edit`, text);
      renameSync(`${path}.edit`, path);
    },
  },
] as const;

/** The text of the default data, with these products in its cart too. */
export function textWith(productIds: readonly string[]): string {
  const put = productIds.map((productId) => ({ productId, quantity: 1, deliveryOptionId: '1' }));
  return JSON.stringify({ ...defaults, cartItems: [...defaults.cartItems, ...put] });
}

/** A file whose cart holds these products; none, in a folder that is there only where `name` has none of its own, where they are undefined. */
export async function cartFile(productIds?: readonly string[], name = 'db.json'): Promise<CartFile> {
  const folder = await folderWith(productIds ? { [name]: textWith(productIds) } : {});
  const path = join(folder, name);
  if (productIds) await chmod(path, CART_FILE_MODE);
  const names = () => readdir(dirname(path));
  return {
    path,
    async cart() {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      return text === undefined ? undefined : putInto(JSON.parse(text));
    },
    async conflicts() {
      const kept = (await names()).filter((name) => name.startsWith('db.json.conflict-'));
      return Promise.all(kept.map((name) => readFile(join(dirname(path), name), 'utf8')));
    },
    names,
    mode: async () => (await stat(path)).mode & 0o777,
  };
}
