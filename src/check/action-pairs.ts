import { getNode, type Node, toNode } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { listOpposites, removeFillers } from '../resources/actions/states.ts';
import { joinWords, normalizeName } from '../util/names.ts';
import { findItemActions } from './actions.ts';
import { findPropertyPointer } from './body-places.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed, isTimeOver } from './confirm-findings.ts';
import { CONFLICT, describeConflict, isGenericConflict } from './described-statuses.ts';
import { isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { documents, getEntry, isSameValue } from './life-cycle-rules.ts';
import type { LifeCycle } from './life-cycles.ts';
import { RequestSequence, type SequenceResource } from './request-sequence.ts';
import { createViolation, type RuleName } from './rules.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 7_013;

/** The minimum length of the part of a verb by which a property belongs to an action: `pin` for `pinnedMessage`. */
const MIN_STEM = 3;

/** Matches the words of properties that can tell what has happened before, or why, also if it was taken back. */
const HISTORY = /\b(?:reasons?|notes?|comments?|counts?|total|history|last|first|previous|by|times)\b/;

/** Matches a description that says that something is kept. */
const KEEPS = /\b(?:keeps?|kept|stays?|remains?|retain\w*|preserv\w*|histor\w*)\b/i;

/** Matches the name or the description of an action that can have its effect later, or only together with others. */
const LATER =
  /request|submit|schedul|queue|async|later|pending|review|verif|confirm|approv|publish|activat|send|sent|invit|e-?mail|start|process/i;

/** An action, and the one whose effect it takes back, such as `unpin` and `pin`, or DELETE and PUT of `lock`. */
interface ActionTrial {
  readonly action: Route;
  readonly forward: Route | undefined;
  /** The starts of the names of the properties that the action changes, normalized: `pin`. */
  readonly stems: readonly string[];
  readonly isUndo: boolean;
}

/**
 * Tries the actions of a resource that change a flag or a time, such as `POST /chats/{chatId}/archive` with `archived`
 * and `archivedAt`.
 * An action that takes another one back must remove what that one has set, as must a DELETE of the same path.
 * An action that documents 409 for a resource that already has the state must be refused when it is repeated.
 */
export async function checkActionPairs(context: CheckContext, cycle: LifeCycle): Promise<void> {
  for (const trial of listTrials(context, cycle)) {
    if (isTimeOver(context.session)) return;
    let attempt = 0;
    const examine = async () => {
      await context.prepare();
      return examineTrial({ ...context, seed: context.seed + attempt++ * SEED_STEP }, cycle, trial);
    };
    await addConfirmed(context.session, await examine(), examine);
  }
}

function listTrials(context: CheckContext, { read }: LifeCycle): readonly ActionTrial[] {
  const actions = findItemActions(context, read);
  const trials = actions.flatMap((action) => {
    // An action with a body can change something else each time.
    if (Object.keys(action.bodyMedia).length > 0) return [];
    const opposites = listOpposites(getVerb(action)).map(normalizeName);
    const forward = actions.find((one) => one !== action && opposites.includes(normalizeName(getVerb(one))));
    const isUndo = opposites.length > 0;
    return [{ action, forward, stems: toStems(isUndo ? opposites : [getVerb(action)]), isUndo }];
  });
  const removals = context.allowedRoutes.flatMap((action) => {
    const forward = action.method === 'DELETE' && actions.find(({ path }) => path === action.path);
    return forward ? [{ action, forward, stems: toStems([getVerb(action)]), isUndo: true }] : [];
  });
  return [...trials, ...removals].filter(({ stems }) => stems.length > 0);
}

/** Returns the starts that verbs and their other forms have in common: `archiv` for `archive` and `archived`. */
function toStems(verbs: readonly string[]): readonly string[] {
  return verbs.map((verb) => normalizeName(verb).replace(/[ey]$/, '')).filter(({ length }) => length >= MIN_STEM);
}

function getVerb({ path }: Route): string {
  return removeFillers(path.slice(path.lastIndexOf('/') + 1));
}

async function examineTrial(context: CheckContext, cycle: LifeCycle, trial: ActionTrial): Promise<readonly Finding[]> {
  const { action, forward } = trial;
  const sequence = new RequestSequence(context);
  const resource = await sequence.create(cycle, context.seed);
  const created = resource && (await readEntry(sequence, cycle, resource));
  if (!resource || !created) return sequence.findings;
  if (forward) await act(sequence, resource, forward);
  const before = forward ? await readEntry(sequence, cycle, resource) : created;
  if (!before || !(await act(sequence, resource, action))) return sequence.findings;
  const after = await readChanged(context, cycle, { sequence, resource, trial, created, before });
  const flag = after && Object.keys(after).find((name) => isState(trial, name, before[name], after[name]));
  if (!documents(action, CONFLICT) || flag === undefined || sequence.findings.length > 0) return sequence.findings;
  const { contract, results } = context.session;
  const description = describeConflict(contract, action);
  const confidence = getRepeatConfidence(description, cycle.read, trial);
  // PUT and DELETE can be repeated (RFC 9110, section 9.2.2), unless the contract says that this is refused.
  const isIdempotent = action.method === 'PUT' || action.method === 'DELETE';
  if (confidence === undefined || (confidence === 'likely' && isIdempotent)) return sequence.findings;
  results.coverage.countRule('action-refused', action);
  if (!(await act(sequence, resource, action))) return sequence.findings;
  const message = `${action.operationId} succeeded although ${flag} was already ${JSON.stringify(after?.[flag])}, but it documents ${CONFLICT} with "${description}"`;
  const title = `is refused after ${action.operationId}`;
  sequence.add(action, { rule: 'action-refused', title, message, pointer: action.pointer, property: flag, confidence });
  return sequence.findings;
}

async function readEntry(
  sequence: RequestSequence,
  cycle: LifeCycle,
  resource: SequenceResource,
): Promise<Node | undefined> {
  const response = await sequence.read(cycle, resource);
  return response && getEntry(cycle.read, response.body);
}

/** Sends an action. Returns whether it succeeded at once. */
async function act(sequence: RequestSequence, resource: SequenceResource, action: Route): Promise<boolean> {
  const values = sequence.toOwn(action, resource);
  const response = values && (await sequence.send(action, values));
  return response !== undefined && isSuccess(response) && response.status !== 202;
}

/**
 * Reads a resource after an action: the flag of the action must be set, or what it takes back must be removed.
 * Returns the resource.
 */
async function readChanged(
  context: CheckContext,
  cycle: LifeCycle,
  { sequence, resource, trial, created, before }: ChangedState,
): Promise<Node | undefined> {
  const { contract, results } = context.session;
  const { action, forward, isUndo } = trial;
  const names = isUndo
    ? Object.keys(before).filter((name) => isSet(context, cycle, { trial, created, before }, name))
    : [];
  const { summary, description } = toNode(getNode(contract.normalized, action.pointer));
  const text = `${action.path.split('/').at(-1)} ${summary} ${description}`;
  const flag = isUndo || LATER.test(text) ? undefined : findFlag(trial, before);
  if (names.length > 0) results.coverage.countRule('action-undone', action);
  if (flag !== undefined) results.coverage.countRule('action-effect', action);
  const response = await sequence.read(cycle, resource, ({ pointer }, received) => {
    if (received.response.status !== 200) return [];
    const entry = getEntry(cycle.read, received.response.body);
    const violate = (rule: RuleName, property: string, message: string) => [
      createViolation(rule, { message, pointer, property, causedBy: action }),
    ];
    const isUnchanged = (name: string) => isSameValue(entry[name], before[name]);
    if (flag !== undefined && Object.keys(before).every((name) => !isOwnName(trial, name) || isUnchanged(name)))
      return violate('action-effect', flag, `${flag} is still false after ${action.operationId}`);
    const kept = names.find(isUnchanged);
    if (kept === undefined || KEEPS.test(text)) return [];
    const effect = forward ? `what ${forward.operationId} has set` : 'its value';
    const message = `${kept} is still ${JSON.stringify(entry[kept])} after ${action.operationId}: remove ${effect}`;
    return violate('action-undone', kept, message);
  });
  return response && getEntry(cycle.read, response.body);
}

/** A resource after its creation, and before an action. */
interface ChangedState {
  readonly sequence: RequestSequence;
  readonly resource: SequenceResource;
  readonly trial: ActionTrial;
  readonly created: Node;
  readonly before: Node;
}

/**
 * Returns whether a property has a value that an action takes back: the action before has set it, or it is a text that
 * can be `null`.
 */
function isSet(
  { session: { contract } }: CheckContext,
  { read }: LifeCycle,
  { trial, created, before }: Pick<ChangedState, 'trial' | 'created' | 'before'>,
  name: string,
): boolean {
  const value = before[name];
  if (!isOwnName(trial, name) || value === null || value === false || value === '') return false;
  if (typeof value === 'boolean') return created[name] === false;
  // `deactivate` has a time of its own, and keeps the one of `activate`. `unpublish` often keeps the first time.
  if (HISTORY.test(joinWords(name)) || /^(?:dis|de)|publish/.test(normalizeName(getVerb(trial.action)))) return false;
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  if (!isSameValue(created[name], value)) return created[name] === null || created[name] === undefined;
  const schema = findJsonMedia(read.responses, read.successStatus)?.schema ?? '';
  const pointer = findPropertyPointer(contract.normalized, schema, name);
  return !trial.forward && pointer !== undefined && contract.isValid(pointer, null);
}

function isOwnName({ stems }: ActionTrial, name: string): boolean {
  const own = normalizeName(name).replace(/^(?:is|has)/, '');
  return stems.some((stem) => own.startsWith(stem));
}

/** Returns the boolean with the name of an action that is false: `archived` or `isArchived` for `archive`. */
function findFlag({ stems }: ActionTrial, before: Node): string | undefined {
  const isFlag = (name: string) =>
    stems.some((stem) => new RegExp(`^(?:is|has)?${stem}(?:[a-z]?e[dn])?$`).test(normalizeName(name)));
  return Object.keys(before).find((name) => before[name] === false && isFlag(name));
}

/** Returns whether an action has changed a flag, or has set or removed a time. */
function isState(trial: ActionTrial, name: string, before: unknown, after: unknown): boolean {
  if (!isOwnName(trial, name)) return false;
  if (typeof before === 'boolean' && typeof after === 'boolean') return before !== after;
  const [none, some] = trial.isUndo ? [after, before] : [before, after];
  return (none === null || none === undefined) && typeof some === 'string' && /(?:at|on|date|time)$/i.test(name);
}

/**
 * Returns how sure it is that a documented 409 is about a resource that already has the state; undefined if it is about
 * something else.
 */
function getRepeatConfidence(
  description: string,
  { path }: Route,
  trial: ActionTrial,
): 'certain' | 'likely' | undefined {
  const words = joinWords(description)
    .split(' ')
    .filter((word) => word !== '');
  const namesState = words.some((word) =>
    trial.stems.some((stem) => word.startsWith(stem) || word.startsWith(`un${stem}`)),
  );
  const says =
    words.includes('already') || (trial.isUndo && words.includes('not') && !/\bcan ?not\b/i.test(description));
  if (namesState && says) return 'certain';
  return isGenericConflict(description, path) ? 'likely' : undefined;
}
