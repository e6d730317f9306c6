import type { RunningServer } from '../../src/check/command.ts';
import type { Count } from '../../src/check/findings.ts';
import type { CheckCommand } from '../../src/check/options.ts';
import { type Failure, type Row, toRelativePath } from '../../src/check/report/report.ts';
import type { Contract } from '../../src/openapi/contract.ts';
import { findResponse } from '../../src/openapi/responses.ts';
import { createLocator } from '../../src/openapi/source-location.ts';
import { isShop } from '../../src/shop/model/shop.ts';
import { formatPointer } from '../../src/util/json-pointer.ts';
import { type DreddVerdict, runDredd } from '../dredd/dredd.ts';
import type { DreddTransaction } from '../dredd/transaction.ts';
import type { ReportPart } from './join-reports.ts';

const CHECK = 'dredd';

/** Runs dredd on the server of a command, or on a new shop if the command has no URL. Returns the results as a part of the report. */
export async function dreddPart(
  command: CheckCommand,
  contract: Contract,
  start: () => Promise<RunningServer>,
): Promise<ReportPart> {
  if (!isShop(contract)) return skip('it supports only the contract of the shop');
  if (command.only || command.exclude) return skip('it cannot select operations');
  const running = command.url === undefined ? await start() : undefined;
  try {
    const url = running?.url ?? command.url ?? '';
    return createPart(contract, await runDredd({ url, contractFile: contract.path, headers: command.headers }));
  } finally {
    await running?.close();
  }
}

function skip(why: string): ReportPart {
  return { checks: [], rows: [], failures: [], notes: [`dredd was skipped: ${why}.`] };
}

function createPart(contract: Contract, { transactions, errors }: DreddVerdict): ReportPart {
  const locate = createLocator(toRelativePath(contract.path), contract.text);
  const named = transactions.map((transaction) => ({ transaction, ...findOperation(contract, transaction) }));
  const counts = new Map<string, Count>();
  for (const { operationId, status, transaction } of named) {
    const count = counts.get(`${operationId} ${status}`) ?? { seen: 0, wrong: 0 };
    counts.set(`${operationId} ${status}`, {
      seen: count.seen + 1,
      wrong: count.wrong + (transaction.isPassed ? 0 : 1),
    });
  }
  const rows = [...counts].map(([key, count]): Row => {
    const [operationId = '', status = ''] = key.split(' ');
    return { operationId, status, counts: { [CHECK]: count } };
  });
  const failures = named
    .filter(({ transaction }) => !transaction.isPassed)
    .map(({ operationId, status, pointer, transaction }): Failure => {
      const { method, path, failure: message, curl, response } = transaction;
      const steps = curl === undefined ? [] : [{ request: curl, response: response ?? 'no response' }];
      const title = `${method} ${path} ${transaction.status}`;
      return { check: CHECK, operationId, status, title, message, place: locate(pointer), steps };
    });
  return { checks: [CHECK], rows, failures: [...failures, ...errors.map(createRunFailure)], notes: [] };
}

/** Creates a failure for an error of the whole run of dredd. Without this failure, a run that tested nothing would pass. */
function createRunFailure(message: string): Failure {
  return {
    check: CHECK,
    operationId: 'dredd',
    status: 'run',
    title: message,
    message,
    place: 'tools/dredd',
    steps: [],
  };
}

/** Returns the operation and the documented response of a transaction. An unsupported method belongs to the first operation of its path. */
function findOperation({ routes }: Contract, { operationId, path, status }: DreddTransaction) {
  const route = routes.find((one) => (operationId === undefined ? one.path === path : one.operationId === operationId));
  const name = route ? findResponse(route.responses, status)?.name : undefined;
  const pointer = `${route?.pointer ?? formatPointer('paths', path)}${name === undefined ? '' : `/responses/${name}`}`;
  return { operationId: route?.operationId ?? path, status: name ?? String(status), pointer };
}
