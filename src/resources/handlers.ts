import { type Context, DomainError, type Handle, type HandlerResponse, type Input } from '../application.ts';
import { getNode, omitKeys, toNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { isPathSegment } from '../util/request-target.ts';
import { applyAction, followState } from './actions/apply-action.ts';
import { actOnSeveral } from './actions/apply-bulk-action.ts';
import { findNamedUser } from './actions/assignments.ts';
import { copy } from './actions/copy-entry.ts';
import { setRequestTimes } from './actions/request-times.ts';
import { addNotes } from './document/broken-limits.ts';
import { addQueryId } from './document/query-ids.ts';
import { getBodies, getBody } from './document/request-bodies.ts';
import { addEntry, addMember, finishChange, takeParts } from './entries/add-entry.ts';
import { clear, remove, restore } from './entries/deletions.ts';
import { followMembers, getEntryList, listChildrenOf, setEntries } from './entries/entries.ts';
import { appendEntry, replaceEntry } from './entries/entry-lists.ts';
import { getInner, getKeyValue, setInner } from './entries/entry-values.ts';
import { isUpload } from './entries/file-properties.ts';
import { applyMergePatch, findPatch, patchEntry } from './entries/json-patch.ts';
import { refuseExisting } from './entries/refused-creations.ts';
import { createNotFound, findEntry, requireAllowedValues, requireParents } from './entries/require-entries.ts';
import { keepFiles, locateFileUrl, replaceFile, respondWithFile, storeFiles, uploadsFile } from './entries/uploads.ts';
import { requireVersion } from './entries/versions.ts';
import { count } from './lists/count-entries.ts';
import { list } from './lists/list-entries.ts';
import { flattenQuery } from './lists/list-query.ts';
import { type Action, type MemberChange, type MockedPlan, PATH_VALUES, type Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';
import { getOtherStatus, getStatus, respond, returnsList } from './respond.ts';
import { changePassword } from './users/accounts.ts';
import { logIn, logOut } from './users/log-in.ts';
import { explainNoMember, getShownMember } from './users/member-lists.ts';
import { addOwnMember } from './users/own-members.ts';
import { addActors, addSender, addSenderPath, getSenderPath, keepSigned } from './users/ownership.ts';
import { findRelatedUser, relateByPath } from './users/related-users.ts';
import { addToken } from './users/tokens.ts';
import { renameUser } from './users/user-links.ts';

/** A function that handles a request. `plan`: what the operation does, such as creating an entry. */
type PlanHandler = (
  model: ResourceModel,
  plan: Plan,
  input: Input,
  context: Context,
) => HandlerResponse | Promise<HandlerResponse>;

const HANDLERS: Readonly<Record<Action, PlanHandler>> = {
  list,
  create,
  read,
  replace,
  replaceById: changeById,
  update,
  updateById: changeById,
  delete: remove,
  clear,
  act,
  copy,
  restore: (model, plan, input, context) =>
    plan.bulk ? actOnSeveral(model, plan, plan.bulk, input, context) : restore(model, plan, input, context),
  count,
  logIn,
  logOut,
  setPassword,
};

/** Creates the handler of an operation. `plan`: what the operation does, such as creating an entry. */
export function createHandler(model: ResourceModel, plan: Plan): Handle {
  return (input, context) => {
    const path = model.toStoredPath(plan, addQueryId(plan, input.path, input.query));
    const state = context.read();
    const ownPath = addSenderPath(model, plan, path, input, state);
    const itemPath = addOwnMember(model.inference.users, plan.resource, plan.mount, { path: ownPath, input, state });
    const stored = withPath(input, itemPath, flattenQuery(plan.route, input), () => context.nowMs());
    const handle = plan.isSender ? handleSender : HANDLERS[plan.action];
    const own = storeFiles(model, plan, input, context);
    return setRequestTimes(model, plan, handle(model, plan, stored, own), context);
  };
}

/** Returns a request with other path parameters, and with another query. */
function withPath(input: Input, path: Input['path'], query = input.query, getNow = input.getNow): Input {
  return new ChangedInput(input, path, query, getNow);
}

/**
 * A request with other path parameters. Few handlers use the headers, and each access to `input.headers` copies them.
 * This is a class, because V8 keeps an object literal with getters in memory until the next full garbage collection.
 */
class ChangedInput implements Input {
  readonly body: unknown;
  readonly #input: Input;

  constructor(
    input: Input,
    readonly path: Input['path'],
    readonly query: Input['query'],
    readonly getNow: Input['getNow'],
  ) {
    this.body = input.body;
    this.#input = input;
  }

  get credentials(): Input['credentials'] {
    return this.#input.credentials;
  }

  get headers(): Input['headers'] {
    return this.#input.headers;
  }

  get url(): string | undefined {
    return this.#input.url;
  }

  get filesUrl(): string | undefined {
    return this.#input.filesUrl;
  }

  get user(): string | undefined {
    return this.#input.user;
  }
}

/** Handles a request about the user who sends it, such as `GET /me`. */
async function handleSender(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  context: Context,
): Promise<HandlerResponse> {
  const own = withPath(input, getSenderPath(plan, input, context.read()));
  const response = await HANDLERS[plan.action](model, plan, own, context);
  return plan.action === 'list' || plan.action === 'count'
    ? response
    : addToken(model.reader, plan.resource, response, plan.responsePath, input);
}

/**
 * Returns a stored entry as the response of a mocked operation: the pet for `POST /pets/{petId}/feed`.
 * Returns undefined if the documented response is not an entry.
 * Throws a `DomainError` if an entry in the path does not exist.
 */
export function respondToMocked(
  model: ResourceModel,
  plan: MockedPlan,
  input: Input,
  state: State,
): HandlerResponse | undefined {
  const path = addSenderPath(model, plan, model.toStoredPath(plan, input.path), input, state);
  requireParents(model, state, plan, path);
  const stored = plan.file && findEntry(plan.file, state, path);
  const file = stored && respondWithFile(plan.route, stored);
  if (file) return file;
  const entry = plan.entry && findEntry(plan.entry, state, path);
  return plan.entry && entry && respond(model, plan.entry, input, { status: plan.route.successStatus, state, entry });
}

/** Returns whether an operation returns files that another one uploads. */
export function isFileOfUpload({ inference }: ResourceModel, { file }: MockedPlan): boolean {
  return file !== undefined && uploadsFile([...inference.plans.values()], file.resource);
}

/** Creates the handler that returns uploaded files. The mock creates the file of an entry without an uploaded one. */
export function createDownload(model: ResourceModel, plan: MockedPlan) {
  return (input: Input, context: Context): HandlerResponse =>
    respondToMocked(model, plan, input, context.read()) ?? { isMocked: true };
}

/** Handles the action `create`: adds the entry in the request body, or each entry if the body has a list. */
async function create(model: ResourceModel, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { resource } = plan;
  const bodies = getBodies(model, plan, input);
  const upload = isUpload(plan.route) ? input : undefined;
  const entries = await context.update((state, nowMs) => {
    requireParents(model, state, plan, input.path);
    let next = state;
    const created = bodies.map((sent) => {
      const { path } = input;
      const own = model.removeReadOnly(resource, sent);
      if (plan.reference !== undefined) {
        const member = addMember(model, plan, next, sent, input);
        next = member.next;
        return member.result;
      }
      const user = findRelatedUser(model, plan, { state: next, input }, sent) ?? findNamedUser(model, plan, next, sent);
      const signed = addSender(model, plan, state, input, { ...own, ...user });
      const entry = addActors(model, plan, state, input, { current: undefined, sent, entry: signed });
      const { filled, rest } = takeParts(model, plan, { state: next, input }, entry);
      const ownId = user !== undefined;
      const { newId } = context;
      const added = addEntry(model, plan, { state: rest, nowMs, body: filled, path, newId, upload, ownId });
      next = added.next;
      return added.result;
    });
    return { next, result: created };
  });
  const response = respond(model, plan, input, {
    status: getStatus(plan, 201),
    state: context.read(),
    entry: plan.hidesEntry ? undefined : entries[0],
    entries: returnsList(model, plan)
      ? followMembers(
          context.read(),
          resource,
          listChildrenOf(getEntryList(context.read(), resource), plan.mount, input.path),
        )
      : entries,
  });
  return addNotes(model, plan, response, bodies);
}

function read(model: ResourceModel, plan: Plan, input: Input, context: Context): HandlerResponse {
  const { path } = input;
  const state = context.read();
  requireParents(model, state, plan, path);
  const entry = findEntry(plan, state, path) ?? model.getInitialSingleton(plan.resource, plan.mount, path);
  if (!entry) throw createNotFound(plan, path);
  const [shown] = followMembers(state, plan.resource, [entry]);
  return respond(model, plan, input, { status: plan.route.successStatus, state, entry: shown });
}

async function replace(model: ResourceModel, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { path } = input;
  const [sent = {}] = getBodies(model, plan, input);
  const changed = await context.update((state, nowMs) => {
    requireParents(model, state, plan, path);
    const current = findEntry(plan, state, path);
    const body = { ...sent, ...relateByPath(model, plan, { state, input, current }) };
    if (!current) {
      if (!canCreateAtPath(model, plan) || !model.isValidId(plan.resource, path)) throw createNotFound(plan, path);
      const own = model.removeReadOnly(plan.resource, body);
      const { next, result } = addEntry(model, plan, { state, nowMs, body: own, path, newId: context.newId });
      return { next, result: { entry: result, status: getStatus(plan, 201) } };
    }
    refuseExisting(model, plan, current);
    requireVersion(model, plan, input, { state, current });
    // A body that the document does not require changes nothing if it is missing.
    if (input.body === undefined && Object.keys(plan.route.bodyMedia).length > 0)
      return { next: state, result: { entry: current, status: getOtherStatus(plan, 201) } };
    requireAllowedValues(model, plan, body);
    const replacement = model.replaceEntry(plan, current, keepSigned(model, plan, current, body), nowMs);
    const own = keepFiles(model.reader, plan, current, replacement, input);
    const replaced = followState(model, plan, { current, entry: own, sent: body, nowMs });
    const finished = finishChange(model, plan, state, { current, entry: replaced, sent: body });
    const signed = addActors(model, plan, state, input, { current, entry: finished, sent: body });
    const entry = replaceFile(model, plan, signed, input);
    return {
      next: setEntry(model, plan, state, { current, entry }),
      result: { entry, status: getOtherStatus(plan, 201) },
    };
  });
  const [entry] = followMembers(context.read(), plan.resource, [changed.entry]);
  const response = respond(model, plan, input, { status: changed.status, state: context.read(), entry });
  return addNotes(model, plan, response, [sent]);
}

/** Handles the actions `replaceById` and `updateById`: changes the entry whose id is in the request body. */
async function changeById(model: ResourceModel, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { id } = plan.resource;
  const sent = getBody(model, plan, input);
  // The id of a profile can be that of its user.
  const value = getKeyValue(sent, id) ?? getKeyValue(addSender(model, plan, context.read(), input, sent), id) ?? '';
  const isNew = value === '' && plan.route.responses.some(({ name }) => name === '201');
  if (isNew && plan.action === 'replaceById') return create(model, plan, input, context);
  if (!isPathSegment(value))
    throw new DomainError('id-missing', `the body has no ${id.property}: add the id of the entry to change`);
  const byPath = withPath(input, { ...input.path, [id.parameter]: value });
  return plan.action === 'updateById' ? update(model, plan, byPath, context) : replace(model, plan, byPath, context);
}

async function update(model: ResourceModel, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { path } = input;
  const operations = findPatch(model.reader, plan.route, input);
  const patch = operations ? {} : { ...model.getQueryChanges(plan, input.query), ...getBody(model, plan, input) };
  const entry = await context.update((state, nowMs) => {
    requireParents(model, state, plan, path);
    const stored = findEntry(plan, state, path);
    const current = stored ?? model.getInitialSingleton(plan.resource, plan.mount, path);
    if (!current) throw createNotFound(plan, path);
    requireVersion(model, plan, input, { state, current });
    requireAllowedValues(model, plan, patch);
    const result = operations
      ? patchEntry(model, plan, operations, { input, state, current, nowMs })
      : model.updateEntry(plan, current, (old) => applyChange(plan, old, patch), patch, nowMs);
    const sent = operations ? listChanges(current, result) : patch;
    const followed = followState(model, plan, { current, entry: result, sent, nowMs });
    const finished = finishChange(model, plan, state, { current, entry: followed, sent });
    const signed = addActors(model, plan, state, input, { current, entry: finished, sent });
    const kept = replaceFile(model, plan, signed, input);
    return { next: setEntry(model, plan, state, { current: stored, entry: kept }), result: kept };
  });
  const response = respond(model, plan, input, { status: plan.route.successStatus, state: context.read(), entry });
  return addNotes(model, plan, response, [patch]);
}

/** Returns an entry with the properties of a request. A PUT replaces the objects in it, and a PATCH changes them. */
function applyChange({ route }: Plan, old: Entry, sent: Entry): Entry {
  if (route.method !== 'PUT') return applyMergePatch(old, sent) as Entry;
  const removed = Object.keys(sent).filter((name) => sent[name] === null);
  return omitKeys({ ...old, ...sent }, removed);
}

/** Returns the properties that a changed entry has, and that the current one lacks or has with other values. */
function listChanges(current: Entry, changed: Entry): Entry {
  return Object.fromEntries(
    Object.entries(changed).filter(([name, value]) => name !== PATH_VALUES && current[name] !== value),
  );
}

/** Handles an action such as `POST /tasks/{taskId}/complete`. */
async function act(model: ResourceModel, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  if (plan.bulk) return actOnSeveral(model, plan, plan.bulk, input, context);
  const entry = await context.update((state, nowMs) => {
    requireParents(model, state, plan, input.path);
    const current = findEntry(plan, state, input.path);
    if (!current || !plan.effect) throw createNotFound(plan, input.path);
    requireVersion(model, plan, input, { state, current });
    const entry = applyAction(model, plan, plan.effect, { state, nowMs, input, current });
    const signed = addActors(model, plan, state, input, { current, entry, sent: toNode(input.body) });
    const result = replaceFile(model, plan, signed, input);
    return { next: result === current ? state : setEntry(model, plan, state, { current, entry: result }), result };
  });
  const { members, files: [file] = [] } = plan.effect ?? {};
  const urlPath = file !== undefined && plan.hidesEntry ? locateFileUrl(model.reader, plan.route) : undefined;
  if (file !== undefined && urlPath) return respondWithValue(model, plan, urlPath, entry[file]);
  if (members?.responsePath) return respondWithMember(model, plan, members, { input, state: context.read(), entry });
  const response = respond(model, plan, input, { status: plan.route.successStatus, state: context.read(), entry });
  const note = members && explainNoMember(members, input);
  if (note !== undefined) return { ...response, notes: [note] };
  return plan.effect?.setsBody ? addNotes(model, plan, response, [getBody(model, plan, input)]) : response;
}

/** Returns a response with the member that an action has added to an entry, or has changed. */
function respondWithMember(
  model: ResourceModel,
  plan: Plan,
  members: MemberChange,
  { input, state, entry }: { readonly input: Input; readonly state: State; readonly entry: Entry },
): HandlerResponse {
  const { resource, route } = plan;
  const [shown = entry] = model.derived.add(state, resource, [entry]);
  const member = getShownMember(model, plan, members, shown, input);
  const { responsePath = [] } = members;
  if (Array.isArray(member) && responsePath.length === 0) return { status: route.successStatus, body: member };
  return respondWithValue(model, plan, responsePath, member);
}

/** Returns a response that has only one value of an entry, at the property names `path`. */
function respondWithValue(
  model: ResourceModel,
  { route }: Plan,
  path: readonly string[],
  own: unknown,
): HandlerResponse {
  const { value, generated } = model.completeResponse(route, setInner({}, path, own));
  return { status: route.successStatus, body: value, generated };
}

/** Handles a change of a password, such as `POST /me/password`. */
async function setPassword(model: ResourceModel, plan: Plan, input: Input, context: Context): Promise<HandlerResponse> {
  const { resource: users, passwords, requestPath, route } = plan;
  const sent = toNode(getInner(input.body, requestPath));
  const entry = await context.update((state) => {
    const current = findEntry(plan, state, input.path);
    if (!current || !passwords) throw createNotFound(plan, input.path);
    const changed = changePassword(users, current, passwords, sent);
    return { next: setEntry(model, plan, state, { current, entry: changed }), result: changed };
  });
  return respond(model, plan, input, { status: route.successStatus, state: context.read(), entry });
}

/** Returns a copy of a state in which `entry` replaces `current`. If `current` is undefined, adds `entry`. */
function setEntry(
  { reader, inference }: ResourceModel,
  { resource }: Plan,
  state: State,
  { current, entry }: { readonly current: Entry | undefined; readonly entry: Entry },
): State {
  const list = getEntryList(state, resource);
  if (!current) return setEntries(state, resource, appendEntry(list, entry));
  const next = setEntries(state, resource, replaceEntry(list, current, entry));
  return resource === inference.users ? renameUser(reader, inference, next, current, entry) : next;
}

/**
 * Returns whether a PUT creates a missing entry: if 201 is documented, the PUT has no body, no POST creates entries and
 * the text does not say `Update`, or the resource is a singleton.
 */
function canCreateAtPath({ reader }: ResourceModel, { route, resource }: Plan): boolean {
  const hasNoBody = Object.keys(route.bodyMedia).length === 0;
  const isDocumented = route.responses.some(({ name }) => name === '201');
  if (resource.kind === 'singleton' || hasNoBody || isDocumented) return true;
  const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
  const text = `${summary} ${description}`;
  const onlyUpdates = !resource.canCreate && UPDATES.test(text) && !CREATES.test(text);
  return !resource.canPost && !onlyUpdates;
}

const UPDATES = /\b(?:updat|edit|modif|chang)\w*/i;
const CREATES = /\b(?:creat|add|upsert|insert|sav|stor|put|set)\w*/i;
