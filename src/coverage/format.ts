import type { CoverageReport } from '../control/operation.ts';
import { formatLine, formatPercentage, getPercentage, KIND_NAMES } from './limits.ts';
import { isOnlyForced, isTouched, toPoint } from './totals.ts';

type OperationReport = CoverageReport['operations'][number];
type PointReport = OperationReport['points'][number];

/** Formats how many points were touched, such as "9 of 11 operations, 14 of 40 statuses". */
export function formatTotals({ totals }: CoverageReport): string {
  const shown = totals.filter(({ total }) => total > 0);
  return shown.map(({ kind, total, touched }) => `${touched} of ${total} ${KIND_NAMES[kind]}`).join(', ');
}

/**
 * Formats a coverage as text: a table, and the lines of the points that were never touched.
 * `check`: the coverage of a check of the API, which is shown beside it.
 */
export function formatText(report: CoverageReport, check?: CoverageReport): string {
  const { title, version } = report;
  const rows = createTable(report, check);
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  const sections = listSections(report, check).map(
    ([heading, lines]) => `\n${heading}:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
  const head = `Coverage of ${title} ${version}: ${formatPercentage(getPercentage(report.totals))}`;
  return `${head}\n\n${table.join('\n')}\n${sections.join('')}`;
}

/** Returns the cells of the table, by rows. The first row has the names of the columns. */
function createTable({ totals }: CoverageReport, check: CoverageReport | undefined): readonly (readonly string[])[] {
  return [
    ['', 'total', 'touched', 'only forced', ...(check ? ['by the check'] : [])],
    ...totals.map(({ kind, total, touched, onlyForced }) => {
      const checked = check?.totals.find((one) => one.kind === kind)?.touched ?? 0;
      return [KIND_NAMES[kind], total, touched, onlyForced, ...(check ? [checked] : [])].map(String);
    }),
  ];
}

/** Formats a coverage as Markdown. `check`: the coverage of a check of the API, which is shown beside it. */
export function formatMarkdown(report: CoverageReport, check?: CoverageReport): string {
  const [head = [], ...rows] = createTable(report, check).map((cells) => `| ${cells.join(' | ')} |`);
  const sections = listSections(report, check).map(
    ([heading, lines]) =>
      `\n<details><summary>${heading} (${lines.length})</summary>\n\n${lines.map((line) => `- ${toCode(line)}\n`).join('')}\n</details>\n`,
  );
  return `### Coverage of ${toCode(`${report.title} ${report.version}`)}: ${formatPercentage(getPercentage(report.totals))}

${head}
|---|--:|--:|--:|${check ? '--:|' : ''}
${rows.join('\n')}
${sections.join('')}`;
}

/** Formats text as inline code, in which Markdown has no effect. */
function toCode(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;
}

/**
 * Formats a coverage in the tracefile format of LCOV, for services that show the coverage of source files.
 * The count of a line is the sum of the counts of its points.
 */
export function formatLcov({ operations }: CoverageReport): string {
  const files = new Map<string, Map<number, number>>();
  for (const { file, line, count } of operations.flatMap((operation) => [toPoint(operation), ...operation.points])) {
    const lines = files.get(file) ?? new Map<number, number>();
    files.set(file, lines.set(line, (lines.get(line) ?? 0) + count));
  }
  const records = [...files].map(([file, lines]) => {
    const sorted = [...lines].toSorted(([a], [b]) => a - b);
    const data = sorted.map(([line, count]) => `DA:${line},${count}\n`).join('');
    const hit = sorted.filter(([, count]) => count > 0).length;
    return `TN:\nSF:${file}\n${data}LF:${sorted.length}\nLH:${hit}\nend_of_record\n`;
  });
  return records.join('');
}

/** Returns the lists of points below the table, without the empty ones. */
function listSections(
  { operations }: CoverageReport,
  check: CoverageReport | undefined,
): readonly (readonly [heading: string, lines: string[]])[] {
  const list = (isListed: (operation: OperationReport) => (point: PointReport) => boolean) =>
    operations.flatMap((operation) =>
      [toPoint(operation), ...operation.points]
        .filter(isListed(operation))
        .map((point) => formatLine(operation, point)),
    );
  const refused = operations.filter(({ requests, refused: count }) => count > 0 && count === requests);
  return [
    ['Never touched', list(createUntouchedFilter)],
    ['Only with a forced response', list(() => isOnlyForced)],
    ['Only refused requests', refused.map((operation) => formatLine(operation, toPoint(operation)))],
    ['Touched, but not by the check', check ? list(createUncheckedFilter(check)) : []],
  ].filter((section): section is [string, string[]] => (section[1]?.length ?? 0) > 0);
}

/**
 * Creates a function that returns whether a point was not touched and must be listed.
 * A point inside another one that was not touched is not listed.
 */
function createUntouchedFilter(operation: OperationReport): (point: PointReport) => boolean {
  if (operation.requests === 0) return ({ kind }) => kind === 'operation';
  const untouched = operation.points.filter((point) => !isTouched(point));
  const outer = untouched.flatMap(({ kind, name }) => {
    if (kind === 'status') return [`response ${name} `, `response ${name}`];
    return kind === 'property' || kind === 'parameter' ? [`${name}/`, `${name} `] : [];
  });
  return (point) => !isTouched(point) && !outer.some((prefix) => isInside(point.name, prefix));
}

/** Creates a function that returns whether a point of an operation was touched, but not by a check. */
function createUncheckedFilter(check: CoverageReport) {
  const checked = new Map(check.operations.map((operation) => [operation.operationId, operation]));
  return ({ operationId }: OperationReport) => {
    const own = checked.get(operationId);
    const points = own === undefined ? [] : [toPoint(own), ...own.points].filter(isTouched);
    const used = new Set(points.map(({ kind, name }) => `${kind} ${name}`));
    return (point: PointReport) => isTouched(point) && !used.has(`${point.kind} ${point.name}`);
  };
}

function isInside(name: string, prefix: string): boolean {
  return /[ /]$/.test(prefix) ? name.startsWith(prefix) : name === prefix;
}
