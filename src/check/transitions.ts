import { type Node, toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { joinWords } from '../util/names.ts';
import { sendAccepted } from './accepted-requests.ts';
import { createSentRule, findReturningActions } from './actions.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed, isTimeOver } from './confirm-findings.ts';
import { CONFLICT, describe, findReason, findStatuses, isNamed, isWord } from './described-statuses.ts';
import { isSuccess, type ReceivedResponse } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findId } from './ids.ts';
import { createActionRule, documents, getEntry } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { RequestSequence, type SequenceResource } from './request-sequence.ts';
import { type RequestValues, validateValues } from './requests.ts';
import { createViolation } from './rules.ts';
import type { Rule } from './session.ts';
import { getSentNames } from './side-effects.ts';
import { withId } from './updates.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 6_007;

/** The maximum number of sequences of actions that are tried for a collection. */
const MAX_TRIALS = 40;

/** The maximum number of actions before the last one in a sequence. */
const MAX_PATH = 4;

/** A change of a property from one text to another. */
interface Transition {
  readonly property: string;
  readonly from: string;
  readonly to: string;
}

/** A sequence of actions: those that lead to a status, and the action or the update that is tried there. */
interface Trial {
  readonly path: readonly Route[];
  readonly action: Route;
}

/** Matches names of properties with a text that only people change. */
const PROSE = /(?:note|description|comment|remark|summary|title|bio|memo|instruction|detail|content)s?$/i;

/** Matches an action that removes texts on purpose. */
const CLEARING = /clear|eras|reset|anonymi|redact|purge|wipe|empty|delet|remov|archiv/i;

/** What a trial shows. */
interface TrialResult {
  readonly findings: readonly Finding[];
  /** The status after the action; undefined if the action did not change it. */
  readonly reached?: string | undefined;
}

/**
 * Tries the actions of a resource, such as `POST /bookings/{bookingId}/confirm`, in each status that other actions lead
 * to.
 * An action that documents 409 must be refused in a final status, such as `cancelled`, and in one for which the
 * description of the 409 says so.
 * What the response to an action shows as changed must be stored, and other texts must be kept.
 * An update without the status must keep it.
 */
export async function checkTransitions(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const actions = findReturningActions(context, cycle.read);
  const known = new Set<string>();
  const trials: Trial[] = actions.map((action) => ({ path: [], action }));
  for (const [number, trial] of trials.entries()) {
    if (number >= MAX_TRIALS || (trial.path.length > 0 && isTimeOver(context.session))) return;
    const { reached } = await confirmTrial(context, cycle, trial);
    const path = [...trial.path, trial.action];
    // A status that is already known is not left in another way.
    if (reached === undefined || known.has(reached) || path.length > MAX_PATH) continue;
    known.add(reached);
    trials.push(...[...actions, ...cycle.updates].map((one) => ({ path, action: one })));
  }
}

/** Examines a trial, and confirms its findings. */
async function confirmTrial(context: CheckContext, cycle: LifeCycle, trial: Trial): Promise<TrialResult> {
  let attempt = 0;
  const examine = async () => {
    await context.prepare();
    const seed = context.seed + attempt++ * SEED_STEP;
    return new TransitionTrial({ ...context, seed }, cycle, trial).examine();
  };
  const result = await examine();
  await addConfirmed(context.session, result.findings, async () => (await examine()).findings);
  return result;
}

class TransitionTrial {
  readonly #context: CheckContext;
  readonly #cycle: LifeCycle;
  readonly #trial: Trial;
  readonly #sequence: RequestSequence;

  constructor(context: CheckContext, cycle: LifeCycle, trial: Trial) {
    this.#context = context;
    this.#cycle = cycle;
    this.#trial = trial;
    this.#sequence = new RequestSequence(context);
  }

