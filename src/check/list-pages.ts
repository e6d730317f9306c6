import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer, toNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName } from '../util/names.ts';
import { PAGING_NAMES } from '../util/pages.ts';
import type { Exchange } from './exchange.ts';
import { isLimit, isMissing, isPagePosition } from './life-cycle-rules.ts';
import { findTargets } from './locations.ts';
import { getBodySchema, isCursor, type RequestValues, toPath, toRequest, withParameter } from './requests.ts';
import type { Violation } from './rules.ts';
import type { Session } from './session.ts';

/** The entries of a list response, and the exchange that returned them. */
export interface Listed {
  readonly entries: readonly Node[];
  readonly ids: readonly unknown[];
  readonly exchange: Exchange;
}

/** A violated rule of a list. `parameter`: the query parameter that it is about. */
export type ListViolation = Omit<Violation, 'pointer'> & { readonly parameter: Parameter | undefined };

/** A list that can be requested. */
export interface Listing {
  readonly session: Session;
  readonly route: Route;
  /** Sends a list request. Returns undefined if it fails, or if the response has no list or several lists. */
  readonly request: (values: RequestValues) => Promise<Listed | undefined>;
  /** Adds a finding about list responses. */
  readonly add: (violation: ListViolation, listed: readonly Listed[]) => void;
}

/** The request of the page after another one. `parameter`: the query parameter that selects it. */
interface NextPage {
  readonly values: RequestValues;
  /** The request of the page before. */
  readonly firstValues: RequestValues;
  readonly parameter: Parameter;
}

/** The request of a list with the largest page size, and its response. */
interface WholeList {
  readonly values: RequestValues;
  readonly whole: Listed;
}

/** The maximum number of entries of a list in which all entries with a value are known: more can be on other pages. */
export const MAX_COMPARED = 100;

/** The rules about pages. */
export const PAGE_RULES = ['page-size', 'page-selection', 'page-total'] as const;

/** The requested page size. */
const PAGE_SIZE = 2;

/**
 * Checks that a page has at most as many entries as requested, that two pages have no common entry, that no entry is
 * missing between them, that the last page is the last one, and that the total counts the entries of all pages.
 */
export async function checkPages(listing: Listing, values: RequestValues, all: WholeList): Promise<void> {
  const { route, request, add, session } = listing;
  const { coverage } = session.results;
  for (const rule of PAGE_RULES) coverage.skipRule(rule, route, 'no parameter sets a page size');
  const sized = withPageSize(listing, values, PAGE_SIZE);
  const first = sized && (await request(sized.values));
  if (!sized || !first) return;
  const { limit, size } = sized;
  coverage.countRule('page-size', route);
  const canContinue = route.parameters.some((one) => isPagePosition(one) || isCursor(one));
  const reason = canContinue ? 'no second page could be requested' : 'no parameter selects a second page';
  for (const rule of ['page-selection', 'page-total'] as const) coverage.skipRule(rule, route, reason);
  if (first.entries.length > size) {
    const message = `${limit.name} is ${size}, but the response has ${first.entries.length} entries`;
    add({ rule: 'page-size', title: `${limit.name} limits the entries`, message, parameter: limit }, [first]);
    return first.ids.includes(undefined) ? undefined : checkTotal(listing, [first]);
  }
  await checkNextLink(listing, sized.values, first);
  if (first.entries.length < size || first.ids.includes(undefined)) return;
  const next = findNextPage(listing, sized, first);
  if (!next) return reportMissingCursor(listing, first, all.whole);
  const second = await requestNextPage(listing, first, next);
  if (!second) return;
  await checkSkipped(listing, { all, first, second, next });
  const last = toNextCursor(listing, all.values, all.whole);
  if (last && !all.whole.ids.includes(undefined)) await checkLastPage(listing, all.whole, last);
  checkTotal(listing, [first, second]);
}

/** Returns the schemas of a property in the bodies of requests that create or replace the entries of a list. */
export function findSentSchemas({ session, route }: Listing, property: string): readonly Node[] {
  const { normalized: plain, routes } = session.contract;
  const sending = routes.filter(({ method, path }) => ['POST', 'PUT'].includes(method) && path.startsWith(route.path));
  return sending.flatMap((one) => {
    const schema = getPartProperties(getSchemaParts(plain, getBodySchema(one) ?? '')).get(property);
    return schema === undefined ? [] : [toNode(getNode(plain, resolvePointer(plain, schema)))];
  });
}

/** Returns a request with a page size: `size`, or the minimum that the contract allows. */
export function withPageSize({ session, route }: Listing, values: RequestValues, size: number) {
  const limit = route.parameters.find(isLimit);
  if (!limit) return undefined;
  const allowed = Math.max(size, getNumber(session.contract, limit, 'minimum') ?? 0);
  const sized = withParameter(values, limit, allowed);
  return sized && { values: sized, limit, size: allowed };
}

