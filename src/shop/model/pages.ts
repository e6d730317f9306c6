import { getLocationPath, type ReceivedResponse } from '../../check/exchange.ts';
import type { ShopTester } from './shop-tester.ts';
import { type Step, UNKNOWN_ID } from './steps.ts';

/** The operations whose lists a client can read page by page. */
export const PAGED_LISTS = ['listProducts', 'listOrders'] as const;
type PagedList = (typeof PAGED_LISTS)[number];

/** The number of pages that the check reads of each list. */
const PAGES = 3;

/** The maximum value of the query parameter `limit` in the contract. */
const MAX_LIMIT = 1_000;

const RULE = 'a page starts after the entry with the id in the parameter after, and has at most limit entries';
const TOTAL_RULE = 'X-Total-Count is the number of entries on all pages';
const LINK_RULE = 'the Link header has the URL of the next page, except on the last page';

/** Creates a test step that reads the first pages of a list, and compares each page with the expected entries. */
export function readPages(list: PagedList): Step {
  return async (tester) => {
    if (!hasPages(tester, list)) return;
    const entries = list === 'listProducts' ? tester.model.products : tester.model.orders;
    const limit = Math.min(MAX_LIMIT, Math.max(1, Math.ceil(entries.length / PAGES)));
    for (let start = 0; start < Math.min(entries.length, PAGES * limit); start += limit) {
      const after = entries[start - 1]?.id;
      const target = `${tester.routes[list].path}?limit=${limit}${after === undefined ? '' : `&after=${after}`}`;
      const response = await tester.sendCase({ id: list, target, status: 200, why: 'the request is valid' });
      const values = { expected: entries.slice(start, start + limit), actual: response.body };
      tester.expectEqual(list, RULE, values, `In the response to GET ${target}`);
      const total = { expected: String(entries.length), actual: response.headers['x-total-count'] };
      tester.expectEqual(list, TOTAL_RULE, total, `In the response to GET ${target}`);
      checkLink(tester, list, response, entries[start + limit] && entries[start + limit - 1]?.id);
    }
  };
}

/**
 * Checks the `Link` header of a page. `last`: the id of the last entry on the page, which the URL of the next page must contain. It is undefined on the last
 * page.
 */
function checkLink(tester: ShopTester, list: PagedList, { headers: { link } }: ReceivedResponse, last?: string): void {
  const next = (link ?? '').split(',').find((part) => /;\s*rel="?next"?\s*(;|$)/i.test(part));
  const url = /<([^>]*)>/.exec(next ?? '')?.[1];
  const query = new URLSearchParams(url?.split('?')[1]);
  const isRight = last === undefined ? url === undefined : query.get('after') === last && getLocationPath(url ?? '');
  if (!isRight) tester.failRule(list, LINK_RULE, `The Link header is ${link ?? 'missing'}.`);
}

/** Creates a test step that requests the page after an unknown id, and expects status 404. */
export function readPageAfterUnknown(list: PagedList): Step {
  return async (tester) => {
    if (!hasPages(tester, list)) return;
    const target = `${tester.routes[list].path}?after=${UNKNOWN_ID}`;
    const response = await tester.sendCase({
      id: list,
      target,
      status: 404,
      why: 'no entry of the list has the id in the query parameter after',
    });
    tester.expectProblemType(list, response, ['unknown-cursor']);
  };
}

/** Returns whether the contract of the checked server documents pages for a list. Earlier versions of the contract do not. */
function hasPages({ routes }: ShopTester, list: PagedList): boolean {
  return routes[list].parameters.some(({ name }) => name === 'after');
}
