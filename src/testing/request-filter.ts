import type * as control from '../control/operation.ts';
import type { operations } from '../shop/api-types.ts';

/** An operationId. Editors suggest the operations of the shop, and other contracts can have any name. */
export type OperationName = keyof operations | (string & {});

type WithOperation<T> = Omit<T, 'operation'> & { readonly operation?: OperationName | readonly OperationName[] };

/** The requests that a fault applies to, and the effects of the fault. */
export type FaultDefinition = WithOperation<control.FaultDefinition>;
/** A filter of recorded requests. */
export type RequestFilter = WithOperation<control.RequestFilter>;
/** A filter of journal entries: the operations, the id `after` which they were recorded, and the maximum number of entries. */
export type JournalFilter = WithOperation<control.JournalQuery>;
/** An expectation of recorded requests: a filter, the expected number of requests, and the maximum time to wait for them. */
export type RequestExpectation = WithOperation<control.ControlInput<'verifyRequests'>['body']>;
