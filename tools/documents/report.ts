import type { Finding } from './client.ts';
import type { LifeCycle } from './life-cycle.ts';
import type { DocumentResult } from './run-document.ts';

/** The columns of a document's row. */
interface Row {
  readonly operations: number;
  readonly resource: number;
  readonly real: number | undefined;
  readonly cycles: number;
  readonly complete: number;
  readonly lookUps: number;
  readonly found: number;
  readonly serverErrors: number;
  readonly invalid: number;
}

const HEADINGS = [
  'document',
  'operations',
  'collection and item',
  'real',
  'life cycles',
  'look-ups',
  '5xx',
  'invalid responses',
  'start ms',
  'MB at start / peak',
];

/** Returns the results as a Markdown table with a row of totals. */
export function formatResults(results: readonly DocumentResult[]): string {
  const lines = results.map((result) => formatLine(result.name, toRow(result), result));
  const totals = results.map(toRow).reduce(add);
  const rule = HEADINGS.map((_, index) => (index === 0 ? '---' : '--:'));
  return [HEADINGS, rule, ...lines, formatLine('**total**', totals)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Returns the first failure of each life cycle that is not complete, and all other findings, by document. */
export function formatFailures({ name, error, lifeCycles, findings, mocked }: DocumentResult): string {
  const failed = lifeCycles.filter(({ failures }) => failures.length > 0);
  const lines = [
    ...(error === undefined ? [] : [`not served: ${error}`]),
    ...failed.map(
      ({ resource, failures: [first] }) => `${resource.itemPath}: ${first?.step}: ${first?.operation}: ${first?.text}`,
    ),
    ...findings.map(({ kind, operation, text }) => `${kind}: ${operation}: ${text}`),
    ...mocked.map((text) => `not real: ${text}`),
  ];
  return lines.length === 0 ? '' : `## ${name}\n${lines.map((line) => `- ${line.replace(/\s+/g, ' ')}`).join('\n')}\n`;
}

/** Returns whether everything that was tried succeeded. */
export function isPassed(result: DocumentResult): boolean {
  const { cycles, complete, lookUps, found, serverErrors, invalid } = toRow(result);
  return result.error === undefined && cycles === complete && lookUps === found && serverErrors + invalid === 0;
}

function toRow({ operations, resourceOperations, realOperations, lifeCycles, findings }: DocumentResult): Row {
  const created = lifeCycles.filter(({ kind }) => kind === 'created');
  const looked = lifeCycles.filter(({ kind }) => kind === 'looked up');
  return {
    operations,
    resource: resourceOperations,
    real: realOperations,
    cycles: created.length,
    complete: countComplete(created),
    lookUps: looked.length,
    found: countComplete(looked),
    serverErrors: countKind(findings, 'server error') + countKind(findings, 'no response'),
    invalid: countKind(findings, 'invalid response'),
  };
}

function countComplete(lifeCycles: readonly LifeCycle[]): number {
  return lifeCycles.filter(({ failures }) => failures.length === 0).length;
}

function countKind(findings: readonly Finding[], wanted: Finding['kind']): number {
  return findings.filter(({ kind }) => kind === wanted).length;
}

function add(one: Row, other: Row): Row {
  const sums = Object.entries(one).map(([name, value]) => [name, sum(value, other[name as keyof Row])]);
  return Object.fromEntries(sums) as Row;
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

function formatLine(name: string, row: Row, result?: DocumentResult): readonly string[] {
  const { operations, resource, real, cycles, complete, lookUps, found, serverErrors, invalid } = row;
  if (result?.error !== undefined)
    return [name, String(operations), String(resource), 'not served', ...Array(6).fill('')];
  return [
    name,
    String(operations),
    String(resource),
    real === undefined ? '' : `${real} (${percent(real, resource)})`,
    `${complete} of ${cycles}`,
    `${found} of ${lookUps}`,
    String(serverErrors),
    String(invalid),
    result ? result.startMs.toFixed(0) : '',
    result ? `${result.startMb.toFixed(0)} / ${result.peakMb.toFixed(0)}` : '',
  ];
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)} %`;
}
