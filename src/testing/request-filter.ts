import type * as control from '../control/operation.ts';
import type { operations } from '../shop/api-types.ts';

/** An operationId. The type allows any string, so that it fits all contracts. Editors suggest the operations of the shop. */
export type OperationName = keyof operations | (string & {});

type WithOperation<T> = Omit<T, 'operation'> & { readonly operation?: OperationName | readonly OperationName[] };

/** The requests that a fault applies to, and the effects of the fault. */
export type FaultDefinition = WithOperation<control.FaultDefinition>;
/** A filter of recorded requests. */
export type RequestFilter = WithOperation<control.RequestFilter>;
/** A filter of journal entries. `after`: only entries with a higher id. `limit`: the maximum number of entries. */
export type JournalFilter = WithOperation<control.JournalQuery>;
/** The requests that a test expects: a filter, the expected number of requests, and the maximum time to wait for the requests. */
export type RequestExpectation = WithOperation<control.ControlInput<'verifyRequests'>['body']>;
