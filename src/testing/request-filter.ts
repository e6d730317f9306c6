import type * as control from '../control/operation.ts';
import type { operations } from '../shop/api-types.ts';

/**
 * An operationId.
 * Editors suggest the operations of the shop, but the type allows any string, because other contracts have other
 * operations.
 */
export type OperationName = keyof operations | (string & {});

type WithOperation<T> = Omit<T, 'operation'> & { readonly operation?: OperationName | readonly OperationName[] };

/** A fault to inject: the requests that it applies to, and its effects on them. */
export type FaultDefinition = WithOperation<control.FaultDefinition>;
/** A filter for recorded requests. */
export type RequestFilter = WithOperation<control.RequestFilter>;
/**
 * A filter for entries of the request journal.
 * `after`: only entries with a higher id.
 * `limit`: the maximum number of entries.
 */
export type JournalFilter = WithOperation<control.JournalQuery>;
/** The requests that a test expects: a filter, the expected number, and the maximum time to wait for them. */
export type RequestExpectation = WithOperation<control.ControlInput<'verifyRequests'>['body']>;
