// Makes from openapi.yaml what the shop is written for: its types (src/contract/schema.d.ts), and its operations and schemas as data
// (src/contract/shop.json), by which a running shop knows what a newer contract has gained; and the types of control from its contract. With --check
// it only tells whether all are current.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { CORE_SCHEMA, load } from 'js-yaml';
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

const isCheck = process.argv.includes('--check');
for (const [document, types] of [
  ['openapi.yaml', 'src/contract/schema.d.ts'],
  ['src/control/control.yaml', 'src/control/schema.d.ts'],
]) {
  const args = ['openapi-typescript', document, '--immutable', '--output', types, ...(isCheck ? ['--check'] : [])];
  const { status } = spawnSync('npx', ['--no-install', ...(args as string[])], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) process.exitCode = 1;
}
if (!isCheck) writeFileSync(SHOP, shop());
else if (readFileSync(SHOP, 'utf8') !== shop()) {
  console.error(`${SHOP} is not made of this openapi.yaml: run npm run types`);
  process.exitCode = 1;
}
