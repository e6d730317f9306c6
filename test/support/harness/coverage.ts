import { expect } from 'vitest';
import type { CoverageKind, CoverageReport } from '../../../src/control/operation.ts';
import type { TestShop } from './start-storefront.ts';

/** Returns the coverage of a server's contract. */
export async function getCoverage({ url }: Pick<TestShop, 'url'>): Promise<CoverageReport> {
  const response = await fetch(`${url}/_control/coverage`);
  expect(response.status).toBe(200);
  return (await response.json()) as CoverageReport;
}

/** Returns the numbers of points of a kind. */
export function getTotal({ totals }: CoverageReport, kind: CoverageKind) {
  const total = totals.find((one) => one.kind === kind);
  if (!total) throw new Error(`the report has no kind ${kind}`);
  return total;
}

/** Returns a point of an operation. Throws an error if the operation does not have the point. */
export function getPoint({ operations }: CoverageReport, operationId: string, kind: CoverageKind, name: string) {
  const points = operations.find((operation) => operation.operationId === operationId)?.points ?? [];
  const point = points.find((one) => one.kind === kind && one.name === name);
  if (!point) throw new Error(`${operationId} has no ${kind} ${name}, but ${points.map((one) => one.name).join(', ')}`);
  return point;
}
