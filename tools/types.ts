// Generates the types of openapi.yaml and control.yaml, and src/shop/contract.json from openapi.yaml. The handlers of the shop implement contract.json, and the
// server compares contract.json with the contract that it serves. With --check, the tool only reports outdated files.
import { readFileSync, writeFileSync } from 'node:fs';
import { CORE_SCHEMA, load } from 'js-yaml';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { mapNodes } from '../src/openapi/walk-schemas.ts';

/** Keywords that do not affect validation, such as descriptions and examples. */
const OMITTED_KEYS = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'x-refused-examples',
  'tags',
  'links',
  'title',
]);

/** Returns a document without descriptions and examples. */
function omitDescriptions(document: object): object {
  return mapNodes(document, (node) =>
    Object.fromEntries(Object.entries(node).filter(([key]) => !OMITTED_KEYS.has(key))),
  );
}

/** Generates src/shop/contract.json. */
function generateContract(): string {
  const { openapi, paths, components } = load(readFileSync('openapi.yaml', 'utf8'), { schema: CORE_SCHEMA }) as Record<
    string,
    unknown
  >;
  return `${JSON.stringify(omitDescriptions({ openapi, paths, components }))}\n`;
}

/** The generated files. */
const files: readonly (readonly [file: string, text: string])[] = [
  // The package exports these types, and openapi-fetch 0.17 does not recognize read-only arrays.
  ['src/shop/schema.d.ts', await generateTypes('openapi.yaml', { immutable: false })],
  ['src/control/schema.d.ts', await generateTypes('src/control/control.yaml', { immutable: true })],
  ['src/shop/contract.json', generateContract()],
];

/** Generates the types of an OpenAPI document. */
async function generateTypes(document: string, options: { readonly immutable: boolean }): Promise<string> {
  const types = await openapiTS(new URL(`../${document}`, import.meta.url), options);
  return COMMENT_HEADER + astToString(types);
}

for (const [file, text] of files) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is out of date: run npm run types`);
    process.exitCode = 1;
  }
}
