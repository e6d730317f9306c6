import { listStateTimes } from '../actions/apply-action.ts';
import { listRequestNames } from '../document/locate.ts';
import { listUncheckedIds } from '../entries/add-entry.ts';
import { listFileProperties } from '../entries/file-properties.ts';
import { listUnshown } from '../entries/nested-names.ts';
import { refusesExisting } from '../entries/refused-creations.ts';
import { describeExpiry } from '../entries/server-values.ts';
import { findUniqueNames } from '../entries/unique-values.ts';
import { findOtherName } from '../inference/relations.ts';
import type { Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { listEditors, listSigned } from '../users/ownership.ts';
import { describe } from './explain-list.ts';
import { listGenerated, listOmitted, listUnset } from './generated-names.ts';

/** Describes the values that the server sets in an entry, and those that it generates in responses. */
export function describeValues(model: ResourceModel, plan: Plan): readonly string[] {
  const { never, sometimes, masked } = listGenerated(model, plan);
  return [
    ...describe('sets to the current time', model.getTimeNames(plan)),
    ...describe('sets with the state', listFollowing(model, plan)),
    ...describe('sets', describeExpiry(model.reader, plan)),
    ...describe('sets to the URL of the file', listFileUrls(model, plan)),
    ...describe('sets to the user who sends the request', [
      ...(['create', 'copy'].includes(plan.action) ? listSigned(model, plan) : listSignedId(model, plan)),
      ...listEditors(model, plan),
    ]),
    ...describe(
      'refers to a user by',
      [findOtherName(model.reader, model.inference.users, plan)?.from].flatMap((name) => name ?? []),
    ),
    ...(refusesExisting(model)(plan) ? ['refuses an existing one'] : []),
    ...describe(
      'refuses equal',
      findUniqueNames(model)(plan).keys.map(({ name }) => name),
    ),
    ...describe(
      'sets',
      Object.entries(plan.action === 'delete' ? {} : (plan.sets ?? {})).map(
        ([name, value]) => `${name} → ${JSON.stringify(value)}`,
      ),
    ),
    ...describe('accepts unknown ids in', changes(plan) ? listUncheckedIds(model, plan) : []),
    ...describe('never shows', listUnshown(model, plan)),
    ...describe('generates', never),
    ...describe('generates if missing', sometimes),
    ...describe('masks', masked),
    ...describe('no operation sets', listUnset(model, plan)),
    ...describe('leaves out', listOmitted(model, plan)),
  ];
}

/** Returns the id of an entry if a request without it changes the entry of its user: the `user_id` of a profile. */
function listSignedId(model: ResourceModel, plan: Plan): readonly string[] {
  const isById = plan.action === 'replaceById' || plan.action === 'updateById';
  return isById ? listSigned(model, plan).filter((name) => name === plan.resource.id.property) : [];
}

/** Returns the properties with the URL of the uploaded file. */
function listFileUrls({ reader }: ResourceModel, { resource, route, effect }: Plan): readonly string[] {
  const names = listFileProperties(reader, resource, route).map(({ property }) => property);
  return effect ? [] : [...new Set(names)];
}

/** Returns whether an operation creates or changes an entry by a request body. */
function changes({ action, effect }: Plan): boolean {
  return !effect && ['create', 'update', 'replace', 'updateById', 'replaceById'].includes(action);
}

/** Returns the times that follow a state in the request, such as `completedAt` for the status `completed`. */
function listFollowing(model: ResourceModel, { action, resource, route, requestPath }: Plan): readonly string[] {
  const isChange = ['update', 'replace', 'updateById', 'replaceById'].includes(action);
  return isChange ? listStateTimes(model, resource, listRequestNames(model.reader, route, requestPath)) : [];
}