  async examine(): Promise<TrialResult> {
    const { path, action } = this.#trial;
    const { findings } = this.#sequence;
    const resource = await this.#sequence.create(this.#cycle, this.#context.seed);
    const created = resource && (await this.#sequence.read(this.#cycle, resource));
    if (!created) return { findings };
    let entry = getEntry(this.#cycle.read, created.body);
    let last: Transition | undefined;
    for (const one of path) {
      const done = await this.#act(one, resource, entry);
      last = done && findTransition(entry, done.entry, last?.property);
      // A repeated action changes nothing.
      if (!done || !last) return { findings };
      entry = done.entry;
    }
    const property = last?.property ?? findStatus(entry);
    if (property === undefined) return { findings };
    const status = String(entry[property]);
    if (this.#cycle.updates.includes(action)) {
      const update = { sequence: this.#sequence, resource, update: action, status: property, current: status };
      await sendUpdate(this.#context, this.#cycle, update);
      return { findings };
    }
    if (documents(action, CONFLICT)) this.#context.session.results.coverage.countRule('action-refused', action);
    const done = await this.#act(action, resource, entry);
    if (!done) return { findings };
    const change = findTransition(entry, done.entry, last?.property);
    this.#addRefusal({ property, status, change, sent: done.sent });
    return { findings, reached: change?.to };
  }

  /**
   * Sends an action, and reads the resource.
   * Returns the sent body and the resource; undefined if the action was refused or can have its effect later.
   */
  async #act(
    action: Route,
    resource: SequenceResource,
    before: Node,
  ): Promise<{ readonly sent: Node; readonly entry: Node } | undefined> {
    const { read } = this.#cycle;
    const accepted = await this.#sendAction(action, resource);
    if (!accepted || accepted.response.status === 202) return undefined;
    const { values, response } = accepted;
    const sent = toNode(values.body);
    const shown = toShownChange(read, { before, id: resource.id, response });
    const rules = [
      createActionRule(read, { action, before, shown }),
      this.#createTextRule(action, before),
      createSentRule(this.#context, this.#cycle, { action, before, sent }),
    ];
    const rule: Rule = (...received) => rules.flatMap((one) => one(...received));
    const current = await this.#sequence.read(this.#cycle, resource, rule);
    return current && { sent, entry: getEntry(read, current.body) };
  }

  /** Sends an action, with other values if the server refuses the first ones because of the values. */
  async #sendAction(action: Route, resource: SequenceResource) {
    const values = this.#sequence.toOwn(action, resource);
    const response = values && (await this.#sequence.send(action, values));
    if (values && response && isSuccess(response)) return { values, response };
    if (!response || !hasBody(action) || ![400, 422].includes(response.status)) return undefined;
    const toOwn = (one: RequestValues) => withId(one, action, resource.id, resource.values.path);
    const send = (one: RequestValues) => this.#sequence.send(action, one);
    return sendAccepted({ ...this.#context, seed: this.#context.seed + 1 }, action, send, toOwn);
  }

  /** Creates a rule for the first read after an action. An action with a body can change any text. */
  #createTextRule(action: Route, before: Node): Rule {
    const texts = getSentNames(this.#context, this.#cycle).filter((name) => PROSE.test(name));
    if (hasBody(action)) return () => [];
    const { coverage } = this.#context.session.results;
    if (texts.some((name) => hasText(before[name]))) coverage.countRule('action-keeps', action);
    return createTextRule(this.#context, this.#cycle.read, { action, before, texts });
  }

  /** Adds a finding if the action must be refused in the status in which it succeeded. */
  #addRefusal({ property, status, change, sent }: SuccessfulAction): void {
    const { path, action } = this.#trial;
    const { contract } = this.#context.session;
    const known = { action, status: property, current: status, isCreated: path.length === 0, reached: change?.to };
    const reason = findReason(contract, this.#cycle.read, known);
    // An action whose body has the new status can have any meaning.
    const isChosen = change !== undefined && Object.values(sent).includes(change.to);
    if (!reason || (isChosen && !reason.isDocumented)) return;
    // A repeated action changes nothing, so it may succeed unless the contract says that it is refused.
    if (!change && !(path.at(-1) === action && reason.isDocumented)) return;
    const text = change
      ? `changed ${change.property} from ${JSON.stringify(change.from)} to ${JSON.stringify(change.to)}`
      : `succeeded although ${property} was already ${JSON.stringify(status)}`;
    this.#sequence.add(action, {
      rule: 'action-refused',
      title: `is refused after ${(path.at(-1) ?? this.#cycle.create).operationId}`,
      message: `${action.operationId} ${text}, but it documents ${CONFLICT} and ${reason.text}`,
      pointer: action.pointer,
      ...(reason.isDocumented && { confidence: 'certain' }),
    });
  }
}

/** An action that succeeded in a status. `sent`: its body. */
interface SuccessfulAction {
  readonly property: string;
  readonly status: string;
  readonly change: Transition | undefined;
  readonly sent: Node;
}

function hasBody({ bodyMedia }: Route): boolean {
  return Object.keys(bodyMedia).length > 0;
}

/**
 * Sends an update without the status of a resource, and reads the resource: it must have the same status.
 * Sends nothing if the description of the update names a status, because the update can then change it.
 */
async function sendUpdate(
  context: CheckContext,
  cycle: LifeCycle,
  {
    sequence,
    resource,
    update,
    status,
    current,
  }: {
    readonly sequence: RequestSequence;
    readonly resource: SequenceResource;
    readonly update: Route;
    readonly status: string;
    readonly current: string;
  },
): Promise<void> {
  const { contract, results } = context.session;
  const text = ` ${joinWords(describe(contract, update))} `;
  const words = [status, current, ...findStatuses(contract, cycle.read, status)];
  if (words.some((one) => isNamed(text, one))) return;
  const toOwn = (values: RequestValues) => {
    const own = withId(values, update, resource.id, resource.values.path);
    const { [status]: _, ...body } = toNode(own?.body);
    const edited = own && { ...own, body };
    return edited && validateValues(contract, update, edited).kind === 'call' ? edited : undefined;
  };
  const send = (values: RequestValues) => sequence.send(update, values);
  const accepted = await sendAccepted({ ...context, seed: context.seed + 1 }, update, send, toOwn);
  if (!accepted || accepted.response.status === 202) return;
  results.coverage.countRule('status-kept', update);
  await sequence.read(cycle, resource, ({ pointer }, { response: { body } }) => {
    const now = getEntry(cycle.read, body)[status];
    if (now === current || !isWord(now)) return [];
    const message = `${update.operationId} without ${status} changed ${status} from ${JSON.stringify(current)} to ${JSON.stringify(now)}`;
    return [createViolation('status-kept', { message, pointer, property: status })];
  });
}

/** Creates a rule for the first read of a resource after an action: texts that the action does not name are kept. */
function createTextRule(
  { session: { contract } }: CheckContext,
  read: Route,
  { action, before, texts }: { readonly action: Route; readonly before: Node; readonly texts: readonly string[] },
): Rule {
  const description = describe(contract, action);
  const words = ` ${joinWords(description)} `;
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200 || CLEARING.test(`${action.path} ${action.operationId} ${description}`)) return [];
    const entry = getEntry(read, body);
    const isLost = (name: string) => hasText(before[name]) && entry[name] !== before[name];
    const lost = texts.find((name) => isLost(name) && !words.includes(` ${joinWords(name)} `));
    if (lost === undefined) return [];
    const [old, now] = [before[lost], entry[lost]].map((value) => JSON.stringify(value));
    const effect = hasText(entry[lost]) ? `changed ${lost} from ${old} to ${now}` : `removed ${lost}, which was ${old}`;
    const message = `${action.operationId} also ${effect}`;
    return [createViolation('action-keeps', { message, pointer, property: lost })];
  };
}

function hasText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

/** Returns the properties that the response to an action shows as changed; none if it shows another resource. */
function toShownChange(
  read: Route,
  { before, id, response }: { readonly before: Node; readonly id: string; readonly response: ReceivedResponse },
): Node {
  const shownId = findId(read.pathNames.at(-1) ?? '', response.body)?.id;
  if (String(shownId) !== id) return {};
  const shown = Object.entries(getEntry(read, response.body));
  return Object.fromEntries(shown.filter(([name, value]) => Object.hasOwn(before, name) && before[name] !== value));
}

/** Matches names of properties with a status. */
const STATUS_NAME = /status|state|stage|phase/i;

/** Returns the name of the property with the status of a resource. */
function findStatus(entry: Node): string | undefined {
  return Object.keys(entry).find((name) => STATUS_NAME.test(name) && isWord(entry[name]));
}

/** Returns the property that changed from one word to another. `only`: the name of the property. */
function findTransition(before: Node, after: Node, only?: string): Transition | undefined {
  const changed = Object.entries(after).flatMap(([property, to]) => {
    const from = before[property];
    const isChanged = isWord(from) && isWord(to) && from !== to;
    return isChanged && (only ?? property) === property ? [{ property, from, to }] : [];
  });
  return changed.find(({ property }) => STATUS_NAME.test(property)) ?? changed[0];
}
