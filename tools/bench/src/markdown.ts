import type { Report, Target } from './measurement.ts';

/** A report as a Markdown section: title, how it was measured, table. */
export function section({ title, how, columns, rows }: Report): string {
  return [`## ${title}`, '', how, '', ...table(columns, rows), ''].join('\n');
}

/** The targets as a Markdown list, one line each. */
export function targetList(targets: readonly Target[]): string {
  const lines = targets.map(({ what, reached, isMet }) => `- ${isMet ? 'met' : 'NOT met'}: ${what}: ${reached}`);
  return ['## Targets', '', ...lines].join('\n');
}

/** A table whose cells are padded to the width of their column, so that it can be read on a terminal too. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map((column, index) =>
    Math.max(...[column, ...rows.map((row) => row[index] ?? '')].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(columns), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)];
}
