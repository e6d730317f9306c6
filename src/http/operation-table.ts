import type { ServedContract } from './parts.ts';

/** The contract that is served, and what the server does for its operations. */
type Operations = Pick<ServedContract, 'contract' | 'explain' | 'getImplementation'>;

/** An operation of a contract, and how the server handles it. */
interface ExplainedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly mocked: boolean;
  /** What the handler does, or why the operation is mocked. */
  readonly explanation: string;
}

/** Returns the operations of a contract with their explanations. */
export function explainOperations({
  contract,
  explain: explainRoute,
  getImplementation,
}: Operations): readonly ExplainedOperation[] {
  return contract.routes.map((route) => ({
    method: route.method,
    path: route.path,
    operationId: route.operationId,
    mocked: getImplementation(route) === undefined,
    explanation: explainRoute(route),
  }));
}

/** Returns the lines of a table of the operations. */
export function formatOperations(operations: Operations): readonly string[] {
  const rows = explainOperations(operations).map(({ method, path, operationId, mocked, explanation }) => [
    method,
    path,
    operationId,
    `${mocked ? 'mocked' : 'real'}: ${explanation}`,
  ]);
  const getWidth = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [0, 1, 2].map(getWidth);
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

/** Returns a sentence with the number of real and of mocked operations. */
export function countOperations({ contract: { routes }, getImplementation }: Operations): string {
  const real = routes.filter((route) => getImplementation(route) !== undefined).length;
  return `${routes.length} operations: ${real} real, ${routes.length - real} mocked.`;
}
