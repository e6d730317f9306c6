import { setTimeout as sleep } from 'node:timers/promises';
import type { Contract } from '../openapi/contract.ts';
import type { Node } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { isCreationTimeName } from '../util/names.ts';
import { sendAccepted } from './accepted-requests.ts';
import { findActions } from './actions.ts';
import type { CheckContext } from './check-context.ts';
import { addConfirmed, isTimeOver } from './confirm-findings.ts';
import { isSuccess } from './exchange.ts';
import type { Finding } from './findings.ts';
import { findListedIds } from './ids.ts';
import { createListRequest, getEntry, isMissing, isSameValue, isScalar } from './life-cycle-rules.ts';
import { getCollectionPath, type LifeCycle } from './life-cycles.ts';
import { RequestSequence, type SequenceResource } from './request-sequence.ts';
import { getBodySchema, type RequestValues } from './requests.ts';
import { createViolation, type Violation } from './rules.ts';
import { isServerName } from './server-names.ts';
import type { Rule } from './session.ts';
import { withId } from './updates.ts';

/** The difference between the seeds of two attempts to confirm a finding. */
const SEED_STEP = 9_011;

/** The difference between the seeds of two resources. */
const OTHER_STEP = 31;

/** The time after which a time without a fraction of a second is another one, in ms. */
const SECOND_MS = 1_050;

/**
 * Checks that a change of a resource affects nothing else: two other resources, of which one is created before and one
 * after the changed one, stay as they are, and the changed one keeps the time of its creation.
 * A deletion must not delete other resources of the list either.
 */
export async function checkSideEffects(context: CheckContext, cycle: LifeCycle): Promise<void> {
  const { session, seed, prepare } = context;
  for (const change of getChanges(context, cycle)) {
    if (isTimeOver(session)) return;
    let attempt = 0;
    const examine = async () => {
      await prepare();
      return examineChange({ ...context, seed: seed + attempt++ * SEED_STEP }, cycle, change);
    };
    await addConfirmed(session, await examine(), examine);
  }
  const { remove } = cycle;
  let attempt = 0;
  const examine = () => examineDeletion({ ...context, seed: seed + attempt++ * SEED_STEP }, cycle, remove as Route);
  if (remove) await addConfirmed(session, await examine(), examine);
}

/** Returns the operations that change one resource. */
export function getChanges(
  context: Parameters<typeof findActions>[0],
  { read, updates, remove }: LifeCycle,
): readonly Route[] {
  return [...updates, ...findActions(context, read), ...(remove ? [remove] : [])];
}

async function examineChange(context: CheckContext, cycle: LifeCycle, change: Route): Promise<readonly Finding[]> {
  const { coverage } = context.session.results;
  const sequence = new RequestSequence(context);
  const resources = await createResources(context, cycle, sequence);
  const [first, subject, last] = resources;
  const others = first && last ? [first, last] : [];
  const before = subject && (await read(sequence, cycle, subject));
  const known: (readonly [other: SequenceResource, old: Node])[] = [];
  for (const other of others) {
    const old = await read(sequence, cycle, other);
    // The server can delete what belongs to a resource together with it.
    if (old && subject && !mentions(old, subject.id)) known.push([other, old]);
  }
  if (!subject || !before || known.length === 0) {
    coverage.skipRule('other-resources', change, 'no three resources could be created');
    return sequence.findings;
  }
  if (cycle.updates.includes(change) && hasSeconds(before)) await sleep(SECOND_MS);
  if (!(await sendChange(context, change, { sequence, subject }))) return sequence.findings;
  const after = change === cycle.remove ? {} : await readSubject(context, cycle, { sequence, subject, before, change });
  const names = getSentNames(context, cycle).filter(
    (name) => isScalar(after?.[name]) && !isSameValue(before[name], after?.[name]),
  );
  coverage.countRule('other-resources', change);
  for (const [other, old] of known) {
    const values = sequence.toOwn(cycle.read, other);
    const changed = Object.fromEntries(names.map((name) => [name, after?.[name]]));
    const rule = createOtherRule(cycle.read, { change, id: subject.id, other, old, changed });
    if (values) await sequence.send(cycle.read, values, rule);
  }
  return sequence.findings;
}

async function read(sequence: RequestSequence, cycle: LifeCycle, resource: Identified): Promise<Node | undefined> {
  const response = await sequence.read(cycle, resource);
  return response && getEntry(cycle.read, response.body);
}

