import { basename, relative } from 'node:path';
import type { CoverageReport } from '../control/operation.ts';
import type { Contract } from '../openapi/contract.ts';
import { canBeRequested, type Route } from '../openapi/routes.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import type { Steps } from '../util/slices.ts';
import type { Counters, Coverage } from './coverage.ts';
import { getContractPoints, type OperationPoints, type Point } from './points.ts';
import { countTotals } from './totals.ts';

type OperationReport = CoverageReport['operations'][number];
type PointReport = OperationReport['points'][number];

/** Creates the report of a coverage. Yields after each operation, because a contract can have thousands of them. */
export function* createCoverageReport(coverage: Coverage): Steps<CoverageReport> {
  const { contract } = coverage;
  const { info } = contract.document;
  const operations: OperationReport[] = [];
  for (const route of contract.routes.filter(canBeRequested)) {
    operations.push(describeOperation(contract, route, coverage.get(route)));
    yield;
  }
  return { title: String(info.title), version: String(info.version), totals: countTotals(operations), operations };
}

function describeOperation(contract: Contract, route: Route, counters: Counters | undefined): OperationReport {
  const { operationId, method, path } = route;
  const points = getContractPoints(contract)(route);
  const [operation, ...others] = points.points;
  const lines = getLines(contract)(points);
  const describe = (point: Point, index: number): PointReport => {
    const forced = counters?.forced[index] ?? 0;
    return {
      kind: point.kind,
      name: point.name,
      ...(lines[index] as SourceLine),
      count: (counters?.real[index] ?? 0) + forced,
      forced,
    };
  };
  const { file, line, count, forced } = describe(operation as Point, 0);
  return {
    operationId,
    method,
    path,
    file,
    line,
    requests: count,
    forced,
    refused: counters?.refused ?? 0,
    points: others.map((point, index) => describe(point, index + 1)),
  };
}

interface SourceLine {
  readonly file: string;
  readonly line: number;
}

/**
 * Returns the lines of the points of an operation.
 * The path of a file is relative to the working directory, if the file is below it.
 */
const getLines = memoizeByObject(({ locate }: Contract) =>
  memoizeByObject(({ points }: OperationPoints) =>
    points.map(({ pointer }): SourceLine => {
      const { path, line } = locate.findLine(pointer);
      const file = relative('', path).replaceAll('\\', '/');
      return { file: file.startsWith('..') ? basename(path) : file, line };
    }),
  ),
);
