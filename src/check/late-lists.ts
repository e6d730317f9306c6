import { setTimeout as sleep } from 'node:timers/promises';
import type { Node } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { sendAccepted } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed } from './confirm-findings.ts';
import { CheckStoppedError, isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { createListRequest, getEntry, getListDelayMs, isListed, isMissing } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { LIST_RULES, ListCheck } from './list-rules.ts';
import { describeStale, findListedEntry, NOT_LISTED, STILL_LISTED } from './listed-resource.ts';
import { RequestSequence, type SequenceResource } from './request-sequence.ts';
import type { RequestValues } from './requests.ts';
import { createViolation, type RuleName } from './rules.ts';
import { withId } from './updates.ts';

/** The maximum documented delay of a list that is checked, in ms. */
const MAX_DELAY_MS = 10_000;

/** A time that a list needs in addition to its documented delay, in ms. */
const TOLERANCE_MS = 500;

/** The differences between the seeds of the resources. Other parts of the check use the seeds near the first one. */
const SEED_STEP = 7_103;

/** All rules about lists: those about one resource, and those about pages and filters. */
const ALL_LIST_RULES: readonly RuleName[] = ['created-listed', 'list-current', 'deleted-listed', ...LIST_RULES];

/** A resource whose place in the list is checked, and the requests that led to it. */
interface Expected {
  readonly rule: RuleName;
  readonly sequence: RequestSequence;
  readonly resource: SequenceResource;
  /** The resource before and after its last change. */
  readonly before: Node;
  readonly current: Node;
}

/** What `finish` examines. */
interface Started {
  /** The context of the sandbox that has the resources. */
  readonly context: CheckContext;
  readonly expected: readonly Expected[];
  readonly pages: ListCheck;
  /** When the list must show the last change, as a value of `performance.now()`. */
  readonly dueMs: number;
}

/**
 * Checks a list whose description says how late it can be.
 * `start` creates, changes and deletes resources, and `finish` waits until the list must show them.
 * Other parts of the check run in between.
 */
export class LateList {
  readonly cycle: LifeCycle & { readonly list: Route };
  #started: Started | 'skipped' | undefined;

  constructor(cycle: LifeCycle & { readonly list: Route }) {
    this.cycle = cycle;
  }

  async start(context: CheckContext): Promise<void> {
    const { session, seed, prepare } = context;
    const delayMs = getListDelayMs(session.contract, this.cycle.list);
    if (delayMs > MAX_DELAY_MS) return this.#skip(context, delayMs);
    await prepare();
    const step = (number: number) => ({ ...context, seed: seed + number * SEED_STEP });
    const all = [await this.#create(step(1)), await this.#change(step(2)), await this.#delete(step(3))];
    const pages = new ListCheck(step(4), this.cycle);
    await pages.start();
    const expected = all.filter((one) => one !== undefined);
    this.#started = { context, expected, pages, dueMs: performance.now() + delayMs + TOLERANCE_MS };
  }

  /** Throws a `CheckStoppedError` if `start` has not ended. */
  async finish(): Promise<void> {
    if (this.#started === 'skipped') return;
    if (!this.#started) throw new CheckStoppedError('the check created no resources for it', 'unavailable');
    const { context, expected, pages, dueMs } = this.#started;
    // After an abort, the next request throws the reason.
    const options = context.session.signal ? { signal: context.session.signal } : {};
    await sleep(Math.max(0, dueMs - performance.now()), undefined, options).catch(() => undefined);
    for (const one of expected) {
      const examine = () => this.#examine(context, one);
      await addConfirmed(context.session, await examine(), async () => {
        await sleep(TOLERANCE_MS);
        return examine();
      });
    }
    await addConfirmed(context.session, await pages.finish(), () => pages.finish());
  }

  #skip({ session, note }: CheckContext, delayMs: number): void {
    const { list } = this.cycle;
    const [delay, limit] = [delayMs, MAX_DELAY_MS].map((ms) => ms / 1_000);
    for (const rule of ALL_LIST_RULES)
      session.results.coverage.skipRule(rule, list, `the list can be ${delay} s late, and the check waits ${limit} s`);
    note(
      `The entries of ${list.operationId} were not checked: the list can be ${delay} s late, and the check waits at most ${limit} s`,
    );
    this.#started = 'skipped';
  }

  async #create(context: CheckContext): Promise<Expected | undefined> {
    const { sequence, resource, shown } = await this.#begin(context);
    return resource && shown && { rule: 'created-listed', sequence, resource, before: {}, current: shown };
  }

  async #change(context: CheckContext): Promise<Expected | undefined> {
    const { sequence, resource, shown } = await this.#begin(context);
    const [update] = this.cycle.updates;
    if (!resource || !shown || !update) return undefined;
    const toOwn = (values: RequestValues) => withId(values, update, resource.id, resource.values.path);
    const send = (values: RequestValues) => sequence.send(update, values);
    const accepted = await sendAccepted({ ...context, seed: context.seed + 1 }, update, send, toOwn);
    const response = accepted && accepted.response.status !== 202 && (await sequence.read(this.cycle, resource));
    if (!response) return undefined;
    return { rule: 'list-current', sequence, resource, before: shown, current: this.#getEntry(response) };
  }

  async #delete(context: CheckContext): Promise<Expected | undefined> {
    const { remove, read } = this.cycle;
    const { sequence, resource, shown } = await this.#begin(context);
    const values = remove && resource && sequence.toOwn(remove, resource);
    const response = values && (await sequence.send(remove, values));
    if (!resource || !shown || !response || !isSuccess(response) || response.status === 202) return undefined;
    const readValues = sequence.toOwn(read, resource);
    const after = readValues && (await sequence.send(read, readValues));
    if (!after || !isMissing(after)) return undefined;
    return { rule: 'deleted-listed', sequence, resource, before: shown, current: {} };
  }

  /** Creates and reads a resource. */
  async #begin(context: CheckContext) {
    const sequence = new RequestSequence(context);
    const resource = await sequence.create(this.cycle, context.seed);
    const response = resource && (await sequence.read(this.cycle, resource));
    return { sequence, resource, shown: response && this.#getEntry(response) };
  }

  #getEntry({ body }: ReceivedResponse): Node {
    return getEntry(this.cycle.read, body);
  }

  /** Requests the list. Returns a finding if it does not show a resource that is still as it was left. */
  async #examine({ session, requests, seed }: CheckContext, expected: Expected): Promise<readonly Finding[]> {
    const { list, read } = this.cycle;
    const { rule, resource } = expected;
    const sequence = expected.sequence.fork();
    const minimal = requests.createMinimal(list, seed);
    const own = minimal && { ...minimal, path: { ...minimal.path, ...toListPath(list, resource.values.path) } };
    const values = createListRequest(session.contract, list, own);
    const readValues = sequence.toOwn(read, resource);
    const now = values && readValues && (await sequence.send(read, readValues));
    if (!values || !now || !this.#isAsLeft(expected, now)) return [];
    await sequence.send(list, values, ({ pointer }, { response }) => {
      if (response.status !== 200) return [];
      session.results.coverage.countRule(rule, list);
      const problem = this.#findProblem(expected, values, response);
      const message = `The resource ${JSON.stringify(resource.id)} ${problem}`;
      return problem === undefined ? [] : [createViolation(rule, { message, pointer })];
    });
    return sequence.findings;
  }

  #isAsLeft({ rule, current }: Expected, now: ReceivedResponse): boolean {
    if (rule === 'deleted-listed') return isMissing(now);
    return (
      isSuccess(now) && (rule === 'created-listed' || JSON.stringify(this.#getEntry(now)) === JSON.stringify(current))
    );
  }

  #findProblem(
    { rule, resource, before, current }: Expected,
    values: RequestValues,
    response: ReceivedResponse,
  ): string | undefined {
    const { list, read } = this.cycle;
    if (rule === 'list-current') return describeStale(findListedEntry(read, resource.id, response), before, current);
    const isInList = isListed({ list, values, parameter: read.pathNames.at(-1) ?? '' }, resource.id, response);
    if (rule === 'deleted-listed') return isInList === true ? STILL_LISTED : undefined;
    return isInList === false ? NOT_LISTED : undefined;
  }
}

/** Returns the path parameters of a list. */
function toListPath({ pathNames }: Route, path: RequestValues['path']): RequestValues['path'] {
  return Object.fromEntries(Object.entries(path).filter(([name]) => pathNames.includes(name)));
}
