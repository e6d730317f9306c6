import { DomainError } from '../../application.ts';
import type { Entry, State } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { isIdName, joinWords, normalizeName, removeAccents } from '../../util/names.ts';
import { isNegated, listSentences, readResponseText } from '../document/document-texts.ts';
import { listRequestNames } from '../document/locate.ts';
import { addArticle } from '../document/names.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findReferences } from '../inference/references.ts';
import type { PathKey, Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { getEntryList } from './entries.ts';
import { findByKeys } from './entry-lists.ts';
import { createPropertyKey, getKeyValue, getOwn } from './entry-values.ts';

/**
 * Matches texts about values that no two entries have in common, without accents, also in other languages in which
 * documents are often written.
 */
const EQUAL =
  /\bexists?\b|\balready\b|\btaken\b|\bduplicate|\bunique\b|\bin use\b|\b(?:existe|deja|bereits|existiert|vergeben|duplicad[oa]|en uso|em uso|esiste|gia)\b/i;

/** Matches what follows the name of a property that must be unique, after at most three other words. */
const USED =
  /^(?:\S+ ){0,3}?(?:already (?:exists?|used|taken|registered|in use)|exists?|(?:is|are|was|been) (?:already )?(?:used|taken|in use|registered)|must be unique|(?:ya |ja |gia )?existe|esiste|existiert|deja (?:utilise|pris|existant|enregistre|present)e?|bereits (?:vergeben|verwendet|vorhanden|benutzt|belegt)|vergeben|duplicad[oa]|en uso|em uso|gia (?:in uso|usat[oa]))\b/;

/** Matches what precedes the name of a property that must be unique. */
const SAME = /\b(?:duplicate|unique|with (?:this|that|the|the same|the given|such an?)|same)$/;

/** Matches what precedes the name of a property that only says which entries are meant: `for this` in a text. */
const ABOUT =
  /\b(?:for|in|on|of|by|at|to|from|during|under|within|per|pour|dans|sur|par|para|en|em|fur|auf|im|zu|nel|nella)(?: (?:this|that|the|an?|same|given|its|ce|cet|cette|le|la|un|une|este|esta|el|o|diese[rsnm]?|de[nmr]|das|questo|questa|il))*$/;

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
  /** The properties that are unique only together with another one: `price` of `the same name and price`, by `name`. */
  readonly beside: ReadonlyMap<string, readonly string[]>;
}

/**
 * Returns the properties whose values an operation refuses if another entry has them: those that the description or an
 * example of its 409 names, or whose own descriptions say `unique`. If it says only that the entry exists, it is the
 * required `name` or `code`.
 */
export const findUniqueNames = memoizeByObject((model: ResourceModel) =>
  memoizeByObject((plan: Plan): UniqueNames => {
    const { reader, inference } = model;
    const { route, resource, requestPath } = plan;
    const conflict = route.responses.find(({ name }) => name === '409');
    const isWrite = ['create', 'replace', 'update'].includes(plan.action) && plan.idInQuery === undefined;
    if (!conflict || !isWrite || resource.schema === '' || resource.kind !== 'collection') return NONE;
    const text = readResponseText(reader, route, '409');
    if (!EQUAL.test(text)) return NONE;
    const properties = reader.getProperties(resource.schema);
    const isFree = (name: string) => resource !== inference.users || !inference.loginNames.includes(name);
    const sent = listRequestNames(reader, route, requestPath).filter((name) => {
      const types = reader.getTypes(properties.get(name) ?? '');
      return name !== resource.id.property && isFree(name) && properties.has(name) && types.includes('string');
    });
    const words = ` ${joinWords(text.replaceAll(/e-mail/gi, 'email'))} `;
    const isNamed = (name: string) => words.includes(` ${joinWords(removeAccents(name))} `);
    const identifying = sent.filter((name) => isNamed(name) && IDENTIFYING.test(normalizeName(name)));
    const others = findOtherName(reader, plan, text).filter((name) => sent.includes(name));
    const named = identifying.length > 0 ? identifying : others;
    const required = (resource.requiredToCreate ?? []).filter((name) => sent.includes(name));
    const usual = EXISTS.test(text)
      ? NAMES.flatMap((one) => required.find((name) => normalizeName(name) === one) ?? [])
      : [];
    const references = findReferences(reader, inference, resource.schema, resource);
    const within = references.filter(({ target }) => isNamed(target.singular)).map(({ property }) => property);
    const described = sent.filter((name) => isDescribedUnique(reader, properties.get(name) ?? '', name));
    const stated = [...new Set([...named, ...described])];
    const names = stated.length > 0 ? stated : usual.slice(0, 1);
    const isBeside = (name: string, other: string) =>
      !stated.includes(other) && words.includes(` ${joinWords(name)} and ${joinWords(other)} `);
    const beside = new Map(
      named.map((name) => [name, [...properties.keys()].filter((other) => isBeside(name, other))] as const),
    );
    return { keys: names.map((name) => createPropertyKey(name, properties.get(name) ?? '')), within, beside };
  }),
);

