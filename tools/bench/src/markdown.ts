import type { Report, Target } from './measurement.ts';

/** Formats a report as a Markdown section with the title, the method and the table of figures. */
export function section({ title, how, columns, rows }: Report): string {
  return [`## ${title}`, '', how, '', ...table(columns, rows), ''].join('\n');
}

/** Formats targets as a Markdown list. Each line says whether the figure meets the target. */
export function targetList(targets: readonly Target[]): string {
  const lines = targets.map(({ what, reached, isMet }) => `- ${isMet ? 'met' : 'NOT met'}: ${what}: ${reached}`);
  return ['## Targets', '', ...lines].join('\n');
}

/** Formats a Markdown table. Pads the cells of a column to the same width, so that the table is readable in a terminal. */
function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map((column, index) =>
    Math.max(...[column, ...rows.map((row) => row[index] ?? '')].map((cell) => cell.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(columns), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)];
}
