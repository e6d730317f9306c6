import type { Contract } from '../openapi/contract.ts';
import { getNode, isNode, type Node, resolvePointer, toNode } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { joinWords, normalizeName } from '../util/names.ts';
import type { CheckContext } from './check-context.ts';
import { getEntry, isSameValue, isScalar } from './life-cycle-rules.ts';
import { getBodySchema } from './requests.ts';
import { createViolation } from './rules.ts';
import type { Rule, Session } from './session.ts';
import { isSimilar } from './similar-values.ts';

/** The minimum length of the start of a verb that a property has: `canc` for `cancellationReason`. */
const MIN_STEM = 4;

/** The maximum number of objects around a resource in a response. */
const MAX_ENVELOPES = 2;

/** The operations that the check may use. */
interface Allowed {
  readonly allowedRoutes: readonly Route[];
  readonly session: Pick<Session, 'contract'>;
}

/**
 * Returns the operations that do something with one resource and need no body, such as `POST /tasks/{taskId}/complete`.
 */
export function findActions(allowed: Allowed, read: Route): readonly Route[] {
  return findReturningActions(allowed, read).filter(({ bodyMedia }) => Object.keys(bodyMedia).length === 0);
}

/** Returns the operations that do something with one resource and return it, also those with a body. */
export function findReturningActions(allowed: Allowed, read: Route): readonly Route[] {
  const { contract } = allowed.session;
  return findItemActions(allowed, read).filter((route) => returnsSame(contract, route, read));
}

/**
 * Returns the operations that do something with one resource, also those with a body, and those that return nothing.
 */
export function findItemActions({ allowedRoutes, session: { contract } }: Allowed, read: Route): readonly Route[] {
  const { path, pathNames } = read;
  return allowedRoutes.filter(
    (route) =>
      ['POST', 'PUT', 'PATCH'].includes(route.method) &&
      route.path.startsWith(`${path}/`) &&
      route.pathNames.length === pathNames.length &&
      // An action such as `refund` can return another resource, which has the id too.
      (returnsSame(contract, route, read) || findJsonMedia(route.responses, route.successStatus) === undefined),
  );
}

/**
 * Returns whether the successful responses of two operations have the same schema: by reference, or with the same
 * properties, as in `{ data: { $ref: … } }`.
 */
export function returnsSame({ normalized }: Contract, one: Route, other: Route): boolean {
  const [first, second] = [one, other].map(({ responses, successStatus }) => {
    const schema = findJsonMedia(responses, successStatus)?.schema;
    return schema === undefined ? undefined : resolvePointer(normalized, schema);
  });
  if (first === undefined || second === undefined) return false;
  const node = toNode(getNode(normalized, first));
  return first === second || (isNode(node.properties) && isSameValue(node, getNode(normalized, second)));
}

/** The operations that create, read and update the resources of a collection. */
interface Collection {
  readonly create: Route;
  readonly read: Route;
  readonly updates: readonly Route[];
}

/** An action with a body, and the resource before it. */
interface SentAction {
  readonly action: Route;
  readonly before: Node;
  readonly sent: Node;
}

/**
 * Creates a rule for the first read of a resource after an action with a body: a property that only the action sets
 * has the value that the action has sent, such as `reason` in `reason` or in `cancel_reason` after `cancel`.
 * An action that changes nothing else violates no rule.
 */
export function createSentRule({ session }: CheckContext, cycle: Collection, change: SentAction): Rule {
  const { action, before, sent } = change;
  const { contract, results } = session;
  const own = Object.keys(sent).flatMap((name) => {
    const property =
      isScalar(sent[name]) && sent[name] !== '' ? findProperty(contract, cycle, change, name) : undefined;
    const isSet = property !== undefined && hasValue(before[property]);
    return property === undefined || isSet ? [] : [{ name, property }];
  });
  if (own.length > 0) results.coverage.countRule('stored-value', action);
  return ({ pointer }, { response: { status, body } }) => {
    if (status !== 200) return [];
    const entry = getEntry(cycle.read, body);
    // An action can have no effect in a status, such as `stop` before `start`.
    if (!hasEffect(before, entry)) return [];
    const lost = own.find(({ name, property }) => !isSimilar(sent[name], entry[property]));
    if (lost === undefined) return [];
    const { name, property } = lost;
    const now = hasValue(entry[property]) ? `is ${JSON.stringify(entry[property])}` : 'has no value';
    const message = `${action.operationId} with ${name} ${JSON.stringify(sent[name])} succeeded, but ${property} ${now}`;
    const title = `changes are stored: ${action.operationId}`;
    return [createViolation('stored-value', { title, message, pointer, property, causedBy: action })];
  };
}

/** Matches names of properties that a server can set in each request. */
const SET_EACH_TIME = /(?:at|time|date|version|revision|etag)$/i;

function hasEffect(before: Node, after: Node): boolean {
  return Object.keys({ ...before, ...after }).some(
    (name) => !SET_EACH_TIME.test(name) && !isSameValue(before[name], after[name]),
  );
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/**
 * Returns the property of a resource in which an action stores what it has sent: one with the same name, or with the
 * verb of the action before it. Returns undefined if requests that create or update the resource also set it.
 */
function findProperty(
  contract: Contract,
  { create, read, updates }: Collection,
  { action, before }: SentAction,
  name: string,
): string | undefined {
  const { normalized } = contract;
  const settable = [create, ...updates].flatMap((route) => [
    ...getPartProperties(getSchemaParts(normalized, getBodySchema(route) ?? '', ALL_PARTS)).keys(),
  ]);
  const verb = joinWords(action.path.slice(action.path.lastIndexOf('/') + 1));
  // `suspend` and `suspension`.
  const stem = verb.slice(0, Math.max(MIN_STEM, verb.length - 2));
  const isOwn = (property: string) => {
    const words = joinWords(property);
    const withVerb = words.startsWith(stem) && words.endsWith(` ${joinWords(name)}`);
    return withVerb || normalizeName(property) === normalizeName(name);
  };
  const shown = listShownNames(contract, findJsonMedia(read.responses, read.successStatus)?.schema ?? '', before);
  return shown.find((property) => isOwn(property) && !settable.includes(property));
}

/** Returns the documented properties of a resource, also if other objects enclose it. `entry`: the resource. */
function listShownNames(
  { normalized }: Pick<Contract, 'normalized'>,
  schema: string,
  entry: Node,
  depth = 0,
): readonly string[] {
  const properties = getPartProperties(getSchemaParts(normalized, schema, ALL_PARTS));
  const isResource = Object.keys(entry).filter((name) => properties.has(name)).length * 2 > Object.keys(entry).length;
  if (isResource) return [...properties.keys()];
  if (depth >= MAX_ENVELOPES) return [];
  return [...properties.values()].flatMap((inner) => listShownNames({ normalized }, inner, entry, depth + 1));
}
