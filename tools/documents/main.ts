// `npm run documents -- FOLDER [NAME…]`: serves the documents that FOLDER/documents.json names, runs the life cycle of each of their resources, and prints a table.
// FOLDER/documents.json maps names to files: {"petstore": "petstore/openapi.yaml"}. Exits with 1 on a failure.
//   --server COMMAND  another server: {file}, {port} and {folder} are replaced
//   --report FILE     all failures as Markdown
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatFailures, formatResults, isPassed } from './report.ts';
import { type DocumentResult, runDocument } from './run-document.ts';
import { explain, STOREFRONT } from './server.ts';

// An exit ends the servers.
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { server: { type: 'string' }, report: { type: 'string' } },
});
const [folder, ...names] = positionals;
if (folder === undefined) {
  console.error('documents: Name the folder with documents.json: npm run documents -- FOLDER');
  process.exit(2);
}

const files = JSON.parse(readFileSync(join(folder, 'documents.json'), 'utf8')) as Record<string, string>;
const command = values.server?.split(' ') ?? STOREFRONT;
const results: DocumentResult[] = [];
for (const [name, file] of Object.entries(files)) {
  if (names.length > 0 && !names.includes(name)) continue;
  console.error(name);
  const options = { name, file: join(folder, file), command };
  results.push(await runDocument(values.server === undefined ? { ...options, explain } : options));
  // A run of large documents takes minutes: what is known is there to read.
  if (values.report !== undefined)
    writeFileSync(values.report, `${formatResults(results)}\n\n${results.map(formatFailures).join('\n')}`);
}
if (values.report === undefined) console.log(results.map(formatFailures).join('\n'));
console.log(formatResults(results));
process.exitCode = results.every(isPassed) ? 0 : 1;
