import type { Report, Target } from './measurement.ts';

/** Formats a report as a Markdown section with the title, the method and the table. */
export function section({ title, how, columns, rows }: Report): string {
  return [`## ${title}`, '', how, '', ...table(columns, rows), ''].join('\n');
}

/** Formats the targets as a Markdown list with one line for each target. */
export function targetList(targets: readonly Target[]): string {
  const lines = targets.map(({ what, reached, isMet }) => `- ${isMet ? 'met' : 'NOT met'}: ${what}: ${reached}`);
  return ['## Targets', '', ...lines].join('\n');
}

/** Formats a Markdown table. Pads the cells to the width of their column, so that the table is readable in a terminal. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map((column, index) =>
    Math.max(...[column, ...rows.map((row) => row[index] ?? '')].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(columns), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)];
}
