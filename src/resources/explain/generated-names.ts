import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { normalizeName } from '../../util/names.ts';
import { findChangedNumber } from '../actions/bulk-actions.ts';
import { isRequestTime } from '../actions/request-times.ts';
import { getEnvelopeValues } from '../document/envelopes.ts';
import { isUpload } from '../entries/file-properties.ts';
import { listComputed } from '../entries/nested-defaults.ts';
import { findNestedNames } from '../entries/nested-names.ts';
import { locateFileUrl } from '../entries/uploads.ts';
import type { Effect, Plan, Resource } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { PASSWORD } from '../responses.ts';
import { listSigned } from '../users/ownership.ts';
import { listFlagNames } from '../users/sender-flags.ts';
import { TOKEN_NAMES } from '../users/users.ts';
import type { Embedded } from '../values/embedded.ts';

/** The properties of entries that responses require, and whose values the server generates. */
interface GeneratedNames {
  /** Those that no request can have. */
  readonly never: readonly string[];
  /** Those that a request can lack. */
  readonly sometimes: readonly string[];
  /** Passwords, which are masked. */
  readonly masked: readonly string[];
}

const NONE: GeneratedNames = { never: [], sometimes: [], masked: [] };

/** Returns the properties that only the response of an action has, and whose values are generated. */
export function listGeneratedByAction(model: ResourceModel, plan: Plan): readonly string[] {
  const { route, resource, responsePath, hidesEntry } = plan;
  const { reader } = model;
  const response = reader.getResponseSchema(route, route.successStatus) ?? '';
  const shown = response === '' ? undefined : reader.getInner(response, hidesEntry ? [] : responsePath);
  if (shown === undefined) return [];
  const own = [resource.schema, ...(resource.otherSchemas ?? [])].flatMap((schema) => [
    ...reader.getProperties(schema).keys(),
  ]);
  const known = [...own.map(normalizeName), ...getSetNames(model)(resource).known];
  const envelope = getEnvelopeValues(reader, model.contract.isValid, route, route.successStatus);
  const isId = (name: string) => ['id', `${normalizeName(resource.singular)}id`].includes(normalizeName(name));
  const numbers = [...reader.getProperties(shown)].filter(([, schema]) => reader.allowsNumber(schema));
  const file = plan.effect?.files && hidesEntry ? locateFileUrl(reader, route)?.[0] : undefined;
  const changed = plan.bulk ? findChangedNumber(numbers.map(([name]) => name)) : undefined;
  return reader
    .getRequired(shown)
    .filter(
      (name) =>
        name !== changed &&
        name !== file &&
        !known.includes(normalizeName(name)) &&
        !Object.hasOwn(envelope, name) &&
        !isId(name) &&
        !isRequestTime(route, name),
    );
}

/** Returns the properties of the entries in a response whose values can be generated. */
export function listGenerated(model: ResourceModel, plan: Plan): GeneratedNames {
  const { route, action, resource, responsePath, hidesEntry, owner } = plan;
  const { reader } = model;
  const isShown = ['list', 'read', 'create', 'replace', 'update', 'copy'].includes(action) && !hidesEntry && !owner;
  const response = isShown ? reader.getResponseSchema(route, route.successStatus) : undefined;
  const inner = response === undefined ? undefined : reader.getInner(response, responsePath);
  const set = getSetNames(model)(resource);
  if (inner === undefined || !set.isCreated || resource.memberOf !== undefined) return NONE;
  const required = reader.getRequired(reader.getItems(inner) ?? inner);
  const masked = required.filter((name) => PASSWORD.test(normalizeName(name)));
  // The token of the request is shown.
  const isToken = (name: string) => plan.isSender === true && TOKEN_NAMES.includes(normalizeName(name));
  const isId = (name: string) => normalizeName(name) === `${normalizeName(resource.singular)}id`;
  const isKnown = (name: string) => set.known.has(normalizeName(name));
  const isSent = (name: string) => set.sent.has(normalizeName(name));
  const envelope = getEnvelopeValues(reader, model.contract.isValid, route, route.successStatus);
  const isSet = (name: string) => Object.hasOwn(envelope, name) || isRequestTime(route, name);
  const open = required.filter(
    (name) => !isKnown(name) && !isId(name) && !masked.includes(name) && !isToken(name) && !isSet(name),
  );
  const shown = reader.getProperties(reader.getItems(inner) ?? inner);
  const embedded = model.derived
    .getEmbedded(resource)
    .flatMap((one) => (shown.has(one.property) ? listGeneratedInside(model, one) : []));
  const inside = [...embedded, ...listUncounted(model, resource, shown)];
  return {
    never: [...open.filter((name) => !isSent(name)), ...inside.filter((one) => !one.isSent).map(getName)],
    sometimes: [...open.filter(isSent), ...inside.filter((one) => one.isSent).map(getName)],
    masked,
  };
}

