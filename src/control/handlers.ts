import type { Sandbox } from '../sandbox/sandbox.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import { HttpProblemError } from '../util/problem.ts';
import { entryHandlers } from './entry-handlers.ts';
import { faultHandlers } from './fault-handlers.ts';
import type { ControlHandlers, ControlParts, OperationDescription } from './handler.ts';
import { getSandbox, rejectIssues } from './handler.ts';
import { journalHandlers, requestHandlers } from './journal-handlers.ts';
import type { Operation } from './operation.ts';
import { sandboxHandlers, snapshotHandlers } from './sandbox-handlers.ts';

/**
 * The handlers of the control API for the server and for the operations of the application's contract, by operationId.
 */
const serverHandlers = {
  getServer(_input, { sandboxes, application, version, startedAt, dataFile, reloads }) {
    const { contract, getExamples, collections } = application();
    return {
      version,
      startedAt,
      dataFile: dataFile ?? null,
      contract: { ...contract, reloads: reloads() },
      examples: getExamples(sandboxes.default.store.read().state),
      collections,
    };
  },
  async getReadiness(_input, { sandboxes, stopping }) {
    if (stopping.aborted) throw new StoreUnavailableError('the server is shutting down');
    await sandboxes.default.store.check();
    return { ready: true };
  },
  getMetrics: (_input, { formatMetrics }) => formatMetrics(),
  listOperations({ path }, parts) {
    const sandbox = getSandbox(path.id, parts);
    return parts.application().operations.map((operation) => toOperation(sandbox, operation));
  },
  async setOperation({ path, body }, parts) {
    const operation = findOperation(path.operation, parts);
    if (!body.mocked && !operation.hasHandler) {
      const detail = `The operation ${path.operation} has no handler (${operation.explanation}), so it is always mocked. Add a handler with --handlers.`;
      throw new HttpProblemError({ code: 'no-handler', detail });
    }
    const sandbox = await parts.sandboxes.get(path.id);
    await sandbox.change(() => {
      if (body.mocked) sandbox.mockedOperations.add(path.operation);
      else sandbox.mockedOperations.remove(path.operation);
    });
    return toOperation(sandbox, operation);
  },
} satisfies Partial<ControlHandlers>;

function toOperation({ mockedOperations }: Sandbox, operation: OperationDescription): Operation {
  const { operationId, hasHandler } = operation;
  return { ...operation, mocked: !hasHandler || mockedOperations.has(operationId) };
}

/**
 * Returns the description of an operation.
 * Throws a `HttpProblemError` if the application's contract does not define the operation.
 */
function findOperation(operationId: string, parts: ControlParts): OperationDescription {
  const operation = parts.application().operations.find((one) => one.operationId === operationId);
  if (operation) return operation;
  rejectIssues(
    'unknown-operation',
    parts.findUnknownOperationIssues(operationId).map((issue) => ({ ...issue, pointer: '/operation' })),
    'path',
  );
  throw new Error(`The operation ${operationId} is in the contract, but has no description.`);
}

/** The handlers of all operations of the control API, by operationId. */
export const controlHandlers: ControlHandlers = {
  ...serverHandlers,
  ...sandboxHandlers,
  ...entryHandlers,
  ...snapshotHandlers,
  ...faultHandlers,
  ...journalHandlers,
  ...requestHandlers,
};
