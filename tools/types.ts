// Makes from openapi.yaml what the shop is written for: its types (src/contract/schema.d.ts), and its operations and schemas as data
// (src/contract/shop.json), by which a running shop knows what a newer contract has gained; and the types of control from its contract. With --check
// it only tells whether all are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { CORE_SCHEMA, load } from 'js-yaml';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { rebuilt } from '../src/contract/walk.ts';

const SHOP = 'src/contract/shop.json';

/** Words for people, and values: no part of what answers look like. */
const LEFT_OUT = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'x-refused-examples',
  'tags',
  'links',
  'title',
]);

/** A document without what isn't about shapes. */
function shapesOf(document: object): object {
  return rebuilt(document, (node) => Object.fromEntries(Object.entries(node).filter(([key]) => !LEFT_OUT.has(key))));
}

function shop(): string {
  const { openapi, paths, components } = load(readFileSync('openapi.yaml', 'utf8'), { schema: CORE_SCHEMA }) as Record<
    string,
    unknown
  >;
  return `${JSON.stringify(shapesOf({ openapi, paths, components }))}\n`;
}

/** What is made of what: the types of both contracts, and the shop's as data. */
const made: readonly (readonly [file: string, text: string])[] = [
  ['src/contract/schema.d.ts', await typesOf('openapi.yaml')],
  ['src/control/schema.d.ts', await typesOf('src/control/control.yaml')],
  [SHOP, shop()],
];

async function typesOf(document: string): Promise<string> {
  const types = await openapiTS(new URL(`../${document}`, import.meta.url), { immutable: true });
  return COMMENT_HEADER + astToString(types);
}

for (const [file, text] of made) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not made of its document: run npm run types`);
    process.exitCode = 1;
  }
}