/** Returns the properties by which the path of a list selects its entries although no operation sets them. */
export function listUnset(model: ResourceModel, { action, resource, mount }: Plan): readonly string[] {
  const { isCreated, known, sent } = getSetNames(model)(resource);
  const isOwn = mount.collection === resource.mounts[0]?.collection;
  if (action !== 'list' || isOwn || !isCreated) return [];
  const effects = [...model.inference.plans.values()].flatMap(({ resource: of, effect }) =>
    of === resource && effect ? listChanged(effect) : [],
  );
  const set = new Set([...known, ...sent, ...effects.map(normalizeName)]);
  return mount.parents.flatMap(({ property, isSender }) => {
    const isOther = property === undefined || property.includes('.') || isSender === true;
    return isOther || set.has(normalizeName(property)) ? [] : [property];
  });
}

function listChanged({ values, time, counter, toggles, copies, members, files, assigns }: Effect): readonly string[] {
  const names = [time?.property, counter?.property, toggles, members?.list, assigns?.to];
  const lists = [values.map(({ property }) => property), copies?.map(({ to }) => to), files];
  return [...names, ...lists.flat()].filter((name) => name !== undefined);
}

/**
 * Returns the lists beside an entry in a response that are left out, because nothing says what they have: `messages` in
 * `{ thread, messages }`.
 */
export function listOmitted(
  { reader }: ResourceModel,
  { route, action, responsePath, owner }: Plan,
): readonly string[] {
  const response = action === 'read' && !owner ? reader.getResponseSchema(route, route.successStatus) : undefined;
  const around = response === undefined ? undefined : reader.getInner(response, responsePath.slice(0, -1));
  if (around === undefined || responsePath.length === 0) return [];
  const required = reader.getRequired(around);
  return [...reader.getProperties(around)].flatMap(([name, pointer]) => {
    const items = reader.getItems(pointer);
    const isList = items !== undefined && reader.isObject(items) && name !== responsePath.at(-1);
    return isList && !required.includes(name) ? [name] : [];
  });
}

function getName({ name }: { readonly name: string }): string {
  return name;
}

/** Returns the numbers that are not computed in objects with other numbers, such as `stats.views`. */
function listUncounted(
  { reader, derived }: ResourceModel,
  resource: Resource,
  shown: ReadonlyMap<string, string>,
): readonly { readonly name: string; readonly isSent: boolean }[] {
  return derived.getCounts(resource).flatMap(({ property, inside }) => {
    const known = inside?.map((one) => one.property) ?? [];
    const required = inside ? reader.getRequired(shown.get(property) ?? '') : [];
    return required.flatMap((name) => (known.includes(name) ? [] : { name: `${property}.${name}`, isSent: false }));
  });
}

/** Returns the values in the entries that a property shows which can be generated, such as `author.bio`. */
function listGeneratedInside(
  model: ResourceModel,
  { property, resource, schema, value, shows }: Embedded,
): readonly { readonly name: string; readonly isSent: boolean }[] {
  const { isCreated, known, sent } = getSetNames(model)(resource);
  const single = value ?? shows;
  const required = model.reader.getRequired(schema);
  const names = single === undefined ? required : required.filter((name) => name === single);
  const open = names.filter((name) => isCreated && !known.has(normalizeName(name)));
  return open.map((name) => ({
    name: single === undefined ? `${property}.${name}` : property,
    isSent: sent.has(normalizeName(name)),
  }));
}

/**
 * Returns the properties that every new entry has, and those that requests can have.
 * `isCreated` in the result: whether an operation creates entries, and it is no upload, which sets further properties.
 */
const getSetNames = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((resource: Resource) => {
    const { reader, inference, derived } = model;
    const plans = [...inference.plans.values()].filter((plan) => plan.resource === resource);
    const isCreation = ({ action, login }: Plan) => action === 'create' || login?.isRegistration === true;
    const creations = plans.filter(isCreation);
    const isCreated = creations.length > 0 && !creations.some(({ route }) => isUpload(route));
    const bodies = plans.flatMap((plan) => {
      const body = reader.getRequestInner(plan.route, plan.requestPath);
      const own = body === undefined ? undefined : (reader.getItems(body) ?? body);
      return own === undefined ? [] : [{ plan, own }];
    });
    const required = bodies.filter(({ plan }) => isCreation(plan)).map(({ own }) => reader.getRequired(own));
    const [first = [], ...others] = required.length === creations.length ? required : [];
    const { id, mounts } = resource;
    const names = [
      ...first.filter((name) => others.every((one) => one.includes(name))),
      ...creations.flatMap((plan) => [
        ...model.getTimeNames({ ...plan, action: 'create' }),
        ...listSigned(model, plan),
        ...Object.keys(model.getEmptyValues(plan)),
        ...Object.keys(model.getRequestDefaults(plan)),
        ...(plan.takes ? [plan.takes.property] : []),
      ]),
      ...mounts.flatMap(({ tree }) => tree?.children ?? []),
      ...[id, ...creations.flatMap(({ mount }) => mount.parents)].flatMap(
        ({ property }) => property?.split('.')[0] ?? [],
      ),
      ...Object.keys(model.getDefaults(resource)),
      ...Object.keys(model.getInitialValues(resource)),
      ...listComputed(derived, resource),
      ...listFlagNames(reader, inference, resource),
    ];
    const sent = bodies.flatMap(({ plan, own }) => [
      ...reader.getProperties(own).keys(),
      ...findNestedNames(model)(plan).map(({ object }) => object),
    ]);
    return { isCreated, known: new Set(names.map(normalizeName)), sent: new Set(sent.map(normalizeName)) };
  }),
);