/**
 * Checks that a cursor of a page with all entries does not lead to one of them, and that the cursors end. The last page
 * can have a cursor that leads to an empty page without a cursor.
 */
async function checkLastPage(listing: Listing, whole: Listed, next: NextPage): Promise<void> {
  const empty = await requestNextPage(listing, whole, next);
  const again = empty && empty.ids.length === 0 ? toNextCursor(listing, next.values, empty) : undefined;
  const after = again && (await listing.request(again.values));
  if (!after || after.ids.length > 0 || !toNextCursor(listing, again.values, after)) return;
  const message = `The page after the last entry (${describe(next)}) is empty, but has a cursor, and so has the next page: the last page must have no cursor, so that clients stop`;
  const title = `${next.parameter.name} ends at the last page`;
  listing.add({ rule: 'page-selection', title, message, parameter: next.parameter }, [whole, empty as Listed, after]);
}

/** Returns the request of the page after `page`; undefined if there is none. */
export function findNextPage(
  listing: Listing,
  { values, size }: { readonly values: RequestValues; readonly size: number },
  page: Listed,
): NextPage | undefined {
  const { route, session } = listing;
  const position = route.parameters.find(isPagePosition);
  return position ? toNextPosition(session.contract, values, { position, size }) : toNextCursor(listing, values, page);
}

/**
 * Requests the next page.
 * Returns undefined if it has an entry of the page before, which is a violation, or if that page has changed in
 * between.
 */
async function requestNextPage(listing: Listing, first: Listed, next: NextPage): Promise<Listed | undefined> {
  const { route, request, add, session } = listing;
  const second = await request(next.values);
  if (!second || second.ids.includes(undefined)) return undefined;
  // If the first page has changed, entries were created or deleted in between.
  const again = await request(next.firstValues);
  if (!again || !hasSameIds(again, first)) return undefined;
  session.results.coverage.countRule('page-selection', route);
  const common = second.ids.find((id) => first.ids.includes(id));
  if (common === undefined) return second;
  const message = `The entry ${JSON.stringify(common)} is on a page, and again on the next page (${describe(next)})${isCursor(next.parameter) ? ': the last page must have no cursor, and each other page a cursor that leads to other entries' : ''}`;
  const title = `${next.parameter.name} selects another page`;
  add({ rule: 'page-selection', title, message, parameter: next.parameter }, [first, second]);
  return undefined;
}

function describe({ parameter, values }: NextPage): string {
  return `${parameter.name}=${values.query[parameter.name]}`;
}

/** Adds a finding if a page has no cursor of the next page, although the list has more entries. */
function reportMissingCursor({ route, add }: Listing, first: Listed, whole: Listed): void {
  const parameter = route.parameters.find(isCursor);
  const { name, value } = findNamed(first.exchange.response.body, NEXT_CURSOR_NAMES) ?? {};
  const missing = whole.ids.filter((id) => !first.ids.includes(id));
  if (!parameter || name === undefined || (value ?? '') !== '' || missing.length === 0) return;
  const message = `${name} is ${JSON.stringify(value)} on a page of ${first.ids.length} entries, but the list has ${whole.ids.length} entries`;
  add({ rule: 'page-selection', title: `${name} leads to the next page`, message, parameter }, [whole, first]);
}

