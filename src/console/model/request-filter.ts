import type { RequestRow } from './request-row.ts';

/** The filter of the list of requests. An empty value matches all requests. */
export interface RequestFilter {
  readonly operation: string;
  /** A status such as `404`, a class such as `4xx`, `none` for requests without a response, or `waiting`. */
  readonly status: string;
  /** A text that the request or the response must contain. The case is ignored. */
  readonly text: string;
}

/** The filter that selects all requests. */
export const NO_FILTER: RequestFilter = { operation: '', status: '', text: '' };

/** Returns whether a filter selects all requests. */
export function isEmptyFilter({ operation, status, text }: RequestFilter): boolean {
  return operation === '' && status === '' && text === '';
}

/** Creates a function that returns whether a row matches a filter. */
export function createFilter({ operation, status, text }: RequestFilter): (row: RequestRow) => boolean {
  const pattern = text === '' ? undefined : new RegExp(escapePattern(text), 'i');
  return (row) =>
    (operation === '' || row.operation === operation) &&
    (status === '' || matchesStatus(row, status)) &&
    (pattern === undefined || pattern.test(toSearchText(row)));
}

function matchesStatus({ status, isWaiting }: RequestRow, wanted: string): boolean {
  if (status === undefined) return wanted === (isWaiting ? 'waiting' : 'none');
  return /^\dxx$/.test(wanted) ? String(status)[0] === wanted[0] : String(status) === wanted;
}

/**
 * Returns the text that the filter searches in a row.
 * For an old row, this is only the method, the path, the operation and the status, because the page does not store its
 * headers and bodies any more.
 */
function toSearchText({ text, method, path, search, operation, status }: RequestRow): string {
  return text ?? `${method} ${path}${search} ${operation} ${status}`;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
