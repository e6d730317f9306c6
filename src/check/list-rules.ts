import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, resolvePointer, toNode } from '../openapi/document.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { normalizeName } from '../util/names.ts';
import { PAGING_NAMES } from '../util/pages.ts';
import { sendAccepted } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { type Exchange, isMocked, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findId, findLists } from './ids.ts';
import { createListRequest, isLimit, isMissing, isPagePosition } from './life-cycle-rules.ts';
import { getCreatedId, type LifeCycle } from './life-cycles.ts';
import { checkFilters, FILTER_RULES, findProperty, type Listed, type ListViolation } from './list-filters.ts';
import { findTargets } from './locations.ts';
import {
  getBodySchema,
  getSchemaPointer,
  isCursor,
  type RequestValues,
  toPath,
  toRequest,
  validateValues,
  withParameter,
} from './requests.ts';
import { createFinding } from './session.ts';
import { findActions, withId } from './updates.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 2_003;

/** The number of resources that are created, so that pages and filters have something to select. */
const CREATED = 4;

/** The time for which a list may not show the resource that was created last, in ms. */
const LIST_PAUSE_MS = 1_000;

/** The requested page size. */
const PAGE_SIZE = 2;

/**
 * Checks the pages and the filters of a list: a page has at most as many entries as requested, two pages have no common
 * entry, the total is that of all pages, and a filter with the name of a property selects entries by its value.
 */
export async function checkList(context: CheckContext, cycle: LifeCycle): Promise<void> {
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    const { list } = cycle;
    const seed = context.seed + attempt++ * SEED_STEP;
    return list ? new ListCheck({ ...context, seed }, { ...cycle, list }).examine() : [];
  };
  await addConfirmed(context.session, await examine(), examine);
}

const PAGE_RULES = ['page-size', 'page-selection', 'page-total'] as const;

/** The rules about pages and filters. */
export const LIST_RULES = [...PAGE_RULES, ...FILTER_RULES] as const;

/** Checks the pages and the filters of a list with created entries. */
export class ListCheck {
  readonly #context: CheckContext;
  readonly #cycle: LifeCycle & { readonly list: Route };
  readonly #contract: Contract;
  #findings: Finding[] = [];
  /** The id of the resource that was created last. */
  #lastId: unknown;
  /** The path parameters of the list. */
  #path: RequestValues['path'] | undefined;

  constructor(context: CheckContext, cycle: LifeCycle & { readonly list: Route }) {
    this.#context = context;
    this.#cycle = cycle;
    this.#contract = context.session.contract;
  }

  /** Creates entries, and examines the list that has them. */
  async examine(): Promise<readonly Finding[]> {
    await this.start();
    return this.finish();
  }

  /** Creates entries, so that pages and filters have something to select. */
  async start(): Promise<void> {
    this.#coverage.countSequence(this.#cycle.create);
    this.#path = await this.#createEntries();
  }

