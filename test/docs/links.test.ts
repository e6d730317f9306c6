import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPages } from '../support/docs/pages.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

const pages = readPages();

/** Returns the targets of the links and pictures of a page, without those in code. */
function findTargets(text: string): string[] {
  const prose = text.replaceAll(/^( *)```.*?^\1```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, target = '']) => target);
}

/** Returns the anchors of the headings of a page, as GitHub makes them. */
function findAnchors(text: string): string[] {
  const headings = [...text.replaceAll(/^( *)```.*?^\1```$/gms, '').matchAll(/^#+ (.+)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Whether a link of a page leads to a file, a heading or a secure web address. */
function leadsSomewhere(path: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return target.startsWith('https://') || target.startsWith('http://localhost');
  const [file = '', anchor] = target.split('#');
  const destination = file === '' ? projectFile(path) : projectFile(join(dirname(path), file));
  if (!existsSync(destination)) return false;
  if (anchor === undefined) return true;
  return !statSync(destination).isDirectory() && findAnchors(readFileSync(destination, 'utf8')).includes(anchor);
}

describe('links in the documentation', () => {
  it.each(pages)('$path has no broken link', ({ path, text }) => {
    expect(findTargets(text).filter((target) => !leadsSomewhere(path, target))).toEqual([]);
  });

  it('reach every page from README.md', () => {
    const linked = (path: string): string[] =>
      findTargets(pages.find((page) => page.path === path)?.text ?? '').flatMap((target) =>
        /^[a-z]+:|^#/.test(target) ? [] : join(dirname(path), target.split('#')[0] ?? ''),
      );
    const reached = new Set(['README.md']);
    for (const path of reached) for (const target of linked(path)) reached.add(target);
    expect(pages.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
  });

  it('names only files that exist, where it says what to change', () => {
    const text = readFileSync(projectFile('docs/CONTRIBUTING.md'), 'utf8');
    const named = [...text.matchAll(/`((?:src|test|docs|tools)\/[^`\s]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((path) => !existsSync(projectFile(path)))).toEqual([]);
  });
});
