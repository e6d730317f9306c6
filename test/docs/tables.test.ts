import { describe, expect, it } from 'vitest';
import { readPages } from '../support/docs/pages.ts';

/** Returns the tables of a page, each as the numbers of cells of its rows. Tables in code blocks do not count. */
function countCells(text: string): number[][] {
  const prose = text.replaceAll(/^( *)```.*?^\1```$/gms, '');
  return [...prose.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([table]) =>
    table
      .trim()
      .split('\n')
      .map((row) => row.split(/(?<!\\)\|/).length - 2),
  );
}

describe('tables in the documentation', () => {
  it.each(readPages())('$path has the same number of cells in all rows of a table', ({ text }) => {
    expect(countCells(text).filter((rows) => new Set(rows).size > 1)).toEqual([]);
  });
});
