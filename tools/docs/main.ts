// Generates the reference pages of the documentation: docs/cli.md from the commands, docs/control-api.md from src/control/control.yaml, and the table of
// options in docs/create-storefront.md from their docblocks, and the table of rules in docs/check.md. With --check, it only reports which pages are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { generateCliPage } from './cli-page.ts';
import { generateControlPage } from './control-page.ts';
import { generateOptionsTable } from './options-table.ts';
import { generateRulesTable } from './rules-table.ts';

const pages: readonly (readonly [file: string, text: string])[] = [
  ['docs/cli.md', generateCliPage()],
  ['docs/control-api.md', generateControlPage(readFileSync('src/control/control.yaml', 'utf8'))],
  ['docs/check.md', replaceRules(readFileSync('docs/check.md', 'utf8'))],
  ['docs/create-storefront.md', replaceOptions(readFileSync('docs/create-storefront.md', 'utf8'))],
];

/** Returns the page with a new table of options. */
function replaceOptions(page: string): string {
  const table = generateOptionsTable('src/options.ts');
  return page.replace(/(<!-- options[^\n]*-->\n).*?(?=\n<!-- end -->)/s, (_, start: string) => `${start}\n${table}`);
}

/** Returns the page with a new table of the rules of the check. */
function replaceRules(page: string): string {
  const table = generateRulesTable();
  return page.replace(
    /(<!-- rules:[^\n]*-->\n).*?(?=<!-- end of rules -->)/s,
    (_, start: string) => `${start}${table}`,
  );
}

for (const [file, text] of pages) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is out of date: run npm run docs`);
    process.exitCode = 1;
  }
}
