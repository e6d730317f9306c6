import { createList, type OperationParts, type Schema } from '../fixtures/api-document.ts';
import { startApi } from './start-api.ts';
import type { TestResponse } from './start-storefront.ts';

/**
 * A case for a test of lists: the query parameters of the operation, and the query of the request. `response`: the schema of the response body. Default: an
 * array of entries.
 */
export interface ListCase {
  readonly query: NonNullable<OperationParts['query']>;
  readonly search: string;
  readonly response?: Schema;
}

/**
 * Starts one server with a list operation for each case. Sends the request of each case, and returns the responses by the text from `describeCase`. `entry`:
 * the schema of an entry. `entries`: the entries of each list.
 */
export async function requestLists(
  cases: readonly ListCase[],
  { entry, entries }: { readonly entry: Schema; readonly entries: readonly object[] },
): Promise<Readonly<Record<string, TestResponse>>> {
  const paths = cases.flatMap(({ query, response = createList(entry) }, number) => [
    [`/${number}/pets`, { get: { query, response } }],
    [`/${number}/pets/{petId}`, { get: { response: entry, examples: Object.fromEntries(entries.entries()) } }],
  ]);
  const { ask } = await startApi({ paths: Object.fromEntries(paths) });
  const responses = cases.map(async (one, number) => {
    const response = await ask('GET', `/${number}/pets?${one.search}`);
    return [describeCase(one), response] as const;
  });
  return Object.fromEntries(await Promise.all(responses));
}

/** Returns a case as JSON text, for messages and as a key. */
export function describeCase({ query, search, response }: ListCase): string {
  return JSON.stringify({ query, search, response });
}
