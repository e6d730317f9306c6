import type { Context, Handle, Input } from '../application.ts';
import type { ChangeKind, ChangeSequence, CommittedChange, Entry } from '../store/state.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { toSeed } from '../util/random.ts';
import { StreamItem } from '../util/streams.ts';
import { getKeyValue, type PathInput, removePathValues } from './entries/entry-values.ts';
import { createNotFound, findEntry, requireParents } from './entries/require-entries.ts';
import type { Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { type ItemForm, type StreamPlan, showsVerb } from './stream-plans.ts';
import { addSenderPath } from './users/ownership.ts';
import type { DerivedValues } from './values/derived-values.ts';

/** Creates the handler of a stream of the changes of a resource. */
export function createStreamHandler(model: ResourceModel, plan: StreamPlan): Handle {
  return (input, context) => {
    const state = context.read();
    const stored = model.toStoredPath(plan, input.path);
    const path = addSenderPath(model, plan, stored, input, state);
    const reading: Plan = { ...plan, action: 'read', requestPath: [], entryPath: [], responsePath: [] };
    requireParents(model, state, reading, path);
    if (plan.isOne && !findEntry(reading, state, path)) throw createNotFound(reading, path);
    const lastId = input.headers['last-event-id'];
    const changes = context.changes(lastId === undefined || lastId === '' ? undefined : lastId);
    return { body: createItems(model, plan, { input, path, context, changes }) };
  };
}

/** A request for a stream. */
interface StreamRequest {
  readonly input: Input;
  /** The path parameters, as they are stored. */
  readonly path: PathInput;
  readonly context: Context;
  readonly changes: ChangeSequence;
}

async function* createItems(
  model: ResourceModel,
  plan: StreamPlan,
  request: StreamRequest,
): AsyncGenerator<StreamItem> {
  // With this id, a client that loses the connection before the first change misses none.
  yield new StreamItem(request.changes.startId, undefined);
  for await (const change of request.changes) {
    if (change.collection !== plan.resource.name) continue;
    const verb = getVerb(plan, request.path, change);
    const form = verb && plan.forms.find((one) => showsVerb(one, verb));
    if (form) yield getItem(model, plan, form, { ...request, change, verb });
  }
}

/** The items of a change, by the form of the item and the verb. Many clients get the same item. */
const getItems = memoizeByObject((_change: CommittedChange) => new Map<ItemForm, Map<ChangeKind, StreamItem>>());

/** Returns the item that shows a change. It is created only once, unless it depends on the user of the request. */
function getItem(model: ResourceModel, plan: StreamPlan, form: ItemForm, shown: ShownChange): StreamItem {
  const { input, context, change, verb } = shown;
  const sender = model.derived.getSender(plan.resource, context.read(), input);
  const create = () => new StreamItem(change.id, createItem(model, plan, form, { ...shown, sender }));
  if (sender !== undefined) return create();
  const items = getItems(change).get(form) ?? new Map<ChangeKind, StreamItem>();
  getItems(change).set(form, items);
  const item = items.get(verb) ?? create();
  items.set(verb, item);
  return item;
}

/** A change, and what it has done with the entries of a stream. */
interface ShownChange extends StreamRequest {
  readonly change: CommittedChange;
  readonly verb: ChangeKind;
}

/** Returns what a change has done with the entries of a stream; undefined if it is not about them. */
function getVerb(
  { mount, isOne }: StreamPlan,
  path: PathInput,
  { before, after }: CommittedChange,
): ChangeKind | undefined {
  const parents = mount.parents.filter((parent) => !(parent.isDescribed && path[parent.parameter] === undefined));
  const keys = isOne ? [...parents, mount.id] : parents;
  const isIn = (entry: Entry | undefined) =>
    entry !== undefined && keys.every((key) => getKeyValue(entry, key) === path[key.parameter]);
  if (isIn(after)) return isIn(before) ? 'updated' : 'created';
  return isIn(before) ? 'deleted' : undefined;
}

/** Creates the item that shows a change: an event, or its data. */
function createItem(
  model: ResourceModel,
  plan: StreamPlan,
  form: ItemForm,
  { context, change, verb, sender }: ShownChange & { readonly sender: ReturnType<DerivedValues['getSender']> },
): unknown {
  const { resource, areEvents, isEncoded } = plan;
  const entry = change.after ?? change.before ?? {};
  const data = wrap(model, form, { change, verb, resource: plan.resource, shown: show() });
  if (!areEvents) return data;
  const event = form.event?.[verb];
  return { ...(event === undefined ? {} : { event }), data: isEncoded ? JSON.stringify(data) : data };

  function show(): unknown {
    if (form.path === undefined) return undefined;
    const viewing = { sender, getNow: context.nowMs, schema: form.entry };
    const [derived = entry] = model.derived.add(context.read(), resource, [entry], viewing);
    const { value } = model.responses.completeEntry(resource, form.entry, derived);
    return removePathValues(value as Entry);
  }
}

/** Puts an entry into the object that an item is. */
function wrap(
  model: ResourceModel,
  { schema, path, id, verb: property, time }: ItemForm,
  {
    change,
    verb,
    resource,
    shown,
  }: {
    readonly change: CommittedChange;
    readonly verb: ChangeKind;
    readonly resource: Plan['resource'];
    readonly shown: unknown;
  },
): unknown {
  if (path?.length === 0) return shown;
  const entry = change.after ?? change.before ?? {};
  const own = getKeyValue(entry, resource.id);
  const ids = own === undefined ? [] : [own, Number(own)];
  const idSchema = id === undefined ? '' : (model.reader.getProperties(schema).get(id) ?? '');
  const ownId = ids.find((value) => model.contract.isValid(idSchema, value));
  const known = {
    ...(path ? setInner(path, shown) : {}),
    ...(id === undefined ? {} : { [id]: ownId }),
    ...(property ? { [property.property]: property.texts[verb] } : {}),
    ...(time === undefined ? {} : { [time]: toIsoTime(change.atMs) }),
  };
  return model.completeValue(schema, known, toSeed(change.id)).value;
}

/** Returns an object with a value at a path: `{ data: { task: … } }` for `['data', 'task']`. */
function setInner([name, ...rest]: readonly string[], value: unknown): Entry {
  return { [name as string]: rest.length === 0 ? value : setInner(rest, value) };
}