/** Returns whether the description of a property says that its values are unique. An id of another entry is not. */
function isDescribedUnique(reader: SchemaReader, pointer: string, name: string): boolean {
  const text = String(reader.getKeyword(pointer, 'description') ?? '');
  return UNIQUE.test(text) && !isNegated(text) && !isIdName(name);
}

/** Matches texts about unique values, but not about ids, such as `Unique identifier of the order`. */
const UNIQUE = /\bunique\b(?! (?:[\w-]+ )?id(?:s|entifiers?)?\b)/i;

/**
 * Returns the only property of requests that a text names, if the text says that another entry has its value: `nom` for
 * `An edition with this nom already exists`.
 * Other properties can say in which state an entry is, and when or where something takes place.
 */
function findOtherName(reader: SchemaReader, plan: Plan, text: string): readonly string[] {
  const { resource, route, requestPath } = plan;
  const sentences = listSentences(text).flatMap((one) => (isNegated(one) ? [] : [` ${joinWords(one)} `]));
  const listParts = (name: string) =>
    sentences.map((one) => one.split(` ${joinWords(removeAccents(name))} `)).filter(({ length }) => length > 1);
  const sent = listRequestNames(reader, route, requestPath);
  const [name, ...others] = sent.filter((one) => listParts(one).length > 0);
  const pointer = reader.getProperties(resource.schema).get(name ?? '');
  if (name === undefined || pointer === undefined || others.length > 0) return [];
  const isLimited = ['enum', 'const'].some((keyword) => reader.getKeyword(pointer, keyword) !== undefined);
  const isText = ['email', undefined].includes(reader.getKeyword(pointer, 'format') as string | undefined);
  const isOther = [resource.singular, ...OTHERS].some((one) => normalizeName(one) === normalizeName(name));
  if (isLimited || !isText || isOther || /(?:date|time|day|at|id)$/.test(normalizeName(name))) return [];
  const isUsed = listParts(name).some(([before = '', after = '']) => {
    return (USED.test(after) && !ABOUT.test(before)) || SAME.test(before);
  });
  return isUsed ? [name] : [];
}

/** Names of properties with the state of an entry, or with long texts. */
const OTHERS = ['status', 'state', 'stage', 'phase', 'type', 'kind', 'role', 'content', 'body', 'comment', 'message'];

const NONE: UniqueNames = { keys: [], within: [], beside: new Map() };

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
  const { keys, within, beside } = findUniqueNames(model)(plan);
  const { resource } = plan;
  const isNear = (other: Entry, unique: string) =>
    plan.mount.parents.every((key) => getKeyValue(other, key) === getKeyValue(entry, key)) &&
    [...within, ...(beside.get(unique) ?? [])].every((name) => getOwn(other, name) === getOwn(entry, name));
  const used = keys.find((key) => {
    const value = getOwn(entry, key.name);
    if (typeof value !== 'string' || !Object.hasOwn(sent, key.name)) return false;
    const equal = findByKeys(getEntryList(state, resource), [key], [value]);
    return equal.some((other) => other !== current && isNear(other, key.name));
  });
  return used?.name;
}