/** Checks that a link such as `next` in the response of a page leads to a page. */
async function checkNextLink({ session, route, add }: Listing, values: RequestValues, page: Listed): Promise<void> {
  const { name, value } = findNamed(page.exchange.response.body, LINK_NAMES) ?? {};
  const link = isNode(value) ? value.href : value;
  if (name === undefined || typeof link !== 'string' || !/^(?:https?:\/)?\//.test(link)) return;
  const targets = findTargets(link, session.client.url, toPath(route, values));
  if (targets.length === 0) return;
  session.results.coverage.countRule('link', route);
  for (const target of targets) {
    const { exchange } = await session.send('behaviour', route, { ...toRequest(route, values), target });
    if (!exchange || !isMissing(exchange.response)) return;
  }
  const message = `${name} is ${JSON.stringify(link)}, which leads to status 404`;
  add({ rule: 'link', title: `${name} leads to a page`, message, parameter: undefined }, [page]);
}

/** Adds a finding if an entry of the list is missing between the entries of the first two pages. */
async function checkSkipped(
  { request, add }: Listing,
  pages: { readonly all: WholeList; readonly first: Listed; readonly second: Listed; readonly next: NextPage },
): Promise<void> {
  const { all, first, second, next } = pages;
  const { values, whole } = all;
  const positions = [...first.ids, ...second.ids].map((id) => whole.ids.indexOf(id));
  const isInOrder = positions.every((position, index) => position > (positions[index - 1] ?? -1));
  const skipped = whole.ids.find((_, index) => index < (positions.at(-1) ?? 0) && !positions.includes(index));
  // The pages and the list can have another order.
  if (!isInOrder || positions[0] !== 0 || skipped === undefined) return;
  // The entry can have been deleted, or the others created, in between.
  const again = await request(values);
  if (!again || !hasSameIds(again, whole)) return;
  const message = `The entry ${JSON.stringify(skipped)} is neither on the first page nor on the next page (${describe(next)}), but in the list between their entries`;
  const title = `${next.parameter.name} selects the next page`;
  add({ rule: 'page-selection', title, message, parameter: next.parameter }, [whole, first, second]);
}

/** Checks that the total in the last of different pages counts at least their entries. */
function checkTotal({ session, route, add }: Listing, pages: readonly [Listed, ...Listed[]]): void {
  const { coverage } = session.results;
  const total = findTotal((pages.at(-1) ?? pages[0]).exchange);
  const count = pages.reduce((sum, { ids }) => sum + ids.length, 0);
  if (total) coverage.countRule('page-total', route);
  else coverage.skipRule('page-total', route, 'no response has a total');
  if (total === undefined || total.value >= count) return;
  const message = `${total.name} is ${total.value}, but ${pages.length === 1 ? `a page has ${count}` : `two pages have ${count} different`} entries`;
  const title = `${total.name} counts the entries of all pages`;
  add({ rule: 'page-total', title, message, parameter: undefined }, pages);
}

function toNextPosition(
  contract: Contract,
  sized: RequestValues,
  { position, size }: { readonly position: Parameter; readonly size: number },
): NextPage | undefined {
  const name = normalizeName(position.name);
  const isPage = PAGING_NAMES.page.some((one) => one === name);
  const start = getNumber(contract, position, 'default') ?? getNumber(contract, position, 'minimum');
  // `startIndex` often begins at 1, as in SCIM.
  if (/^start/.test(name) && start === undefined) return undefined;
  const first = isPage ? (start ?? 1) : (start ?? 0);
  const values = withParameter(sized, position, first + (isPage ? 1 : size));
  const firstValues = withParameter(sized, position, first);
  return values && firstValues && { values, firstValues, parameter: position };
}

function toNextCursor({ route }: Listing, sized: RequestValues, { exchange }: Listed): NextPage | undefined {
  const parameter = route.parameters.find(isCursor);
  const cursor = findNamed(exchange.response.body, CURSOR_NAMES)?.value;
  const isText = typeof cursor === 'number' || (typeof cursor === 'string' && cursor !== '' && !/[/?]/.test(cursor));
  const values = parameter && isText ? withParameter(sized, parameter, cursor) : undefined;
  return parameter && values && { values, firstValues: sized, parameter };
}

/** Normalized names of properties and headers with the number of entries on all pages. */
const TOTAL_NAMES = [
  ...['total', 'totalcount', 'totalitems', 'totalelements', 'totalresults', 'totalrecords', 'totalentries'],
  ...['xtotalcount', 'totalhits'],
];

/** Normalized names of properties that have only the cursor of the next page. */
const NEXT_CURSOR_NAMES = ['nextcursor', 'nextpagetoken', 'nexttoken', 'continuationtoken'];

/** Normalized names of properties with the cursor of the next page. */
const CURSOR_NAMES = [...NEXT_CURSOR_NAMES, 'next', 'cursor', 'endcursor'];

/** Normalized names of properties with the URL of the next page. */
const LINK_NAMES = ['next', 'nextlink', 'nexturl', 'nextpage', 'nextpageurl', 'nexthref'];

/** Finds a property by its normalized name in an object, or in an object within it. */
function findNamed(
  body: unknown,
  names: readonly string[],
): { readonly name: string; readonly value: unknown } | undefined {
  const objects = [toNode(body), ...Object.values(toNode(body)).filter(isNode)];
  const found = objects
    .flatMap((object) => Object.entries(object))
    .find(([name]) => names.includes(normalizeName(name)));
  return found && { name: found[0], value: found[1] };
}

/** Returns the number of entries on all pages, and the name of its property or header. */
export function findTotal({ response: { body, headers } }: Exchange) {
  const { name, value } = findNamed(body, TOTAL_NAMES) ?? findNamed(headers, TOTAL_NAMES) ?? {};
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return name === undefined || !Number.isInteger(number) ? undefined : { name, value: number };
}

/** Returns whether two responses have the same entries in the same order. */
export function hasSameEntries({ entries }: Listed, { entries: others }: Listed): boolean {
  return JSON.stringify(entries) === JSON.stringify(others);
}

/** Returns whether two responses have the ids of the same entries in the same order. */
function hasSameIds({ ids }: Listed, { ids: others }: Listed): boolean {
  return ids.length === others.length && ids.every((id, index) => id === others[index]);
}

function getNumber(contract: Contract, parameter: Parameter, keyword: string): number | undefined {
  const schema = resolvePointer(contract.normalized, parameter.schema);
  const value = getNode(contract.normalized, `${schema}/${keyword}`);
  return typeof value === 'number' ? value : undefined;
}
