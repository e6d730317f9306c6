import { createList, type OperationParts, type Schema } from '../fixtures/api-document.ts';
import { startApi } from './start-api.ts';
import type { TestResponse } from './start-storefront.ts';

/** A list operation with query parameters, and a query. `response`: the schema of the body. Default: an array. */
export interface ListCase {
  readonly query: NonNullable<OperationParts['query']>;
  readonly search: string;
  readonly response?: Schema;
}

/**
 * Starts one server with a list for each case, and returns the responses by the text of the case. `entry`: the schema of an entry. `entries`: the entries of each
 * list.
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

/** Returns the text of a case, for messages. */
export function describeCase({ query, search, response }: ListCase): string {
  return JSON.stringify({ query, search, response });
}
