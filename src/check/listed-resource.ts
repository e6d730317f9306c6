import { setTimeout as sleep } from 'node:timers/promises';
import type { Node } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import type { ReceivedResponse } from './exchange.ts';
import { getResponseName } from './findings.ts';
import { findId, findLists } from './ids.ts';
import { containsId, createListRequest, getListDelayMs, isListed, isScalar } from './life-cycle-rules.ts';
import type { RequestValues } from './requests.ts';
import { createViolation, RULES, type RuleName } from './rules.ts';
import type { Send } from './updates.ts';

/**
 * The pauses between requests to a list that does not show a change yet, in ms.
 * Many servers update their lists a moment after a change.
 */
const PAUSES_MS = [300, 700, 1_500];

/**
 * A created resource.
 * `path`: the path parameters of its collection.
 * `shown`: the body of the response to the first read request.
 */
interface ShownResource {
  readonly id: unknown;
  readonly path: RequestValues['path'];
  readonly shown: unknown;
}

/** The operations that list the resources of a collection, and read one of them. */
interface Collection {
  readonly list: Route | undefined;
  readonly read: Route;
}

/**
 * Checks that the list of a collection shows a resource as it is.
 * A list with a documented delay is checked by `LateList`.
 */
export class ListedResource {
  readonly #context: CheckContext;
  readonly #cycle: Collection;
  readonly #send: Send;
  readonly #id: unknown;
  readonly #values: RequestValues | undefined;

  /**
   * `send` sends the list requests.
   * Nothing is sent if reading the resource did not show its id, because then the resource can't be recognized in the
   * list.
   */
  constructor(
    context: CheckContext,
    cycle: Collection,
    { send, id, path, shown }: ShownResource & { readonly send: Send },
  ) {
    const { session, requests, seed } = context;
    const { list, read } = cycle;
    this.#context = context;
    this.#cycle = cycle;
    this.#send = send;
    this.#id = id;
    const minimal = list && requests.createMinimal(list, seed);
    const isRecognizable = containsId(read.pathNames.at(-1) ?? '', id, shown);
    this.#values =
      minimal && isRecognizable && getListDelayMs(session.contract, list) === 0
        ? createListRequest(session.contract, list, { ...minimal, path: { ...minimal.path, ...path } })
        : undefined;
  }

  /** `problem`: what the finding says if the list lacks the resource. */
  async checkListed(problem = NOT_LISTED): Promise<void> {
    await this.#check('created-listed', (response) => (this.#isListed(response) === false ? problem : undefined));
  }

  async checkMissing(): Promise<void> {
    await this.#check('deleted-listed', (response) => (this.#isListed(response) === true ? STILL_LISTED : undefined));
  }

  /**
   * Checks that the list shows the changes of a resource.
   * `before` and `current`: the resource before and after them.
   */
  async checkCurrent(before: Node, current: Node): Promise<void> {
    if (findChanged(before, current).length === 0) return;
    await this.#check('list-current', (response) => {
      const entry = this.#findEntry(response);
      return describeStale(entry, before, current);
    });
  }

  /**
   * Requests the list.
   * Requests it again after a pause if it has a problem, and adds a finding if the problem stays.
   */
  async #check(name: RuleName, findProblem: (response: ReceivedResponse) => string | undefined): Promise<void> {
    const { results } = this.#context.session;
    const { list } = this.#cycle;
    const values = this.#values;
    if (!list || !values) return;
    const isKnown = results.has({
      operationId: list.operationId,
      status: getResponseName(list, 200),
      title: RULES[name].title,
    });
    for (const pauseMs of isKnown ? [] : PAUSES_MS) {
      const response = await this.#send(list, values);
      if (response?.status === 200) results.coverage.countRule(name, list);
      if (response?.status !== 200 || findProblem(response) === undefined) return;
      await sleep(pauseMs);
    }
    await this.#send(list, values, ({ pointer }, { response }) => {
      const problem = response.status === 200 ? findProblem(response) : undefined;
      return problem === undefined
        ? []
        : [createViolation(name, { message: `The resource ${JSON.stringify(this.#id)} ${problem}`, pointer })];
    });
  }

  #isListed(response: ReceivedResponse): boolean | undefined {
    const { list, read } = this.#cycle;
    const parameter = read.pathNames.at(-1) ?? '';
    return list && this.#values && isListed({ list, values: this.#values, parameter }, this.#id, response);
  }

  #findEntry(response: ReceivedResponse): Node | undefined {
    return findListedEntry(this.#cycle.read, this.#id, response);
  }
}

/** The problem of a created resource that is not in a list. */
export const NOT_LISTED = 'is missing in the list, but was created before';

/** The problem of a deleted resource that is in a list. */
export const STILL_LISTED = 'is in the list, but was deleted before';

/** Returns the resource `id` in a list response; undefined if it is not there. */
export function findListedEntry({ pathNames }: Route, id: unknown, { body }: ReceivedResponse): Node | undefined {
  const parameter = pathNames.at(-1) ?? '';
  const found = findLists(body).flatMap((list) => list.flatMap((entry) => findId(parameter, entry) ?? []));
  return found.find((one) => String(one.id) === String(id))?.entry;
}

/** Returns the names of the properties with another text, number or boolean. */
function findChanged(before: Node, current: Node): readonly string[] {
  return Object.keys(current).filter((name) => isScalar(current[name]) && current[name] !== before[name]);
}

/** Describes a listed resource that still has the value of a changed property; undefined if it has the new values. */
export function describeStale(listed: Node | undefined, before: Node, current: Node): string | undefined {
  const isOld = (name: string) => isScalar(listed?.[name]) && listed?.[name] === before[name];
  const stale = findChanged(before, current).find(isOld);
  if (stale === undefined) return undefined;
  return `has ${stale} ${JSON.stringify(before[stale])} in the list, but was changed to ${JSON.stringify(current[stale])} before`;
}
