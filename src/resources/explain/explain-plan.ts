import { requiresCredentials } from '../../openapi/security.ts';
import { isIdName } from '../../util/names.ts';
import { describeAction, describeEffect, splitActionWords } from '../actions/describe-actions.ts';
import { getMarkSegment } from '../actions/marks.ts';
import { isStateVerb } from '../actions/states.ts';
import { addArticle, getLastSegment, getParameterName, getParentPath, toTemplate } from '../document/names.ts';
import { isEnvelopeName } from '../document/schema-reader.ts';
import { describeTrashed } from '../entries/deletions.ts';
import { listChildren } from '../entries/entries.ts';
import { removeUploadWords } from '../entries/file-properties.ts';
import { refusesExisting, updatesExisting } from '../entries/refused-creations.ts';
import { findNamedParent, isShared } from '../entries/require-entries.ts';
import { describeLinks, describeRefusingBelow, listUnlinked } from '../entries/unlink-entries.ts';
import { getShownLists } from '../lists/count-entries.ts';
import { getAllListParameters } from '../lists/unshown-filters.ts';
import { describeView } from '../lists/views.ts';
import type { Action, BulkAction, Derived, Effect, Login, Mount, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { listDeletionPasswords } from '../users/deletion-passwords.ts';
import { findOtherLogins } from '../users/first-users.ts';
import { describeMemberChange } from '../users/member-lists.ts';
import { listOwnResources } from '../users/own-state.ts';
import { getRelationFlags, getSenderFlags } from '../users/sender-flags.ts';
import { listKeptUsers } from '../users/user-links.ts';
import { OWN_USER } from '../users/users.ts';
import { describeDerived, describeTimed } from '../values/derived.ts';
import { describeEmbedded } from '../values/embedded.ts';
import { describeTotal } from '../values/totals.ts';
import { describe, describeBody, describeParameters, describeSelection } from './explain-list.ts';
import { describeValues } from './explain-values.ts';
import { listGeneratedByAction } from './generated-names.ts';

const VERBS: Readonly<Record<Action, string>> = {
  list: 'lists',
  create: 'creates',
  read: 'reads',
  replace: 'replaces',
  replaceById: 'replaces',
  update: 'updates',
  updateById: 'updates',
  delete: 'deletes',
  clear: 'deletes all',
  act: 'changes',
  copy: 'creates a copy of',
  restore: 'restores',
  count: 'counts',
  logIn: 'logs in',
  logOut: 'logs out',
  setPassword: 'changes the password of',
};

/**
 * Describes the numbers and lists in a response, what the query parameters do, and the properties that are generated,
 * because nothing says what they count.
 */
function explainCounts(model: ResourceModel, plan: Plan): string {
  const { reader } = model;
  const { route, responsePath, counts = [], isSender, resource } = plan;
  const { lists, selector, totals, repeated, times, parameters } = getShownLists(model)(plan);
  const schema = reader.getInner(reader.getResponseSchema(route, route.successStatus) ?? '', responsePath) ?? '';
  const known = [...counts.map(({ property }) => property), ...totals, ...repeated.keys(), ...times];
  const others = [...reader.getProperties(schema).keys()].filter(
    (name) => !isEnvelopeName(name) && !known.includes(name),
  );
  const required = reader.getRequired(schema);
  const uncounted = counts.flatMap(({ property, inside }) =>
    listUncounted(reader, inside, reader.getProperties(schema).get(property)).map((name) => `${property}.${name}`),
  );
  const generated = [...others.filter((name) => required.includes(name)), ...uncounted];
  const omitted = others.filter((name) => !required.includes(name));
  const isWhole = counts.some(({ property }) => property === '');
  const named = counts.map((derived) => {
    const { view } = lists.find((list) => list.derived === derived) ?? {};
    return [describeDerived(derived), ...(view ? describeView(view) : [])].join(' ');
  });
  const details = [
    `${describeCounts(counts)} ${[...named, ...totals].join(', ')}${isSender ? ` of the ${resource.singular} who sends the request` : ''}`,
    ...describe(
      `only those of the ${model.inference.users?.singular} who sends the request`,
      listOwnResources(model)(plan).map(({ name }) => name),
    ),
    ...describe('selects lists by', selector === undefined ? [] : [selector]),
    ...describeParameters(parameters),
    ...(isWhole ? [] : [...describe('generates', generated), ...describe('leaves out', omitted)]),
  ];
  return details.join('; ');
}

/** Returns the required properties of an object with counts, such as `tasks`, that count nothing. */
function listUncounted(
  reader: ResourceModel['reader'],
  inside: readonly Derived[] | undefined,
  schema: string | undefined,
): readonly string[] {
  if (!inside || schema === undefined) return [];
  const known = inside.map(({ property }) => property);
  return reader.getRequired(schema).filter((name) => !known.includes(name));
}

function describeCounts(counts: readonly Derived[]): string {
  if (counts.every(({ texts }) => texts !== undefined)) return 'lists';
  return counts.some(({ shown }) => shown) ? 'shows:' : 'counts:';
}

/** Describes an action, such as `completes a task: status → "done"`. */
function explainEffect(model: ResourceModel, plan: Plan, effect: Effect): string {
  const { resource, route } = plan;
  if (effect.members) return describeMemberChange(effect.members, nameEntry(resource));
  const verb = plan.bulk?.verb ?? getMarkSegment(route);
  const setsOnlyBody = effect.setsBody && effect.values.length === 0 && !effect.time;
  const isPart = ['PUT', 'PATCH'].includes(route.method) && setsOnlyBody && !isStateVerb(verb);
  // `PUT /tasks/{taskId}/assignee` names the property, and `POST /tasks/{taskId}/assign` what is done.
  const isRole = effect.assigns !== undefined && !/assign$/i.test(verb);
  const entry = plan.bulk ? nameEntries(resource, plan.bulk) : nameEntry(resource);
  const request = model.reader.getRequestSchema(route);
  const sent = request === undefined ? [] : [...model.reader.getProperties(request).keys()];
  const file = effect.files && removeUploadWords(getLastSegment(route.path));
  const what =
    file !== undefined
      ? `${route.method === 'DELETE' ? 'removes' : 'changes'} the ${splitActionWords(file || 'file').join(' ')} of ${entry}`
      : plan.archives !== undefined
        ? describeAction(plan.archives, effect, entry, [])
        : route.method === 'DELETE'
          ? `undoes ${JSON.stringify(verb)} of ${entry}`
          : isPart || isRole
            ? `changes the ${verb} of ${entry}`
            : describeAction(verb, effect, entry, sent);
  const generated = inBrackets(describe('generates', listGeneratedByAction(model, plan)));
  return `${what}: ${describeEffect(effect, getSenderFlags(model.inference, resource))}${generated}`;
}

/** Describes the deletion or the restoration of several entries, such as `moves the alerts in ids to the trash`. */
function explainSeveral(model: ResourceModel, plan: Plan, bulk: BulkAction): string {
  const entries = nameEntries(plan.resource, bulk);
  if (plan.action === 'restore') return `restores ${entries} that were deleted, with what was deleted with them`;
  if (plan.resource.trashOf) return `deletes ${nameEntries(plan.resource.trashOf, bulk)} for good`;
  const what = plan.trash ? `moves ${entries} to the trash` : `deletes ${entries}`;
  return `${what}${inBrackets(describeDeletion(model, plan))}`;
}

/** Names the entries that an action changes: `all alerts`, or `the alerts in ids`. */
function nameEntries({ name }: Pick<Resource, 'name'>, { ids }: BulkAction): string {
  return ids === undefined ? `all ${name}` : `the ${name} in ${ids.length === 0 ? 'the body' : ids.join('.')}`;
}

/** Describes a list of the users who follow a user, or whom a user follows. */
function explainFollows(model: ResourceModel, plan: Plan, { list, items }: NonNullable<Plan['follows']>): string {
  const { singular, name } = plan.resource;
  const whose = plan.isSender ? `the ${singular} who sends the request` : addArticle(singular);
  const who = list === 'followers' ? `who follow ${whose}` : `whom ${whose} follows`;
  const details = items === undefined ? describeList(model, plan).join('; ') : '';
  const what = items === undefined ? '' : 'the ids of ';
  return `lists ${what}the ${name} ${who}${details === '' ? '' : ` (${details})`}`;
}

/** Describes which user it is who sends a request without credentials. */
function describeFirst({ inference }: ResourceModel, { route }: Plan): readonly string[] {
  if (!inference.hasLogin) return ['the first one, because no operation logs in'];
  return requiresCredentials(route) ? [] : ['without a token: the first one'];
}

/**
 * Describes an operation on the user who sends the request, such as `reads the user who sends the request`.
 * `deleted`: what happens to other entries when the user is deleted.
 */
function explainOwn(model: ResourceModel, plan: Plan, deleted: readonly string[]): string {
  const values = [...describeFirst(model, plan), ...(plan.action === 'delete' ? deleted : describeValues(model, plan))];
  const user = `the ${plan.resource.singular} who sends the request`;
  return `${describeTrashed(plan, user) ?? `${getVerb(model, plan)} ${user}`}${inBrackets(values)}`;
}

/** Describes what an operation does, such as `lists pets of /owners/{ownerId} (filters: status; ignores: q)`. */
export function explainPlan(model: ResourceModel, plan: Plan): string {
  const { action, resource, mount, route, effect } = plan;
  if (effect) return explainEffect(model, plan, effect);
  if (plan.bulk) return explainSeveral(model, plan, plan.bulk);
  if (action === 'count') return explainCounts(model, plan);
  if (plan.login) return explainLogin(model, plan, plan.login);
  if (plan.follows) return explainFollows(model, plan, plan.follows);
  if (action === 'logOut') return `logs out the ${resource.singular} who sends the request`;
  const deleted = action === 'delete' || action === 'clear' ? describeDeletion(model, plan) : [];
  if (plan.isSender) return explainOwn(model, plan, deleted);
  const member = describeMember(model, plan);
  const target = nameTarget(plan);
  const below = mount.parents.length > 0 && plan.marked === undefined ? ` of ${nameParent(model, mount)}` : '';
  const details = [
    ...(action === 'list' || action === 'read'
      ? [
          ...describe('computes', [
            ...model.derived.getCounts(resource).map(describeDerived),
            ...model.derived.getTotals(resource).map(describeTotal),
            ...model.derived.getTimed(resource).map(describeTimed),
            ...(action === 'list' ? model.responses.getSums(plan).map(describeTotal) : []),
            ...model.derived.getFollows(resource, mount.shown ?? resource.schema).map(({ property }) => property),
            ...getRelationFlags(model.reader, model.inference, resource).map(
              ({ property, resource: list }) => `${property} (${list.name})`,
            ),
          ]),
          ...describe('shows', [
            ...model.derived.getEmbedded(resource).map(describeEmbedded),
            ...model.derived.getParts(resource).flatMap((part) => describePart(model, part)),
          ]),
        ]
      : []),
    ...(isOwnSingleton(model, plan) ? ['one for everyone, because the document has no users'] : []),
    ...describe('omits, because its schemas exclude each other', listImpossible(model, plan)),
    ...[...describeSelection(model, plan), ...describeAccepted(model, plan)],
    ...describe('does not restore', plan.action === 'restore' ? listUnlinked(model, plan) : []),
    ...describe('shows deleted ones by', plan.trashQuery ? [plan.trashQuery.name] : []),
    ...(action === 'list' ? describeList(model, plan) : []),
    ...(model.canCreate(resource) || resource.kind === 'singleton'
      ? []
      : ['starts with examples or generated entries']),
    ...(isShared(model, plan) ? [`the same for each ${plan.mount.parents.at(-1)?.path}`] : []),
    ...describeBody(model.reader, route),
    ...(plan.takes ? [`takes all ${plan.takes.from.name}`] : []),
    ...describeValues(model, plan),
    ...deleted,
    ...(getParameterName(getLastSegment(route.path)) !== undefined && action === 'read' ? [describeId(plan)] : []),
    ...(plan.idInQuery === undefined ? [] : [`${describeId(plan)} in the query parameter ${plan.idInQuery}`]),
  ];
  const trashed = member === undefined ? describeTrashed(plan, `${nameEntry(resource)}${below}`) : undefined;
  return `${trashed ?? `${member ?? `${getVerb(model, plan)} ${target}`}${below}`}${inBrackets(details)}`;
}

/** Returns whether an operation is about a profile or similar, which is that of no user. */
function isOwnSingleton({ inference }: ResourceModel, { resource, mount }: Plan): boolean {
  const { users } = inference;
  return !users && resource.kind === 'singleton' && OWN_USER.test(getLastSegment(mount.collection));
}

/** Names the entry or the entries that an operation reads or changes. */
function nameTarget({ action, resource, mount }: Plan): string {
  if (action === 'list' || action === 'clear') return resource.name;
  return mount.ownKeys ? `the ${resource.singular}` : nameEntry(resource);
}

/**
 * Returns the property with the list in a response if no list is valid, because another schema describes the property
 * too: `data` as an object in an envelope that the response extends. Then the response lacks it.
 */
function listImpossible({ reader, contract }: ResourceModel, { route, responsePath, action }: Plan): readonly string[] {
  const [name, ...rest] = responsePath;
  const response = reader.getResponseSchema(route, route.successStatus);
  if (name === undefined || response === undefined || rest.length > 0 || action !== 'list') return [];
  const isOther = (schema: string) =>
    contract.getErrors(schema, []).some(({ keyword, instancePath }) => keyword === 'type' && instancePath === '');
  return reader.listPropertySchemas(response, name).some(isOther) ? [name] : [];
}

function inBrackets(details: readonly string[]): string {
  return details.length > 0 ? ` (${details.join('; ')})` : '';
}

/**
 * Describes what an operation does with a list such as `wishlist`, which has entries of another resource:
 * `adds a book to wishlist`.
 * Returns undefined for other lists, and for lists such as `members`, whose entries have a name of their own.
 */
function describeMember({ inference }: ResourceModel, { action, resource }: Plan): string | undefined {
  const { name, singular, memberOf } = resource;
  const shown = inference.resources.find((one) => one.name === memberOf);
  if (!shown || singular !== name) return undefined;
  const texts: Readonly<Partial<Record<Action, string>>> = {
    list: `lists the ${shown.name} of ${name}`,
    create: `adds ${addArticle(shown.singular)} to ${name}`,
    delete: `removes ${addArticle(shown.singular)} from ${name}`,
  };
  return texts[action];
}

/** Describes what the objects in a list of an entry show, such as `items.book (books by bookId)`. */
function describePart({ derived }: ResourceModel, part: Resource): readonly string[] {
  const shown = [...derived.getTotals(part).map(describeTotal), ...derived.getEmbedded(part).map(describeEmbedded)];
  return shown.map((text) => `${part.part?.property}.${text}`);
}

function getVerb(model: ResourceModel, plan: Plan): string {
  const { action, resource, route } = plan;
  // PUT without a body adds an existing entry to a parent, for example a user to a team.
  if (action === 'replace' && resource.kind === 'collection' && Object.keys(route.bodyMedia).length === 0)
    return 'adds';
  if (refusesExisting(model)(plan)) return 'creates';
  if (updatesExisting(model)(plan)) return 'creates or updates';
  return VERBS[action];
}

/** Returns the path of the innermost parent, or words for the user who sends the request. */
function nameParent({ inference: { users } }: ResourceModel, { parents, ownKeys }: Mount): string {
  const sender = `the ${users?.singular} who sends the request`;
  const parent = parents.at(-1);
  if (parent?.isSender) return sender;
  return ownKeys ? `${parent?.path} that is ${sender}` : `${parent?.path}`;
}

/** Describes the path parameters for which each value is accepted, because no list has such entries. */
function describeAccepted(model: ResourceModel, plan: Plan): readonly string[] {
  const { action, resource, mount } = plan;
  const isOwn = mount.collection === resource.mounts[0]?.collection;
  if (!['list', 'create'].includes(action) || !isOwn || isShared(model, plan)) return [];
  const places = model.findParents(mount);
  return mount.parents.flatMap((parent, index) => {
    const { isSender, property = 'id', path, parameter } = parent;
    const isNamed = action === 'create' && findNamedParent(model, parent) !== undefined;
    const isKnown = isNamed || places[index]?.length !== 0 || toTemplate(path) === toTemplate(mount.collection);
    const isId = isIdName(property) && !isSender;
    return isKnown || !isId ? [] : [`accepts each ${parameter}: no operation lists or creates ${getParentPath(path)}`];
  });
}

function describeId({ mount: { id, parents }, idInQuery, resource }: Plan): string {
  if (resource.pairedIds && parents.length === 0) return `id: ${id.property} of the first ${resource.singular}`;
  const names = [id.property, id.alias].filter((name) => name !== undefined);
  const place = idInQuery === undefined ? 'the id is only in the path' : 'the id is';
  return names.length === 0 ? place : `id: ${names.join(' or ')}`;
}

/**
 * Describes what happens to other entries when an entry is deleted: `also deletes: pets`, `keeps: visits`,
 * `removes: tasks.categoryId`.
 */
function describeDeletion(model: ResourceModel, plan: Plan): readonly string[] {
  if (plan.resource.trashOf) return [];
  const children = listChildren(model.inference, plan.resource);
  const links = describeLinks(model, plan);
  const isKept = plan.trash !== undefined && plan.trash !== plan.resource && !plan.isPermanent;
  const removal = isKept ? 'also moves' : 'also deletes';
  const isLinked = (name: string) => links.some(([, link]) => link.startsWith(`${name}.`));
  const below = describeRefusingBelow(model, plan);
  const named = [
    ...children
      .filter(({ name }) => !below.includes(name))
      .map(({ name, isDeleted }) => [isDeleted ? removal : 'keeps', name] as const),
    ...below.map((name) => ['refuses if it has', name] as const),
    ...links,
  ].filter(([label, name]) => label !== 'keeps' || !isLinked(name));
  const labelled = [
    ...listDeletionPasswords(model)(plan).map((name) => ['checks the password of the user in', name] as const),
    ...named,
    ...listKeptUsers(model, plan).map((name) => ['still shown in', name] as const),
  ];
  return [...new Set(labelled.map(([label]) => label))].flatMap((label) =>
    describe(
      label,
      labelled.flatMap(([own, name]) => (own === label ? name : [])),
    ),
  );
}

function describeList(model: ResourceModel, plan: Plan): readonly string[] {
  return describeParameters(getAllListParameters(model)(plan));
}

/** Describes a login, such as `logs in a user by email or refreshToken`. */
function explainLogin(
  { reader }: ResourceModel,
  { resource: users, tenantPlan }: Plan,
  { isRegistration, isTokenRefresh, isBasic, creates, credentials, refreshToken, clientId }: Login,
): string {
  const user = addArticle(users.singular);
  const tenant = tenantPlan?.resource;
  if (isRegistration)
    return `registers ${user} by ${credentials?.login}${tenant ? `, and creates ${addArticle(tenant.singular)}` : ''}`;
  if (isTokenRefresh) return `returns another token for ${user}`;
  if (isBasic) return `logs in ${user} by HTTP Basic`;
  if (!credentials && refreshToken !== undefined && clientId === undefined)
    return `returns another token for ${user} by the refresh token in ${refreshToken}`;
  const others = credentials ? findOtherLogins(reader, users, credentials.login) : [];
  const login = others.length > 0 ? `${credentials?.login} (the ${others.join(' or ')})` : credentials?.login;
  const names = [login, refreshToken, clientId].filter((name) => name !== undefined);
  return credentials || refreshToken !== undefined
    ? `logs in ${user} by ${names.join(' or ')}${creates ? `, and creates ${creates === 'any' ? 'an unknown one' : 'the first one'}` : ''}`
    : `returns a token for the client in ${clientId}`;
}

/**
 * Returns the singular name of a resource with its article, such as `a pet`.
 * The name of a singleton, such as `settings`, has no article.
 */
function nameEntry({ kind, singular }: Resource): string {
  return kind === 'singleton' ? singular : addArticle(singular);
}