/** A resource that can be read: its id, and a request with the path parameters of its collection. */
type Identified = Pick<SequenceResource, 'id' | 'values'>;

/**
 * Deletes a resource: the list must not lose other resources.
 * If it does, deletes another one, and reads the others before and after that, because the list can be late.
 */
async function examineDeletion(context: CheckContext, cycle: LifeCycle, remove: Route): Promise<readonly Finding[]> {
  const first = await deleteOne(context, cycle, { remove, readsOthers: false });
  if (first.lost.length === 0) return [];
  const again = { ...context, seed: context.seed + OTHER_STEP };
  const { sequence, subject, lost } = await deleteOne(again, cycle, { remove, readsOthers: true });
  const [id] = lost;
  const other = subject && id !== undefined && { id, values: subject.values };
  const values = other && sequence.toOwn(cycle.read, other);
  if (!other || !values) return [];
  await sequence.send(
    cycle.read,
    values,
    createOtherRule(cycle.read, { change: remove, id: subject.id, other, old: {}, changed: {} }),
  );
  return sequence.findings;
}

/**
 * Creates and deletes a resource.
 * Returns the ids of the other resources that the list then does not have any more.
 * `readsOthers`: whether the ids are only those of resources that could be read before.
 */
async function deleteOne(
  context: CheckContext,
  cycle: LifeCycle,
  { remove, readsOthers }: { readonly remove: Route; readonly readsOthers: boolean },
) {
  const sequence = new RequestSequence(context);
  const subject = await sequence.create(cycle, context.seed + OTHER_STEP);
  const before = subject && (await listIds(context, cycle, subject));
  if (!subject || !before?.includes(subject.id)) return { sequence, subject, lost: [] };
  const readable = new Set(readsOthers ? [] : before);
  for (const id of readsOthers ? before : []) {
    const other = { id, values: subject.values };
    const entry = await read(new RequestSequence(context), cycle, other);
    if (entry && !mentions(entry, subject.id)) readable.add(id);
  }
  const isDeleted = await sendChange(context, remove, { sequence, subject });
  const after = isDeleted && (await listIds(context, cycle, subject));
  const isLost = (id: string) => after && id !== subject.id && readable.has(id) && !after.includes(id);
  return { sequence, subject, lost: before.filter(isLost) };
}

/** Returns the ids of the first entries of the list that has a resource. */
async function listIds(
  context: CheckContext,
  { list, read }: LifeCycle,
  { values }: SequenceResource,
): Promise<readonly string[] | undefined> {
  const { session, requests, seed } = context;
  const minimal = list && requests.createMinimal(list, seed);
  if (!list || !minimal) return undefined;
  const path = Object.fromEntries(Object.entries(values.path).filter(([name]) => list.pathNames.includes(name)));
  const whole = createListRequest(session.contract, list, { ...minimal, path: { ...minimal.path, ...path } });
  const response = whole && (await new RequestSequence(context).send(list, whole));
  if (!response || !isSuccess(response)) return undefined;
  return findListedIds(read.pathNames.at(-1) ?? '', response.body, MAX_LISTED).map(String);
}

/** The maximum number of compared entries of a list. */
const MAX_LISTED = 100;

/** Creates three resources below the same parent. */
async function createResources({ seed }: CheckContext, cycle: LifeCycle, sequence: RequestSequence) {
  const resources: SequenceResource[] = [];
  for (let number = 1; number <= 3; number++) {
    const [known] = resources;
    const path = known && getCollectionPath(cycle, known.values);
    const toSibling = (values: RequestValues) => ({ ...values, path: { ...values.path, ...path } });
    const resource = await sequence.create(cycle, seed + number * OTHER_STEP, toSibling);
    if (!resource) return resources;
    resources.push(resource);
  }
  return resources;
}

/** Sends a change of a resource. Returns whether it succeeded. */
async function sendChange(
  context: CheckContext,
  change: Route,
  { sequence, subject }: { readonly sequence: RequestSequence; readonly subject: SequenceResource },
): Promise<boolean> {
  const toOwn = (values: RequestValues) => withId(values, change, subject.id, subject.values.path);
  const send = (values: RequestValues) => sequence.send(change, values);
  const accepted = await sendAccepted({ ...context, seed: context.seed + 1 }, change, send, toOwn);
  return accepted !== undefined && accepted.response.status !== 202;
}

