import type { CheckedReply } from './client.ts';
import { type Operation, list as toList } from './document.ts';

/** The maximum number of pages that are read. */
const MAX_PAGES = 40;

/** A list and the function that sends a request for it, with more query parameters. */
interface PagedList {
  readonly list: Operation;
  readonly send: (query: Readonly<Record<string, string>>) => Promise<CheckedReply>;
}

/** Reads the pages of a list until one of them matches. Returns this page; the first page if none matches. */
export async function findInPages(
  { list, send }: PagedList,
  matches: (reply: CheckedReply) => boolean,
): Promise<{ readonly reply: CheckedReply; readonly isFound: boolean }> {
  const first = await send({});
  let last = first;
  if (matches(first)) return { reply: first, isFound: true };
  for (let number = 2; number <= MAX_PAGES; number++) {
    const query = getNextQuery(list, last, number);
    const page = query && (await send(query));
    if (!page || page.status >= 300 || page.text === last.text || page.text === first.text) break;
    if (matches(page)) return { reply: page, isFound: true };
    if (longestList(page.body) === 0) break;
    last = page;
  }
  return { reply: first, isFound: false };
}

/** Returns the query parameters of the next page: those of the `Link` header, the cursor in the body, or the number of the page. */
function getNextQuery({ parameters }: Operation, { headers, body }: CheckedReply, number: number) {
  const [, link] = /<([^>]*)>;\s*rel="?next/.exec(headers.get('link') ?? '') ?? [];
  if (link !== undefined) return Object.fromEntries(new URL(link, 'http://localhost').searchParams);
  const names = parameters.filter((one) => one.in === 'query').map(({ name }) => String(name));
  const cursor = names.find((name) => /cursor|after|token|continue|iterator/i.test(name));
  const next = cursor === undefined ? undefined : findCursor(body);
  if (cursor !== undefined && next !== undefined) return { [cursor]: next };
  const page = names.find((name) => /^page(_?number)?$/i.test(name));
  if (page !== undefined) return { [page]: String(number) };
  const offset = names.find((name) => /^(offset|skip|start)$/i.test(name));
  const size = longestList(body);
  return offset === undefined || size === 0 ? undefined : { [offset]: String((number - 1) * size) };
}

/** Returns the text of a property such as `next_cursor`. */
function findCursor(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  for (const [name, value] of Object.entries(body)) {
    if (/next|cursor|continue|iterator/i.test(name) && typeof value === 'string' && value !== '') return value;
    const inner = findCursor(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function longestList(body: unknown): number {
  if (Array.isArray(body)) return body.length;
  const values = typeof body === 'object' && body !== null ? Object.values(body) : [];
  return Math.max(0, ...values.map((value) => toList(value).length));
}
