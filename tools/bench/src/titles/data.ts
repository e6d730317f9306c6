import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '../../../../src/util/random.ts';
import type { Item } from '../search/catalogue.ts';

/** The public repository that contains the product titles (Apache-2.0), and its commit. */
const REPOSITORY = 'megagonlabs/ditto';
const COMMIT = '52985564a93fb11308439516d3e17a033d43ec8f';

/**
 * Files with product titles in the repository. `title`: the name of the column with the title. `category`: the category of products that have no category
 * column.
 */
interface Source {
  readonly files: readonly string[];
  readonly title: string;
  readonly category: string;
}

const SPLITS = ['train', 'valid', 'test'];
const SOURCES: readonly Source[] = [
  {
    files: SPLITS.map((split) => `data/er_magellan/Structured/Walmart-Amazon/${split}.txt`),
    title: 'title',
    category: '',
  },
  { files: SPLITS.map((split) => `data/er_magellan/Textual/Abt-Buy/${split}.txt`), title: 'name', category: '' },
  ...['shoes', 'watches'].map((category) => ({
    files: ['train.txt.medium', 'valid.txt.large', 'test.txt'].map((file) => `data/wdc/${category}/${file}`),
    title: 'title',
    category,
  })),
];

/** The number of titles, and the random seed for choosing them. */
const TITLES = 10_000;
const SEED = 20;

/** A product with a real title. Its only keyword is its category, if the category is known. */
export interface TitledItem extends Item {
  /** The brand and the model number, in lower case. Each is an empty text if it is unknown. */
  readonly brand: string;
  readonly model: string;
}

/**
 * Returns 10,000 products with different real titles, in a fixed random order. `folder`: a clone of the repository that contains the titles, or a folder for
 * downloads. Downloads missing files from GitHub.
 */
export async function readTitles(folder: string): Promise<readonly TitledItem[]> {
  const items = new Map<string, TitledItem>();
  for (const source of SOURCES) {
    for (const file of source.files) {
      for (const record of parseRecords(await readSourceFile(folder, file))) {
        const item = toItem(record, source, items.size);
        if (item && !items.has(item.name.toLowerCase())) items.set(item.name.toLowerCase(), item);
      }
    }
  }
  const random = createRandom(SEED);
  return [...items.values()]
    .map((item) => ({ item, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .slice(0, TITLES)
    .map(({ item }) => item);
}

async function readSourceFile(folder: string, path: string): Promise<string> {
  if (existsSync(join(folder, 'HEAD')) || existsSync(join(folder, '.git'))) {
    return execFileSync('git', ['-C', folder, 'show', `HEAD:${path}`], { encoding: 'utf8', maxBuffer: 1e8 });
  }
  const file = join(folder, path.replaceAll('/', '_'));
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const url = `https://raw.githubusercontent.com/${REPOSITORY}/${COMMIT}/${path}`;
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    writeFileSync(file, await response.text());
  }
  return readFileSync(file, 'utf8');
}

type TitleRecord = ReadonlyMap<string, string>;

/** Parses a file of the repository. Each line contains two records, separated by a tab: `COL title VAL … COL brand VAL …`. */
function parseRecords(text: string): readonly TitleRecord[] {
  return text
    .split(/[\t\n]/)
    .filter((part) => part.startsWith('COL '))
    .map((part) => {
      const columns = part.split(/(?:^|\s)COL (?=\w+ VAL)/).filter((column) => column !== '');
      return new Map(columns.map((column) => [column.split(' VAL')[0] ?? '', column.replace(/^\w+ VAL/, '').trim()]));
    });
}

/** Matches titles in other languages than English. They are not used, because the relevance rules are for English. */
const OTHER_LANGUAGE = /"@(?!en)/;

function toItem(record: TitleRecord, { title, category }: Source, index: number): TitledItem | undefined {
  const text = record.get(title) ?? '';
  if (OTHER_LANGUAGE.test(text)) return undefined;
  // A web page can have several titles in quotation marks. The first title is the title of the product.
  const name = (/^"([^"]+)"/.exec(text)?.[1] ?? text.replaceAll(/"(@\S*)?/g, ' ')).replaceAll(/\s+/g, ' ').trim();
  if (name.length < 8 || name.length > 160) return undefined;
  const keyword = (record.get('category') ?? '').trim() || category;
  return {
    id: String(index),
    name,
    keywords: keyword === '' ? [] : [keyword],
    brand: (record.get('brand') ?? '').toLowerCase(),
    model: (record.get('modelno') ?? '').toLowerCase(),
  };
}
