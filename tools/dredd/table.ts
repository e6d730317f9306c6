import type { DreddVerdict } from './dredd.ts';
import type { DreddTransaction } from './transaction.ts';

/** Formats a verdict as text: the tested statuses of each operation, the failures with commands that repeat the requests, and the total. */
export function formatTable({ transactions, errors }: DreddVerdict): string {
  const failed = transactions.filter(({ isPassed }) => !isPassed);
  const total = `${transactions.length - failed.length} of ${transactions.length} responses match the contract`;
  return [
    ...(transactions.length > 0 ? [...formatRows(transactions), ''] : []),
    ...failed.flatMap((one) => [...formatFailure(one), '']),
    ...errors.map((error) => `error: ${error}`),
    ...(transactions.length > 0 ? [total] : []),
  ].join('\n');
}

function formatRows(transactions: readonly DreddTransaction[]): readonly string[] {
  const names = [...new Set(transactions.map(getName))];
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => {
    const statuses = transactions
      .filter((one) => getName(one) === name)
      .map(({ status, isPassed }) => (isPassed ? `${status}` : `${status} FAILED`));
    return `${name.padEnd(width)}  ${statuses.join(' ')}`;
  });
}

function formatFailure({ method, path, status, failure, curl, response }: DreddTransaction): readonly string[] {
  return [
    `${method} ${path}, ${status}: ${failure}`,
    ...(curl === undefined ? [] : [`  ${curl}`]),
    ...(response === undefined ? [] : [response.replaceAll(/^/gm, '  ')]),
  ];
}

function getName({ method, path }: DreddTransaction): string {
  return `${method} ${path}`;
}
