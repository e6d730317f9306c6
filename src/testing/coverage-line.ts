import { sendControlRequest } from '../client/client.ts';
import type { ControlResponse } from '../control/operation.ts';
import { type CoverageLimits, findFailures, findInvalidLimit } from '../coverage/limits.ts';
import { countTotals, describeUnknownOperation, omitOperations } from '../coverage/totals.ts';

/** A server whose coverage is read. */
interface CoveredServer {
  readonly server: string;
  readonly token?: string | undefined;
}

/** The coverage of a contract by the requests of all sandboxes. */
export type Coverage = ControlResponse<'getCoverage'>;

/** The kinds of points that the line names, with their plural. */
const KINDS = { operation: 'operations', status: 'statuses', example: 'examples' } as const;

/** The maximum number of untouched operations that the line names. */
const MAX_NAMES = 5;

/** Reads which parts of the contract the requests to a server have used. */
export function readCoverage({ server, token }: CoveredServer): Promise<Coverage> {
  const controlServer = { url: server.replace(/\/+$/, ''), token };
  return sendControlRequest<'getCoverage'>(controlServer, { method: 'GET', path: 'coverage' });
}

/** Sets the coverage of a server to 0. */
export async function resetCoverage({ server, token }: CoveredServer): Promise<void> {
  const controlServer = { url: server.replace(/\/+$/, ''), token };
  await sendControlRequest<'resetCoverage'>(controlServer, { method: 'DELETE', path: 'coverage' });
}

/** Formats coverage as one line, such as "Coverage of Shop 1.0: 9 of 11 operations, 14 of 40 statuses". */
function formatCoverage({ title, version, totals, operations }: Coverage): string {
  const counts = totals.flatMap(({ kind, total, touched, onlyForced }) => {
    if (total === 0 || !(kind in KINDS)) return [];
    const forced = onlyForced > 0 ? ` (${onlyForced} only forced)` : '';
    return [`${touched} of ${total} ${KINDS[kind as keyof typeof KINDS]}${forced}`];
  });
  const untouched = operations.filter(({ requests }) => requests === 0).map(({ operationId }) => operationId);
  const names = untouched.slice(0, MAX_NAMES).join(', ');
  const rest = untouched.length > MAX_NAMES ? ` and ${untouched.length - MAX_NAMES} more` : '';
  return `Coverage of ${title} ${version}: ${counts.join(', ')}${names === '' ? '' : `. Untouched: ${names}${rest}`}`;
}

/** Throws an error with the name of the first limit whose value is invalid. `reporter`: the name of the reporter. */
export function rejectInvalidLimit({ min, failOn, ignore }: CoverageLimits, reporter: string): void {
  const issue = findInvalidLimit({ min, failOn, ignore });
  if (issue === undefined) return;
  throw new Error(
    `Invalid option ${issue.option} of ${reporter}. It is ${JSON.stringify(issue.value)}: use ${issue.remedy}.`,
  );
}

/** Returns whether a run can fail because of its coverage. */
export function hasLimits({ min, failOn = [] }: CoverageLimits): boolean {
  return min !== undefined || failOn.length > 0;
}

/**
 * Formats each coverage as a line, followed by the limits that it does not reach.
 * `isTooLow`: whether there are such limits, or an unknown operation to ignore.
 */
export function reportCoverages(coverages: readonly Coverage[], limits: CoverageLimits) {
  const unknown = describeUnknownOperation(coverages, limits.ignore);
  const sections = coverages.map((coverage) => {
    const counted = omitOperations(coverage, limits.ignore);
    return [formatCoverage(counted), ...findFailures(counted, limits)];
  });
  const invalid = unknown === undefined ? [] : [`Invalid option ignore. ${unknown}`];
  const lines = [...sections.flat(), ...invalid];
  return { text: `\n${lines.join('\n')}\n`, isTooLow: lines.length > coverages.length };
}

/** Adds up the coverages of servers with the same contract. Returns one coverage for each title and version, sorted. */
export function mergeCoverages(coverages: readonly Coverage[]): readonly Coverage[] {
  const merged = new Map<string, Coverage>();
  for (const coverage of coverages) {
    const key = `${coverage.title} ${coverage.version}`;
    const known = merged.get(key);
    merged.set(key, known === undefined ? coverage : addCoverage(known, coverage));
  }
  return [...merged.keys()].toSorted().map((key) => merged.get(key) as Coverage);
}

type Operation = Coverage['operations'][number];
type Point = Operation['points'][number];

/** Adds the counts of `other` to those of the operations and points that `coverage` has. */
function addCoverage(coverage: Coverage, other: Coverage): Coverage {
  const others = new Map(other.operations.map((operation) => [operation.operationId, operation]));
  const operations = coverage.operations.map((operation) => addOperation(operation, others.get(operation.operationId)));
  return { ...coverage, operations, totals: countTotals(operations) };
}

function addOperation(operation: Operation, other: Operation | undefined): Operation {
  if (other === undefined) return operation;
  const toKey = ({ kind, name }: Point) => `${kind} ${name}`;
  const others = new Map(other.points.map((point) => [toKey(point), point]));
  const points = operation.points.map((point) => {
    const { count = 0, forced = 0 } = others.get(toKey(point)) ?? {};
    return { ...point, count: point.count + count, forced: point.forced + forced };
  });
  return {
    ...operation,
    requests: operation.requests + other.requests,
    forced: operation.forced + other.forced,
    refused: operation.refused + other.refused,
    points,
  };
}
