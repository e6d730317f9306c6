import { DomainError, type Input } from '../../application.ts';
import { omitKeys, toNode } from '../../openapi/document.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import {
  getPropertyPath,
  getPropertySchema,
  normalizeProperty,
  requiresProperty,
} from '../document/entry-properties.ts';
import { addArticle } from '../document/names.ts';
import { getBody } from '../document/request-bodies.ts';
import { finishChange } from '../entries/add-entry.ts';
import { getInner, getKeyValue, getProperty, setInner } from '../entries/entry-values.ts';
import { applyMergePatch } from '../entries/json-patch.ts';
import type { Effect, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { changeMembers, explainNoMember } from '../users/member-lists.ts';
import { SELF_STATUSES } from '../users/related-users.ts';
import { isSenderFlag, readFlags, setFlag } from '../users/sender-flags.ts';
import { applyEffect } from './actions.ts';
import { assign } from './assignments.ts';
import { describeValues } from './describe-actions.ts';
import { requireOpenState } from './transitions.ts';

/** The entry of an action, and the request. */
interface ActionTarget {
  readonly state: State;
  readonly nowMs: number;
  readonly input: Input;
  /** The entry before the action. */
  readonly current: Entry;
}

/**
 * Returns the entry after an action; the same object if the action changes nothing.
 * Throws a `DomainError` if the action is refused in the state of the entry, or changes nothing and the document has
 * 409.
 */
export function applyAction(model: ResourceModel, plan: Plan, effect: Effect, target: ActionTarget): Entry {
  const { state, nowMs, input, current } = target;
  const { resource, route } = plan;
  if (effect.members && explainNoMember(effect.members, input) !== undefined) return current;
  if (effect.members)
    return model.updateEntry(plan, current, (old) => changeMembers(model, plan, state, old, input), {}, nowMs);
  const readsBody = effect.setsBody || effect.counter?.isSent || effect.assigns || effect.copies;
  const body = readsBody ? getBody(model, plan, input) : {};
  const sent = effect.setsBody ? pickSent(plan, effect, body) : {};
  const sender = model.derived.getSender(resource, state, input);
  if (followsSelf(model, plan, current, sender)) {
    if (!route.responses.some(({ name }) => SELF_STATUSES.includes(name))) return current;
    throw new DomainError('conflict', `${addArticle(resource.singular)} can't follow itself: name another one`);
  }
  requireConsent(plan, effect, input);
  requireUnsetTime(plan, effect, current);
  const changes = computeChanges(model, plan, effect, target, { sender, body, sent });
  if (Object.keys(changes).length + Object.keys(sent).length === 0 && !effect.assigns) {
    if (!route.responses.some(({ name }) => name === '409')) return current;
    throw new DomainError(
      'conflict',
      `the ${resource.singular} already has ${describeValues(effect)}: nothing is left to change`,
    );
  }
  const all = copyProperties(model, plan, effect, { body, sent });
  const isMark =
    Object.keys(changes).length > 0 && Object.keys(changes).every(isSenderFlag) && Object.keys(all).length === 0;
  // A mark of a user, such as a favorite, is no change of the entry, which keeps its `updatedAt`.
  const updated = isMark
    ? current
    : model.updateEntry(plan, current, (old) => applyMergePatch(old, all) as Entry, all, nowMs);
  // An action sets the properties in its body, also those that no other request can have.
  const readOnly = omitKeys(all, Object.keys(model.removeReadOnly(resource, all)));
  const flags = sender === undefined ? [] : Object.keys(changes).filter(isSenderFlag);
  const values = { ...model.validator.removeInvalid(resource, readOnly), ...omitKeys(changes, flags) };
  const set = model.setOrRemove(resource, updated, values);
  const flagged = flags.reduce((next, name) => setFlag(next, name, sender ?? '', changes[name] === true), set);
  const assigned = assign(model, plan, state, flagged, body);
  if (!effect.setsBody) return assigned;
  const followed = followState(model, plan, { current, entry: assigned, sent: { ...sent, ...changes }, nowMs });
  return finishChange(model, plan, state, { current, entry: followed, sent });
}

/** Returns the properties in the body of an action that entries have. */
function pickSent({ entryPath }: Plan, { ignored = [], copies = [] }: Effect, body: Entry): Entry {
  const others = [...ignored, ...copies.map(({ from }) => from)];
  return setInner({}, entryPath, omitKeys(toNode(getInner(body, entryPath)), others));
}

/** Adds the properties in the body of an action that set one with another name. */
function copyProperties(
  { reader }: ResourceModel,
  { entryPath, resource }: Plan,
  { copies = [] }: Effect,
  { body, sent }: { readonly body: Entry; readonly sent: Entry },
): Entry {
  return copies.reduce((entry, { from, to }) => {
    const value = getInner(body, [...entryPath, from]);
    return value === undefined ? entry : setInner(entry, getPropertyPath(reader, resource.schema, to), value);
  }, sent);
}

/** Matches the names of booleans with which clients agree to an action, without uppercase letters and separators. */
const CONSENT =
  /^(?:confirm(?:ed)?|confirme|confirma(?:do)?|agreed?|consent)$|^(?:i?agree(?:d)?(?:to)?|accept(?:ed|e|es|s)?|acepta|aceita|accetta)(?:the|les?|las?|los|os|as)?(?:terms|conditions?|termsandconditions|rules|policy|privacypolicy|cgu|cgv|agb|reglement|terminos|termos|condiciones|condicoes|condizioni|termini)$/;

/** The documented statuses with which an action is refused to which the client does not agree. */
const CONSENT_STATUSES = ['422', '400'];

/**
 * Throws a `DomainError` if the body of an action has false for a boolean such as `acceptTerms`, which is no property
 * of the entry, and the document has 422 or 400.
 */
function requireConsent({ route }: Plan, { ignored = [] }: Effect, { body }: Input): void {
  if (!route.responses.some(({ name }) => CONSENT_STATUSES.includes(name))) return;
  const sent = toNode(body);
  const refused = ignored.find((name) => CONSENT.test(normalizeName(name)) && sent[name] === false);
  if (refused !== undefined)
    throw new DomainError('value-refused', `/${refused} is false: the action needs the value true`);
}

/**
 * Throws a `DomainError` if an action that only sets a time, such as `check-in` with `checkedInAt`, was already done,
 * and the document has 409. A time such as `lastSeenAt` is that of the last action.
 */
function requireUnsetTime({ resource, route }: Plan, effect: Effect, current: Entry): void {
  const { values, time, counter, setsBody, toggles, assigns } = effect;
  const isOnlyTime = values.length === 0 && !counter && !setsBody && toggles === undefined && !assigns;
  if (!isOnlyTime || !time?.isSet || normalizeProperty(time.property).startsWith('last')) return;
  const isSet = (getProperty(current, time.property) ?? null) !== null;
  if (!isSet || !route.responses.some(({ name }) => name === '409')) return;
  throw new DomainError('conflict', `the ${resource.singular} already has ${time.property}: nothing is left to change`);
}

/** Returns whether an action makes the user who sends the request follow itself. `sender`: the id of this user. */
function followsSelf(
  { inference: { follow, users } }: ResourceModel,
  { effect, resource }: Plan,
  current: Entry,
  sender: string | undefined,
): boolean {
  const starts = effect?.values.some(({ property, value }) => property === follow?.flag && value === true);
  return resource === users && starts === true && getKeyValue(current, resource.id) === sender;
}

/**
 * Returns the properties that an action changes beside those in its body.
 * Throws a `DomainError` if the action is refused in the state of the entry.
 * `sender`: the id of the user who sends the request, if entries are shown differently to each user.
 */
function computeChanges(
  model: ResourceModel,
  plan: Plan,
  effect: Effect,
  { state, nowMs, current }: ActionTarget,
  { sender, body, sent }: { readonly sender: string | undefined; readonly body: Entry; readonly sent: Entry },
): Entry {
  const { resource, mount } = plan;
  const schema = mount.shown ?? resource.schema;
  const [derived = current] = model.derived.add(state, resource, [current], { sender, getNow: () => nowMs, schema });
  const shown = model.derived.complete(resource, derived);
  requireOpenState(plan, shown);
  const unsent = effect.values.filter(({ property }) => getProperty(sent, property) === undefined);
  const time = model.formatTime(resource, effect.time?.property, nowMs);
  const forSender = { ...shown, ...readFlags(effect, current, sender) };
  const own = { ...effect, values: unsent };
  return applyEffect(isMarked(effect, forSender) ? takeBack(own) : own, forSender, time, body);
}

/**
 * Returns whether an action takes back the marks that an entry has.
 * These are marks of the user who sends the request, or of the entry if the document has no users.
 */
function isMarked({ takesBack, values }: Effect, entry: Entry): boolean {
  return takesBack === true && values.some(({ property }) => getProperty(entry, property) === true);
}

/** Returns the opposite of the effect of an action that marks an entry. */
function takeBack({ values, counter, ...effect }: Effect): Effect {
  return {
    ...effect,
    values: values.map(({ property }) => ({ property, value: false })),
    counter: counter && { ...counter, step: -1 },
  };
}

/** A changed entry, and the request. `sent`: the properties in the request. */
interface StateChange {
  readonly current: Entry;
  readonly entry: Entry;
  readonly sent: Entry;
  readonly nowMs: number;
}

/**
 * Returns a changed entry in which the times and the booleans of actions follow a state that the request sets: if it
 * sets the `status` to `completed`, the entry has the `completedAt` that the action `complete` sets, and if it sets the
 * first state, or another one before `completed` in the `enum`, it has none.
 */
export function followState(model: ResourceModel, { resource }: Plan, change: StateChange): Entry {
  const { current, entry, sent, nowMs } = change;
  const effects = listStateEffects(model)(resource);
  if (effects.length === 0) return entry;
  const shown = model.derived.complete(resource, current);
  const isChanged = (property: string) =>
    getProperty(sent, property) !== undefined &&
    getProperty(entry, property) !== undefined &&
    getProperty(entry, property) !== getProperty(shown, property);
  const initial = model.getInitialValues(resource);
  const changes = effects.flatMap((effect): readonly (readonly [string, unknown])[] => {
    const { values, time, clears = [], toggles, isUndo } = effect;
    const now = model.formatTime(resource, time?.property, nowMs);
    if (toggles !== undefined)
      return time && isChanged(toggles) ? [[time.property, getProperty(entry, toggles) === true ? now : null]] : [];
    const changed = values.filter(({ property }) => isChanged(property));
    const isSet = changed.some(({ property, value }) => getProperty(entry, property) === value);
    if (isSet)
      return [
        ...values.map(({ property, value }) => [property, value] as const),
        ...clears.map((property) => [property, null] as const),
        ...(time?.isSet ? [[time.property, now] as const] : []),
      ];
    const isEarlier = changed.some(({ property, value }) => {
      const own = getProperty(entry, property);
      return own === getProperty(initial, property) || isBefore(model, resource, property, [own, value]);
    });
    if (!isEarlier || isUndo) return [];
    const flags = values.filter(({ value }) => value === true);
    return [
      ...flags.map(({ property }) => [property, false] as const),
      ...(time?.isSet ? [[time.property, null] as const] : []),
    ];
  });
  const isKept = ([name, value]: readonly [string, unknown]) =>
    getProperty(sent, name) !== undefined ||
    value === undefined ||
    (value === null && isAlwaysThere(model, resource, name));
  const own = changes.filter((one) => !isKept(one));
  return own.length === 0 ? entry : model.setOrRemove(resource, entry, Object.fromEntries(own));
}

/** Returns whether the first of two states is before the other one in the `enum` of a property. */
function isBefore(
  { reader }: ResourceModel,
  { schema }: Resource,
  property: string,
  [state, other]: readonly [unknown, unknown],
): boolean {
  const states: readonly unknown[] = [
    reader.getKeyword(getPropertySchema(reader, schema, property) ?? '', 'enum'),
  ].flat();
  return states.includes(state) && states.indexOf(state) < states.indexOf(other);
}

/** Returns whether an entry needs a property that can't be null. */
function isAlwaysThere({ reader, contract }: ResourceModel, { schema }: Resource, name: string): boolean {
  const isRequired = requiresProperty(reader, schema, name);
  return isRequired && !contract.isValid(getPropertySchema(reader, schema, name) ?? '', null);
}

/** Returns the effects of the actions that set a state of the entries of a resource. Those of DELETE take it back. */
const listStateEffects = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((resource: Resource): readonly Effect[] =>
    [...model.inference.plans.values()].flatMap(({ effect, resource: own, route }) => {
      if (own !== resource || !effect || route.method === 'DELETE') return [];
      const isOfSender = effect.values.some(
        ({ property, value }) => typeof value === 'boolean' && isSenderFlag(property),
      );
      return isOfSender || effect.values.length + (effect.toggles === undefined ? 0 : 1) === 0 ? [] : [effect];
    }),
  ),
);

/**
 * Returns the times that follow a state that a request sets, such as `completedAt`.
 * `sent`: the properties that the request can have.
 */
export function listStateTimes(model: ResourceModel, resource: Resource, sent: readonly string[]): readonly string[] {
  const times = listStateEffects(model)(resource).flatMap(({ values, time, clears = [], toggles }) => {
    const properties = [...values.map(({ property }) => property), ...(toggles === undefined ? [] : [toggles])];
    return properties.some((name) => sent.includes(name)) ? [...(time ? [time.property] : []), ...clears] : [];
  });
  return [...new Set(times)].filter((name) => !sent.includes(name));
}
