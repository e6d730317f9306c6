import type { DreddVerdict } from './dredd.ts';
import type { DreddTransaction } from './transaction.ts';

/** What dredd found, for people: a line for each path and method with the statuses that were provoked, each failure with the way to see it again, the sum. */
export function asTable({ transactions, errors: faults }: DreddVerdict): string {
  const failed = transactions.filter(({ isPassed }) => !isPassed);
  const sum = `${transactions.length - failed.length} of ${transactions.length} responses match the contract`;
  return [
    ...(transactions.length > 0 ? [...linesOf(transactions), ''] : []),
    ...failed.flatMap((one) => [...told(one), '']),
    ...faults.map((fault) => `error: ${fault}`),
    ...(transactions.length > 0 ? [sum] : []),
  ].join('\n');
}

function linesOf(transactions: readonly DreddTransaction[]): readonly string[] {
  const names = [...new Set(transactions.map(nameOf))];
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => {
    const statuses = transactions
      .filter((one) => nameOf(one) === name)
      .map(({ status, isPassed }) => (isPassed ? `${status}` : `${status} FAILED`));
    return `${name.padEnd(width)}  ${statuses.join(' ')}`;
  });
}

function told({ method, path, status, failure, curl, response: answer }: DreddTransaction): readonly string[] {
  return [
    `${method} ${path}, ${status}: ${failure}`,
    ...(curl === undefined ? [] : [`  ${curl}`]),
    ...(answer === undefined ? [] : [answer.replaceAll(/^/gm, '  ')]),
  ];
}

function nameOf({ method, path }: DreddTransaction): string {
  return `${method} ${path}`;
}
