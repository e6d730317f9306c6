import { DomainError } from '../application.ts';
import { getTarget, isNode, toNode } from '../openapi/document.ts';
import type { Entry, State } from '../store/state.ts';
import { formatPointer } from '../util/json-pointer.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { joinWords, normalizeName } from '../util/names.ts';
import { getEntryList } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { createPropertyKey, getKeyValue, getOwn } from './entry-values.ts';
import { listRequestNames } from './locate.ts';
import { addArticle } from './names.ts';
import { findReferences } from './references.ts';
import type { PathKey, Plan } from './resource.ts';
import type { ResourceModel } from './resource-model.ts';

/** Matches texts about values that no two entries have in common. */
const EQUAL = /\bexists?\b|\balready\b|\btaken\b|\bduplicate|\bunique\b|\bin use\b/i;

/** Matches texts that say only that an equal entry exists, and texts about the state of an entry. */
const EXISTS = /\balready exists?\b|\bexists already\b|\bduplicate/i;

/** Matches the names of properties that identify an entry for people, without uppercase letters and separators. */
const IDENTIFYING =
  /(?:name|title|slug|code|sku|key|number|email|login|handle|label|domain|isbn|ean|barcode|serial|plate|phone|identifier|reference)$/;

/** Properties that identify an entry without being named, the best first, without uppercase letters and separators. */
const NAMES = ['slug', 'code', 'sku', 'key', 'name'];

/** The properties of an entry that must differ from those of other entries, and those within which they must differ. */
interface UniqueNames {
  readonly keys: readonly PathKey[];
  readonly within: readonly string[];
}

/**
 * Returns the properties whose values an operation refuses if another entry has them: those that the description or an
 * example of its 409 names. If it says only that the entry exists, it is the required `name` or `code`.
 */
export const findUniqueNames = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): UniqueNames => {
    const { reader, inference } = model;
    const { route, resource, requestPath } = plan;
    const conflict = route.responses.find(({ name }) => name === '409');
    const isWrite = ['create', 'replace', 'update'].includes(plan.action) && plan.idInQuery === undefined;
    if (!conflict || !isWrite || resource.schema === '' || resource.kind !== 'collection') return NONE;
    const described = toNode(getTarget(reader.document, `${route.pointer}/responses${formatPointer('409')}`));
    const examples = Object.values(conflict.media).flatMap((media) => media.examples.map(({ value }) => value));
    const text = [described.description, ...examples.flatMap(listTexts)].join(' ');
    if (!EQUAL.test(text)) return NONE;
    const properties = reader.getProperties(resource.schema);
    const isFree = (name: string) => resource !== inference.users || !inference.loginNames.includes(name);
    const sent = listRequestNames(reader, route, requestPath).filter((name) => {
      const types = reader.getTypes(properties.get(name) ?? '');
      return name !== resource.id.property && isFree(name) && properties.has(name) && types.includes('string');
    });
    const words = ` ${joinWords(text.replaceAll(/e-mail/gi, 'email'))} `;
    const isNamed = (name: string) => words.includes(` ${joinWords(name)} `);
    const named = sent.filter((name) => isNamed(name) && IDENTIFYING.test(normalizeName(name)));
    const required = (resource.requiredToCreate ?? []).filter((name) => sent.includes(name));
    const usual = EXISTS.test(text)
      ? NAMES.flatMap((one) => required.find((name) => normalizeName(name) === one) ?? [])
      : [];
    const references = findReferences(reader, inference, resource.schema, resource);
    const within = references.filter(({ target }) => isNamed(target.singular)).map(({ property }) => property);
    const names = named.length > 0 ? named : usual.slice(0, 1);
    return { keys: names.map((name) => createPropertyKey(name, properties.get(name) ?? '')), within };
  }),
);

/** Returns the texts with several words in an example of an error. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : [];
  return isNode(value) || Array.isArray(value) ? Object.values(value).flatMap(listTexts) : [];
}

const NONE: UniqueNames = { keys: [], within: [] };

/**
 * An entry of a request.
 * `current`: the entry before the change; undefined for a new entry.
 */
interface Change {
  readonly entry: Entry;
  readonly current: Entry | undefined;
  readonly sent: Entry;
}

/** Throws a `DomainError` if another entry has the value of a property that must be unique. */
export function requireUnique(model: ResourceModel, plan: Plan, state: State, change: Change): void {
  const name = findUsedName(model, plan, state, change);
  if (name === undefined) return;
  const text = `${addArticle(plan.resource.singular)} with the ${name} ${JSON.stringify(change.entry[name])}`;
  throw new DomainError('entry-exists', `${text} already exists: use another ${name}`);
}

/** Returns the first property that must be unique and whose value another entry has; undefined if there is none. */
export function findUsedName(
  model: ResourceModel,
  plan: Plan,
  state: State,
  { entry, current, sent }: Change,
): string | undefined {
  const { keys, within } = findUniqueNames(model)(plan);
  const { resource } = plan;
  const isNear = (other: Entry) =>
    plan.mount.parents.every((key) => getKeyValue(other, key) === getKeyValue(entry, key)) &&
    within.every((name) => getOwn(other, name) === getOwn(entry, name));
  const used = keys.find((key) => {
    const value = getOwn(entry, key.name);
    if (typeof value !== 'string' || !Object.hasOwn(sent, key.name)) return false;
    const equal = findByKeys(getEntryList(state, resource), [key], [value]);
    return equal.some((other) => other !== current && isNear(other));
  });
  return used?.name;
}
