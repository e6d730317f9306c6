import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CodeBlock, type Page, readPages } from '../support/docs/pages.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

const pages = readPages();

/** Languages of blocks that show no code: a picture, and text such as a layout of folders. */
const PLAIN = new Set(['text', 'mermaid']);

/** Commands in `sh` blocks that no test runs, with the reason. */
const NOT_RUN: readonly (readonly [start: string, reason: string])[] = [
  ['docker ', 'needs a container engine'],
  ['podman ', 'needs a container engine'],
];

/** The texts of the files that other tests run: a block of code is one of them. */
const examples = ['test/examples', 'test/browser/app', 'tools/container'].flatMap((folder) =>
  readdirSync(projectFile(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
);

const ci = readFileSync(projectFile('.ci/run'), 'utf8');

/** Returns why a block of a page is run by no test, or undefined. `commands` is the text of the page's commands. */
function findIssue({ language, title, text }: CodeBlock, commands: string): string | undefined {
  if (language === '') return 'has no language';
  if (PLAIN.has(language) || language === 'console') return undefined;
  if (title !== undefined)
    return commands.includes(title.split('/')[0] ?? title)
      ? undefined
      : `shows ${title}, which no command of the page uses`;
  if (language !== 'sh')
    return examples.includes(text)
      ? undefined
      : 'is no file of test/examples, test/browser/app or tools/container, and has no title';
  const lines = text.trim().split('\n');
  const untested = lines.filter((line) => !ci.includes(line) && !NOT_RUN.some(([start]) => line.startsWith(start)));
  return untested.length === 0 ? undefined : `is not in .ci/run: ${untested.join('; ')}`;
}

function findIssues({ path, blocks }: Page): string[] {
  const commands = blocks.flatMap(({ language, text }) => (['console', 'sh'].includes(language) ? text : [])).join('');
  return blocks.flatMap((block) => {
    const issue = findIssue(block, commands);
    return issue === undefined ? [] : [`${path}:${block.line} ${issue}`];
  });
}

describe('code blocks in the documentation', () => {
  it.each(pages)('$path has only code and commands that a test runs', (page) => {
    expect(findIssues(page)).toEqual([]);
  });
});
