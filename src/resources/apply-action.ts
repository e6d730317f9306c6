import { DomainError, type Input } from '../application.ts';
import { omitKeys } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { applyEffect, describeValues } from './actions.ts';
import { finishChange } from './add-entry.ts';
import { assign } from './assignments.ts';
import { applyMergePatch } from './json-patch.ts';
import { getBody } from './request-bodies.ts';
import type { Effect, Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { isSenderFlag, readFlags, setFlag } from './sender-flags.ts';
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
  const body = effect.setsBody || effect.counter?.isSent || effect.assigns ? getBody(model, plan, input) : {};
  const sent = effect.setsBody ? omitKeys(body, effect.ignored ?? []) : {};
  const sender = model.derived.getSender(resource, state, input);
  const changes = computeChanges(model, plan, effect, target, { sender, body, sent });
  if (Object.keys(changes).length + Object.keys(sent).length === 0 && !effect.assigns) {
    if (!route.responses.some(({ name }) => name === '409')) return current;
    throw new DomainError(
      'conflict',
      `the ${resource.singular} already has ${describeValues(effect)}: change it first, or send another request`,
    );
  }
  const updated = model.updateEntry(plan, current, (old) => applyMergePatch(old, sent) as Entry, sent, nowMs);
  // An action sets the properties in its body, also those that no other request can have.
  const readOnly = omitKeys(sent, Object.keys(model.removeReadOnly(resource, sent)));
  const flags = sender === undefined ? [] : Object.keys(changes).filter(isSenderFlag);
  const values = { ...model.validator.removeInvalid(resource, readOnly), ...omitKeys(changes, flags) };
  const set = model.setOrRemove(resource, updated, values);
  const flagged = flags.reduce((next, name) => setFlag(next, name, sender ?? '', changes[name] === true), set);
  const assigned = assign(model, plan, state, flagged, body);
  return effect.setsBody ? finishChange(model, plan, state, { current, entry: assigned, sent }) : assigned;
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
  const [derived = current] = model.derived.add(state, resource, [current], { sender, schema });
  const shown = model.derived.complete(resource, derived);
  requireOpenState(plan, shown);
  const unsent = effect.values.filter(({ property }) => !Object.hasOwn(sent, property));
  const time = model.formatTime(resource, effect.time?.property, nowMs);
  return applyEffect({ ...effect, values: unsent }, { ...shown, ...readFlags(effect, current, sender) }, time, body);
}
