import type { Contract } from '../openapi/contract.ts';
import { getNode, type Node, toNode } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { joinWords } from '../util/names.ts';
import { sendAccepted } from './accepted-requests.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed, isTimeOver } from './confirm-findings.ts';
import { findDescribedStatuses } from './described-statuses.ts';
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
import { findActions, withId } from './updates.ts';

/** The status of a request that contradicts the state of a resource (RFC 9110, section 15.5.10). */
const CONFLICT = 409;

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 6_007;

/** The maximum number of sequences of actions that are tried for a collection. */
const MAX_TRIALS = 40;

/** The maximum number of actions before the last one in a sequence. */
const MAX_PATH = 4;

/** Matches a status that a resource does not leave. */
const FINAL = /cancel|reject|declin|refund|void|delet|archiv|expir|terminat|revok|abort|withdrawn/i;

/** Matches an action that leaves a final status on purpose. */
const REVERSING =
  /^un|^re(?!ject|fund|voke|move)|restor|undo|reset|reviv|recover|retr(?:y|ies)|revert|rollback|reinstate/i;

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

/** What a trial shows. `reached`: the status after its last action; undefined if the action did not change it. */
interface TrialResult {
  readonly findings: readonly Finding[];
  readonly reached: string | undefined;
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
  const actions = findActions(context, cycle.read);
  const known = new Set<string>();
  const trials: Trial[] = actions.map((action) => ({ path: [], action }));
  for (const [number, trial] of trials.entries()) {
    if (number >= MAX_TRIALS || (trial.path.length > 0 && isTimeOver(context.session))) return;
    let attempt = 0;
    const examine = async () => {
      await context.prepare();
      const seed = context.seed + attempt++ * SEED_STEP;
      return examineTrial({ ...context, seed }, cycle, trial);
    };
    const { findings, reached } = await examine();
    await addConfirmed(context.session, findings, async () => (await examine()).findings);
    const path = [...trial.path, trial.action];
    // A status that is already known is not left in another way.
    if (reached === undefined || known.has(reached) || path.length > MAX_PATH) continue;
    known.add(reached);
    trials.push(...[...actions, ...cycle.updates].map((one) => ({ path, action: one })));
  }
}

async function examineTrial(context: CheckContext, cycle: LifeCycle, { path, action }: Trial): Promise<TrialResult> {
  const sequence = new RequestSequence(context);
  const getResult = (reached?: string): TrialResult => ({ findings: sequence.findings, reached });
  const resource = await sequence.create(cycle, context.seed);
  const created = resource && (await sequence.read(cycle, resource));
  if (!created) return getResult();
  const toEntry = ({ body }: { readonly body: unknown }) => getEntry(cycle.read, body);
  const texts = getSentNames(context, cycle).filter((name) => PROSE.test(name));
  const act = async (one: Route, before: Node) => {
    const values = sequence.toOwn(one, resource);
    const response = values && (await sequence.send(one, values));
    if (!response || !isSuccess(response) || response.status === 202) return undefined;
    const shown = toShownChange(cycle.read, { before, id: resource.id, response });
    const isStored = createActionRule(cycle.read, { action: one, before, shown });
    const keepsTexts = createTextRule(context, cycle.read, { action: one, before, texts });
    const { coverage } = context.session.results;
    if (texts.some((name) => hasText(before[name]))) coverage.countRule('action-keeps', one);
    const rule: Rule = (...received) => [...isStored(...received), ...keepsTexts(...received)];
    const current = await sequence.read(cycle, resource, rule);
    return current && toEntry(current);
  };
  let entry = toEntry(created);
  let last: Transition | undefined;
  for (const one of path) {
    const next = await act(one, entry);
    last = next && findTransition(entry, next);
    if (!next || !last) return getResult();
    entry = next;
  }
  const status = last?.property ?? findStatus(entry);
  if (status === undefined) return getResult();
  if (cycle.updates.includes(action)) {
    await sendUpdate(context, cycle, { sequence, resource, update: action, status, current: String(entry[status]) });
    return getResult();
  }
  if (documents(action, CONFLICT)) context.session.results.coverage.countRule('action-refused', action);
  const after = await act(action, entry);
  if (!after) return getResult();
  const change = findTransition(entry, after, last?.property);
  const current = String(entry[status]);
  const reason = findReason(context, cycle, { action, status, current, isCreated: !last, reached: change?.to });
  // A repeated action changes nothing, so it may succeed unless the contract says that it is refused.
  if (reason && (change || (path.at(-1) === action && reason.isDocumented))) {
    const text = change
      ? `changed ${change.property} from ${JSON.stringify(change.from)} to ${JSON.stringify(change.to)}`
      : `succeeded although ${status} was already ${JSON.stringify(entry[status])}`;
    const message = `${action.operationId} ${text}, but it documents ${CONFLICT} and ${reason.text}`;
    sequence.add(action, {
      rule: 'action-refused',
      title: `is refused after ${(path.at(-1) ?? cycle.create).operationId}`,
      message,
      pointer: action.pointer,
      ...(reason.isDocumented && { confidence: 'certain' }),
    });
  }
  return getResult(change?.to);
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

/** Returns the summary and the description of an operation. */
function describe({ normalized }: Contract, { pointer }: Route): string {
  const { summary, description } = toNode(getNode(normalized, pointer));
  return [summary, description].filter((text) => typeof text === 'string').join('\n');
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

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z_-]{2,40}$/i.test(value);
}

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

