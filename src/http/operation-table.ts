import type { ServedContract } from './parts.ts';

/** The contract that the server uses, and functions that say how the server handles its operations. */
type Operations = Pick<ServedContract, 'contract' | 'explain' | 'getImplementation'>;

/** An operation of a contract, and how the server handles it. */
interface ExplainedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly mocked: boolean;
  /** The action of the handler, or the reason why the operation is mocked. */
  readonly explanation: string;
}

/** Returns the operations of a contract, and how the server handles each operation. */
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

/** Formats the operations as a text table, and returns its lines: `GET  /pets  listPets  real: lists pets`. */
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

/** Returns a sentence such as `12 operations: 10 real, 2 mocked.` Real operations have a handler. */
export function summarizeOperations({ contract: { routes }, getImplementation }: Operations): string {
  const real = routes.filter((route) => getImplementation(route) !== undefined).length;
  return `${routes.length} operations: ${real} real, ${routes.length - real} mocked.`;
}
