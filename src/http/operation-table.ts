import type { ServedContract } from './parts.ts';

/** The contract in use, and functions that say which handler an operation has and what the handler does. */
type Operations = Pick<ServedContract, 'contract' | 'explain' | 'getImplementation'>;

/** An operation of a contract, and how the server handles it. */
interface ExplainedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly mocked: boolean;
  /** What the handler does, such as `lists pets`, or why the operation has no handler and is mocked. */
  readonly explanation: string;
}

/** Returns the operations of the contract. Says for each operation whether it is mocked, and what its handler does. */
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
