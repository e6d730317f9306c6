// Generates the reference pages of the documentation: docs/cli.md from the commands, docs/control-api.md from src/control/control.yaml. With --check it
// only reports which of them are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { generateCliPage } from './cli-page.ts';
import { generateControlPage } from './control-page.ts';

const pages: readonly (readonly [file: string, text: string])[] = [
  ['docs/cli.md', generateCliPage()],
  ['docs/control-api.md', generateControlPage(readFileSync('src/control/control.yaml', 'utf8'))],
];

for (const [file, text] of pages) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is out of date: run npm run docs`);
    process.exitCode = 1;
  }
}