/**
 * Returns why an action must be refused in the current status; undefined if nothing says so.
 * `status`: the name of the property with the status.
 * `isCreated`: whether no action has been sent before, so that the status is the first one, and not final.
 * `reached`: the status after the action; undefined if the action did not change it.
 */
function findReason(
  { session: { contract } }: CheckContext,
  { read }: LifeCycle,
  {
    action,
    status,
    current,
    isCreated,
    reached,
  }: {
    readonly action: Route;
    readonly status: string;
    readonly current: string;
    readonly isCreated: boolean;
    readonly reached: string | undefined;
  },
): { readonly text: string; readonly isDocumented: boolean } | undefined {
  if (!documents(action, CONFLICT)) return undefined;
  const documented = action.responses.find(({ name }) => name === String(CONFLICT));
  const description = String(toNode(getNode(contract.normalized, documented?.pointer ?? '')).description ?? '');
  const text = ` ${normalizeWords(description)
    .replaceAll(/[^a-z ]/g, ' ')
    .replaceAll(/ +/g, ' ')} `;
  const statuses = [...new Set([current, ...findStatuses(contract, read, status)])];
  const named = statuses.filter((one) => isNamed(text, one));
  const allowed = named.filter((one) => isOnly(text, one));
  const isRefused = allowed.length > 0 ? !named.includes(current) : named.includes(current) && !ONLY.test(text);
  if (isRefused) return { text: `describes it with "${description}"`, isDocumented: true };
  const operation = toNode(getNode(contract.normalized, action.pointer));
  const name = action.path.split('/').at(-1) ?? '';
  const isReverse = REVERSING.test(name) || REVERSING.test(String(operation.operationId ?? ''));
  const summary = describe(contract, action);
  // `Cancel a booking. Returns a cancelled booking.` names the status that the action sets.
  const required = findDescribedStatuses({ text: summary, path: action.path, statuses }).filter(
    (one) => one !== reached,
  );
  if (required.length > 0 && !isNamed(`${text}${joinWords(summary)} `, current))
    return { text: `is described as "${summary.replaceAll('\n', ' ')}"`, isDocumented: false };
  return FINAL.test(current) && !isReverse && !isCreated
    ? { text: `${JSON.stringify(current)} is a final status`, isDocumented: false }
    : undefined;
}

/** Returns the values that the contract allows for the status of a resource. */
function findStatuses({ normalized }: Contract, read: Route, status: string): readonly string[] {
  const media = findJsonMedia(read.responses, read.successStatus);
  return findProperties(normalized, media?.schema ?? '', status).flatMap((schema) =>
    getSchemaParts(normalized, schema, ALL_PARTS).flatMap(({ node }) =>
      Array.isArray(node.enum) ? node.enum.filter(isWord) : [],
    ),
  );
}

/** Returns the schemas of a property in an object, and in the objects within it, such as an envelope. */
function findProperties(document: Contract['normalized'], schema: string, name: string, depth = 0): readonly string[] {
  const properties = getPartProperties(getSchemaParts(document, schema, ALL_PARTS));
  const own = properties.get(name);
  if (own !== undefined || depth > MAX_ENVELOPES) return own === undefined ? [] : [own];
  return [...properties.values()].flatMap((inner) => findProperties(document, inner, name, depth + 1));
}

/** The maximum number of objects around a resource in a response. */
const MAX_ENVELOPES = 2;

/** Matches a text that says in which statuses an action is allowed. */
const ONLY = /\b(?:only|unless|must be|not)\b/;

/** Returns whether a text names a status as one in which an action is allowed: `only pending`, `is not yet paid`. */
function isOnly(text: string, status: string): boolean {
  const between = '(?: (?!for |of |to |with |by |enough )[a-z]+){0,4}';
  return new RegExp(` (?:only|unless|must be|not|no longer)${between} ${normalizeWords(status)} `).test(text);
}

function normalizeWords(text: string): string {
  return text.toLowerCase().replaceAll(/[_-]/g, ' ');
}

/** Returns whether a text has a status as a word. */
function isNamed(text: string, status: string): boolean {
  return text.includes(` ${normalizeWords(status)} `);
}