/** Reads the changed resource: the time of its creation must be the same. Returns the resource. */
async function readSubject(
  { session: { contract } }: CheckContext,
  cycle: LifeCycle,
  {
    sequence,
    subject,
    before,
    change,
  }: {
    readonly sequence: RequestSequence;
    readonly subject: SequenceResource;
    readonly before: Node;
    readonly change: Route;
  },
): Promise<Node | undefined> {
  const isKept = (name: string) => isCreationTimeName(name) && !canSend(contract, change, name);
  const rule: Rule = ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(cycle.read, body);
    const changed = Object.keys(before).find((name) => isKept(name) && !isSameTime(before[name], entry[name]));
    if (changed === undefined) return [];
    const message = `${change.operationId} changed ${changed} from ${JSON.stringify(before[changed])} to ${JSON.stringify(entry[changed])}`;
    return [createViolation('creation-time', { message, pointer, property: changed })];
  };
  const response = await sequence.read(cycle, subject, rule);
  return response && getEntry(cycle.read, response.body);
}

/** Creates a rule for reading another resource after a change: it must exist, and not have the changed values. */
function createOtherRule(
  read: Route,
  {
    change,
    id,
    other,
    old,
    changed,
  }: {
    readonly change: Route;
    readonly id: string;
    readonly other: Identified;
    readonly old: Node;
    readonly changed: Node;
  },
): Rule {
  const violate = ({ pointer }: Route, effect: string, property?: string): readonly Violation[] => {
    const message = `${change.operationId} of the resource ${JSON.stringify(id)} also ${effect} the resource ${JSON.stringify(other.id)}`;
    const title = `${change.operationId} changes one resource`;
    return [createViolation('other-resources', { title, message, pointer, property })];
  };
  return (route, { response }) => {
    if (isMissing(response)) return violate(route, 'deleted');
    const entry = isSuccess(response) ? getEntry(read, response.body) : {};
    const isCopied = (name: string) => entry[name] === changed[name] && !isSameValue(entry[name], old[name]);
    const name = Object.keys(changed).find(isCopied);
    if (name === undefined) return [];
    const [from, to] = [old[name], entry[name]].map((value) => JSON.stringify(value));
    return violate(route, `changed ${name} from ${from} to ${to} in`, name);
  };
}

/** Returns the names of the properties that clients send when they create or update a resource. */
export function getSentNames(
  { session: { contract } }: Pick<CheckContext, 'session'>,
  { create, read, updates }: LifeCycle,
): readonly string[] {
  const schemas = [create, ...updates].flatMap((route) => getBodySchema(route) ?? []);
  const names = schemas.flatMap((schema) => [
    ...getPartProperties(getSchemaParts(contract.normalized, schema, ALL_PARTS)).keys(),
  ]);
  return [...new Set(names)].filter((name) => !isServerName(read, name, false));
}

/** Returns whether clients can send a property of the body of an operation. */
function canSend({ normalized }: Contract, route: Route, name: string): boolean {
  const schema = getBodySchema(route);
  if (schema === undefined) return false;
  const property = getPartProperties(getSchemaParts(normalized, schema, ALL_PARTS)).get(name);
  if (property === undefined) return false;
  return getSchemaParts(normalized, property, ALL_PARTS).every(({ node }) => node.readOnly !== true);
}

/** Returns whether two values are the same time, in any format; true if the second one is missing. */
function isSameTime(one: unknown, other: unknown): boolean {
  if (!isScalar(one) || !isScalar(other) || typeof one !== typeof other || one === other) return true;
  // A server can show a time with another precision.
  return typeof one === 'string' && Math.abs(Date.parse(one) - Date.parse(String(other))) < 1;
}

/** Returns whether a resource shows when it was created, without fractions of a second. */
function hasSeconds(entry: Node): boolean {
  return Object.entries(entry).some(
    ([name, value]) => isCreationTimeName(name) && /^\d{10}$|T[\d:]+(?!\.)[^.]*$/.test(String(value)),
  );
}

/** Returns whether an object has an id as a value, at any depth. */
function mentions(value: unknown, id: string): boolean {
  if (isScalar(value)) return String(value) === id;
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => mentions(one, id));
}
