// Makes from openapi.yaml what the shop is written for: its types (src/shop/schema.d.ts), and its operations and schemas as data
// (src/shop/contract.json), by which a running shop knows what a newer contract has gained; and the types of control from its contract. With --check
// it only tells whether all are current.
import { readFileSync, writeFileSync } from 'node:fs';
import { CORE_SCHEMA, load } from 'js-yaml';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { mapNodes } from '../src/openapi/walk-schemas.ts';

const SHOP = 'src/shop/contract.json';

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
  return mapNodes(document, (node) => Object.fromEntries(Object.entries(node).filter(([key]) => !LEFT_OUT.has(key))));
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
  // The package exports the types of the shop's contract: openapi-fetch 0.17 recognises no lists that are read-only.
  ['src/shop/schema.d.ts', await typesOf('openapi.yaml', { immutable: false })],
  ['src/control/schema.d.ts', await typesOf('src/control/control.yaml', { immutable: true })],
  [SHOP, shop()],
];

async function typesOf(document: string, options: { readonly immutable: boolean }): Promise<string> {
  const types = await openapiTS(new URL(`../${document}`, import.meta.url), options);
  return COMMENT_HEADER + astToString(types);
}

for (const [file, text] of made) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is out of date: run npm run types`);
    process.exitCode = 1;
  }
}
