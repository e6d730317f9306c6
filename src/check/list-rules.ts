import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../openapi/contract.ts';
import { getNode, resolvePointer, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { getPartItems, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { sendAccepted } from './accepted-requests.ts';
import { findActions } from './actions.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { isMocked, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findId, findLists } from './ids.ts';
import { createListRequest } from './life-cycle-rules.ts';
import { getCollectionPath, getCreatedId, type LifeCycle } from './life-cycles.ts';
import { checkFilters, FILTER_RULES, findProperty } from './list-filters.ts';
import { checkPages, type Listed, type ListViolation, PAGE_RULES } from './list-pages.ts';
import { checkRanges } from './list-ranges.ts';
import { checkSorting, SORT_RULES } from './list-sorting.ts';
import { getBodySchema, type RequestValues, toRequest, validateValues } from './requests.ts';
import { createFinding } from './session.ts';
import { withId } from './updates.ts';
import { REFERENCE_NAME } from './value-classes.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 2_003;

/** The number of resources that are created, so that pages and filters have something to select. */
const CREATED = 4;

/** The time for which a list may not show the resource that was created last, in ms. */
const LIST_PAUSE_MS = 1_000;

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

/** The rules about pages and filters. */
export const LIST_RULES = [...PAGE_RULES, ...FILTER_RULES, ...SORT_RULES] as const;

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
    const listing = {
      session: this.#context.session,
      route: list,
      request: (one: RequestValues) => this.#list(one),
      add: (violation: ListViolation, listed: readonly Listed[]) => this.#add(violation, listed),
    };
    await checkPages(listing, own, { values, whole });
    await checkFilters(listing, values, whole);
    await checkRanges(listing, values, whole);
    await checkSorting(listing, values, whole);
    return this.#findings;
  }

  /** Creates some resources. Returns the path parameters of their list. */
  async #createEntries(): Promise<RequestValues['path'] | undefined> {
    const { requests, seed } = this.#context;
    const { create } = this.#cycle;
    const first = requests.createValid(create, seed);
    if (!first) return undefined;
    const path = getCollectionPath(this.#cycle, first);
    const inPath = (values: RequestValues) => ({ ...values, path: { ...values.path, ...path } });
    for (let number = 0; number < CREATED; number++) {
      const send = (edit: (values: RequestValues) => RequestValues | undefined, step: number) =>
        sendAccepted({ ...this.#context, seed: seed + step }, create, (values) => this.#create(values), edit);
      await send(inPath, number);
      // A server can refuse values that the contract allows, such as an id that does not exist.
      await send((values) => this.#vary(inPath(values), first.body, number), number + CREATED);
    }
    await this.#act(path);
    return path;
  }

  async #create(values: RequestValues): Promise<ReceivedResponse | undefined> {
    const { session } = this.#context;
    const { create } = this.#cycle;
    const { exchange } = await session.send('behaviour', create, toRequest(create, values));
    const id =
      exchange && isSuccess(exchange.response) ? getCreatedId(this.#cycle, values, exchange.response) : undefined;
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
   * Returns a request with other values for the filtered properties that have the same value as in `first`, and with
   * similar values for texts.
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
      if (Array.isArray(own)) return this.#varyList(varied ?? values, { name, own, turn }) ?? varied;
      const allowed = getNode(plain, `${resolvePointer(plain, schemas.get(name) ?? '')}/enum`);
      // A similar value shows whether a filter compares whole values. An unknown reference would be refused.
      const isSimilar = turn === 1 && typeof own === 'string' && !Array.isArray(allowed) && !REFERENCE_NAME.test(name);
      const isSkipped = turn === 0 ? !Array.isArray(allowed) || own === undefined : !isSimilar && body[name] !== own;
      if (isSkipped) return varied;
      const all = listOthers(isSimilar ? own : body[name], Array.isArray(allowed) ? allowed : []);
      const others = turn === 0 ? [own] : [...all.slice(turn - 1), ...all.slice(0, turn - 1)];
      const changed = others
        .map((value) => ({ ...values, body: { ...toNode((varied ?? values).body), [name]: value } }))
        .find((one) => validateValues(this.#contract, create, one).kind === 'call');
      return changed ?? varied;
    }, undefined);
  }

  /** Returns a request whose list has another value, and with an odd turn also the first value of `own` after it. */
  #varyList(
    values: RequestValues,
    { name, own, turn }: { readonly name: string; readonly own: readonly unknown[]; readonly turn: number },
  ): RequestValues | undefined {
    const { create } = this.#cycle;
    const { normalized: plain } = this.#contract;
    const schema = getPartProperties(getSchemaParts(plain, getBodySchema(create) ?? '')).get(name) ?? '';
    const items = getPartItems(getSchemaParts(plain, schema));
    const allowed = items === undefined ? undefined : getNode(plain, `${resolvePointer(plain, items)}/enum`);
    const [first] = own;
    const [other] = listOthers(first, Array.isArray(allowed) ? allowed : []);
    if (turn === 0 || other === undefined) return undefined;
    return [turn % 2 === 1 ? [other, first] : [other], [other]]
      .map((value) => ({ ...values, body: { ...toNode(values.body), [name]: value } }))
      .find((one) => validateValues(this.#contract, create, one).kind === 'call');
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
