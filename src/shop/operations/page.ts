import { findOffset, formatLinks, slicePage } from '../../util/pages.ts';
import { DomainError } from '../domain/domain-error.ts';

/** The query parameters that select a page of a list. `limit`: the maximum number of entries. `after`: the id of the last entry before the page. */
interface PageQuery {
  readonly limit?: string;
  readonly after?: string;
}

/** Returns whether a query selects one page of a list. Otherwise the response contains the whole list, without the headers `Link` and `X-Total-Count`. */
function isPaged({ limit, after }: PageQuery): boolean {
  return limit !== undefined || after !== undefined;
}

/**
 * Returns a response with the page that the query selects. Without `limit` and `after`, returns a response with all entries. Throws `unknown-cursor` if `after`
 * is not the id of an entry. `path`: the path of the operation, for the link to the next page.
 */
export function respondWithPage<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  path: string,
  query: PageQuery,
): {
  readonly body: readonly Entry[];
  readonly headers?: { readonly Link?: string; readonly 'X-Total-Count': string };
} {
  if (!isPaged(query)) return { body: entries };
  const limit = query.limit === undefined ? undefined : Number(query.limit);
  const offset = query.after === undefined ? 0 : requireOffset(entries, query.after);
  const page = slicePage(entries, { offset, limit }, ({ id }) => id);
  const link = formatLinks(page, { name: 'after', kind: 'cursor', first: 0 }, { path, query: { ...query } });
  return {
    body: page.entries,
    headers: { ...(link !== undefined && { Link: link }), 'X-Total-Count': String(page.total) },
  };
}

/**
 * Returns the number of entries up to and including the entry with the given `id`. Throws `unknown-cursor` if there is no such entry. Decision: an unknown id
 * is an error, because otherwise the client would miss or repeat entries.
 */
function requireOffset(entries: readonly { readonly id: string }[], id: string): number {
  const offset = findOffset(entries, id, (entry) => entry.id);
  if (offset !== undefined) return offset;
  const remedy = 'Request the list again without after, or use the id of the last entry on a page.';
  throw new DomainError('unknown-cursor', `The list has no entry with the id ${id}. ${remedy}`);
}