  /** Examines the list. Call it when the list can show the created entries. */
  async finish(): Promise<readonly Finding[]> {
    const { requests, seed } = this.#context;
    const { list } = this.#cycle;
    const path = this.#path;
    this.#findings = [];
    const minimal = requests.createMinimal(list, seed);
    const own = path && minimal && { ...minimal, path: { ...minimal.path, ...path } };
    const values = createListRequest(this.#contract, list, own);
    const whole = own && values && (await this.#listCreated(values));
    if (!own || !values || !whole || whole.entries.length < 2) {
      for (const rule of LIST_RULES) this.#coverage.skipRule(rule, list, 'the list has fewer than two entries');
      return this.#findings;
    }
    await this.#checkPages(own, { values, whole });
    const listing = {
      contract: this.#contract,
      route: list,
      coverage: this.#coverage,
      request: (one: RequestValues) => this.#list(one),
      getTotal: ({ exchange }: Listed) => findTotal(exchange),
      add: (violation: ListViolation, listed: readonly Listed[]) => this.#add(violation, listed),
    };
    await checkFilters(listing, values, whole);
    return this.#findings;
  }

  /** Creates some resources. Returns the path parameters of their list. */
  async #createEntries(): Promise<RequestValues['path'] | undefined> {
    const { requests, seed } = this.#context;
    const { create } = this.#cycle;
    const first = requests.createValid(create, seed);
    if (!first) return undefined;
    const { path } = first;
    for (let number = 0; number < CREATED; number++) {
      const send = (edit: (values: RequestValues) => RequestValues | undefined, step: number) =>
        sendAccepted({ ...this.#context, seed: seed + step }, create, (values) => this.#create(values), edit);
      await send((values) => ({ ...values, path }), number);
      // A server can refuse values that the contract allows, such as an id that does not exist.
      await send((values) => this.#vary({ ...values, path }, first.body, number), number + CREATED);
    }
    await this.#act(path);
    return path;
  }

  async #create(values: RequestValues): Promise<ReceivedResponse | undefined> {
    const { session } = this.#context;
    const { create, read } = this.#cycle;
    const { exchange } = await session.send('behaviour', create, toRequest(create, values));
    const id = exchange && isSuccess(exchange.response) ? getCreatedId(create, read, exchange.response) : undefined;
    if (id !== undefined) this.#lastId = id;
    return exchange?.response;
  }

  /** Sends an action for the resource that was created last, so that not all resources have the same status. */
  async #act(path: RequestValues['path']): Promise<void> {
    const { session, requests, seed } = this.#context;
    for (const action of findActions(this.#context, this.#cycle.read)) {
      const values = withId(requests.createValid(action, seed), action, this.#lastId, path);
      const { exchange } = values ? await session.send('behaviour', action, toRequest(action, values)) : {};
      if (exchange && isSuccess(exchange.response)) return;
    }
  }

  /** Lists the entries. Waits a moment and lists them again if the last created one is missing. */
  async #listCreated(values: RequestValues): Promise<Listed | undefined> {
    const listed = await this.#list(values);
    if (!listed || listed.ids.some((id) => String(id) === String(this.#lastId))) return listed;
    await sleep(LIST_PAUSE_MS);
    return this.#list(values);
  }

  /**
   * Returns a request with other values for the filtered properties that have the same value as in `first`.
   * `turn`: selects the other values; 0 for the same values of an `enum`.
   * Returns undefined if there are none.
   */
  #vary(values: RequestValues, first: unknown, turn: number): RequestValues | undefined {
    const { create, list } = this.#cycle;
    const body = toNode(values.body);
    const { normalized: plain } = this.#contract;
    const schemas = getPartProperties(getSchemaParts(plain, getBodySchema(create) ?? ''));
    const names = list.parameters.flatMap((parameter) => findProperty(parameter, [body]) ?? []);
    return names.reduce<RequestValues | undefined>((varied, name) => {
      const own = toNode(first)[name];
      const allowed = getNode(plain, `${resolvePointer(plain, schemas.get(name) ?? '')}/enum`);
      if (turn === 0 ? !Array.isArray(allowed) || own === undefined : body[name] !== own) return varied;
      const all = listOthers(body[name], Array.isArray(allowed) ? allowed : []);
      const others = turn === 0 ? [own] : [...all.slice(turn - 1), ...all.slice(0, turn - 1)];
      const changed = others
        .map((value) => ({ ...values, body: { ...toNode((varied ?? values).body), [name]: value } }))
        .find((one) => validateValues(this.#contract, create, one).kind === 'call');
      return changed ?? varied;
    }, undefined);
  }

  /** Sends a list request. Returns undefined if it fails, or if the response has no list or several lists. */
  async #list(values: RequestValues): Promise<Listed | undefined> {
    const { list, read } = this.#cycle;
    if (validateValues(this.#contract, list, values).kind !== 'call') return undefined;
    const { exchange } = await this.#context.session.send('behaviour', list, toRequest(list, values));
    if (!exchange || !isSuccess(exchange.response) || isMocked(exchange.response)) return undefined;
    const [entries, ...others] = findLists(exchange.response.body);
    if (!entries || others.length > 0) return undefined;
    const parameter = read.pathNames.at(-1) ?? '';
    return { entries, ids: entries.map((entry) => findId(parameter, entry)?.id), exchange };
  }

  get #coverage() {
    return this.#context.session.results.coverage;
  }

  #add({ parameter, ...violation }: ListViolation, listed: readonly Listed[]): void {
    const { list } = this.#cycle;
    const last = listed.at(-1);
    if (!last) return;
    const pointer = parameter?.pointer ?? list.pointer;
    const finding = createFinding('behaviour', list, last.exchange, { ...violation, pointer });
    this.#findings.push({ ...finding, exchanges: listed.map(({ exchange }) => exchange) });
  }

  /** `all`: the request of the list with the largest page size, and its response. */
  async #checkPages(
    values: RequestValues,
    all: { readonly values: RequestValues; readonly whole: Listed },
  ): Promise<void> {
    const { list } = this.#cycle;
    const limit = list.parameters.find(isLimit);
    const position = list.parameters.find(isPagePosition);
    for (const rule of PAGE_RULES) this.#coverage.skipRule(rule, list, 'no parameter sets a page size');
    if (!limit) return;
    const size = Math.max(PAGE_SIZE, getNumber(this.#contract, limit, 'minimum') ?? 0);
    const sized = withParameter(values, limit, size);
    const first = sized && (await this.#list(sized));
    if (!sized || !first) return;
    this.#coverage.countRule('page-size', list);
    for (const rule of ['page-selection', 'page-total'] as const)
      this.#coverage.skipRule(rule, list, 'no parameter selects a second page');
    if (first.entries.length > size) {
      const message = `${limit.name} is ${size}, but the response has ${first.entries.length} entries`;
      return this.#add({ rule: 'page-size', title: `${limit.name} limits the entries`, message, parameter: limit }, [
        first,
      ]);
    }
    await this.#checkNextLink(sized, first);
    if (first.entries.length < size || first.ids.includes(undefined)) return;
    const next = position ? this.#toNextPage(sized, position, size) : this.#toNextCursor(sized, first);
    const second = next && (await this.#list(next.values));
    if (!next || !second || second.ids.includes(undefined)) return;
    // If the first page has changed, entries were created or deleted in between.
    const again = await this.#list(next.firstValues);
    if (!again || !isSameList(again.ids, first.ids)) return;
    this.#coverage.countRule('page-selection', list);
    const common = second.ids.find((id) => first.ids.includes(id));
    if (common !== undefined) {
      const { parameter } = next;
      const query = `${parameter.name}=${next.values.query[parameter.name]}`;
      const message = `The entry ${JSON.stringify(common)} is on the first page, and again on the next page (${query})`;
      const title = `${parameter.name} selects another page`;
      return this.#add({ rule: 'page-selection', title, message, parameter }, [first, second]);
    }
    const skipped = await this.#findSkipped(all, [...first.ids, ...second.ids]);
    if (skipped !== undefined) {
      const { parameter } = next;
      const message = `The entry ${JSON.stringify(skipped)} is neither on the first page nor on the next page (${parameter.name}=${next.values.query[parameter.name]}), but in the list between their entries`;
      const title = `${parameter.name} selects the next page`;
      return this.#add({ rule: 'page-selection', title, message, parameter }, [all.whole, first, second]);
    }
    const total = findTotal(second.exchange);
    const count = first.ids.length + second.ids.length;
    if (total) this.#coverage.countRule('page-total', list);
    else this.#coverage.skipRule('page-total', list, 'no response has a total');
    if (total === undefined || total.value >= count) return;
    const message = `${total.name} is ${total.value}, but two pages have ${count} different entries`;
    const title = `${total.name} counts the entries of all pages`;
    this.#add({ rule: 'page-total', title, message, parameter: undefined }, [first, second]);
  }

  /** Checks that a link such as `next` in the response of a page leads to a page. */
  async #checkNextLink(values: RequestValues, page: Listed): Promise<void> {
    const { session } = this.#context;
    const { list } = this.#cycle;
    const { name, value } = findNamed(page.exchange.response.body, LINK_NAMES) ?? {};
    const link = isNode(value) ? value.href : value;
    if (name === undefined || typeof link !== 'string' || !/^(?:https?:\/)?\//.test(link)) return;
    const targets = findTargets(link, session.client.url, toPath(list, values));
    if (targets.length === 0) return;
    this.#coverage.countRule('link', list);
    for (const target of targets) {
      const { exchange } = await session.send('behaviour', list, { ...toRequest(list, values), target });
      if (!exchange || !isMissing(exchange.response)) return;
    }
    const message = `${name} is ${JSON.stringify(link)}, which leads to status 404`;
    this.#add({ rule: 'link', title: `${name} leads to a page`, message, parameter: undefined }, [page]);
  }

  /**
   * Returns the first entry of the list that is missing between the entries of the first two pages.
   * Returns undefined if there is none, or if the pages and the list have another order.
   */
  async #findSkipped(
    { values, whole }: { readonly values: RequestValues; readonly whole: Listed },
    ids: readonly unknown[],
  ): Promise<unknown> {
    const positions = ids.map((id) => whole.ids.indexOf(id));
    const isInOrder = positions.every((position, index) => position > (positions[index - 1] ?? -1));
    const skipped = whole.ids.find((_, index) => index < (positions.at(-1) ?? 0) && !positions.includes(index));
    if (!isInOrder || positions[0] !== 0 || skipped === undefined) return undefined;
    // The entry can have been deleted, or the others created, in between.
    const again = await this.#list(values);
    return again && isSameList(again.ids, whole.ids) ? skipped : undefined;
  }

  #toNextPage(sized: RequestValues, parameter: Parameter, size: number) {
    const name = normalizeName(parameter.name);
    const isPage = PAGING_NAMES.page.some((one) => one === name);
    const start = getNumber(this.#contract, parameter, 'default') ?? getNumber(this.#contract, parameter, 'minimum');
    // `startIndex` often begins at 1, as in SCIM.
    if (/^start/.test(name) && start === undefined) return undefined;
    const first = isPage ? (start ?? 1) : (start ?? 0);
    const values = withParameter(sized, parameter, first + (isPage ? 1 : size));
    const firstValues = withParameter(sized, parameter, first);
    return values && firstValues && { values, firstValues, parameter };
  }

  #toNextCursor(sized: RequestValues, { exchange: { response } }: Listed) {
    const parameter = this.#cycle.list.parameters.find(isCursor);
    const cursor = findNamed(response.body, CURSOR_NAMES)?.value;
    const isText = typeof cursor === 'number' || (typeof cursor === 'string' && cursor !== '' && !/[/?]/.test(cursor));
    const values = parameter && isText ? withParameter(sized, parameter, cursor) : undefined;
    return parameter && values && { values, firstValues: sized, parameter };
  }
}

/** Returns other values of the same kind. `allowed`: the values of the `enum`. */
function listOthers(value: unknown, allowed: readonly unknown[]): readonly unknown[] {
  if (allowed.length > 0) return allowed.filter((one) => one !== value);
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'string') return [value.replace(/[\da-z](?=[^\da-z]*$)/i, toOtherCharacter)];
  return typeof value === 'number' ? [value + 1, value - 1] : [];
}

/** Returns another digit for a digit, and another letter for a letter. */
function toOtherCharacter(character: string): string {
  if (/\d/.test(character)) return String((Number(character) + 1) % 10);
  return character.toLowerCase() === 'a' ? 'b' : 'a';
}

/** Normalized names of properties and headers with the number of entries on all pages. */
const TOTAL_NAMES = [
  ...['total', 'totalcount', 'totalitems', 'totalelements', 'totalresults', 'totalrecords', 'totalentries'],
  ...['xtotalcount', 'totalhits'],
];

/** Normalized names of properties with the cursor of the next page. */
const CURSOR_NAMES = ['nextcursor', 'nextpagetoken', 'nexttoken', 'continuationtoken', 'next', 'cursor', 'endcursor'];

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
function findTotal({ response: { body, headers } }: Exchange) {
  const { name, value } = findNamed(body, TOTAL_NAMES) ?? findNamed(headers, TOTAL_NAMES) ?? {};
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
  return name === undefined || !Number.isInteger(number) ? undefined : { name, value: number };
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

function getNumber(contract: Contract, parameter: Parameter, keyword: string): number | undefined {
  const schema = resolvePointer(contract.normalized, getSchemaPointer(contract, parameter));
  const value = getNode(contract.normalized, `${schema}/${keyword}`);
  return typeof value === 'number' ? value : undefined;
}
