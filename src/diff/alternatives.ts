import { isNode, type Node } from '../openapi/document.ts';
import { joinList } from '../util/text.ts';
import type { Delta, Direction, Effect } from './change.ts';
import { getConstraints, type Type } from './schema-constraints.ts';
import { createDelta, formatValue, type SchemaPair } from './schema-pair.ts';
import { createSchemaKey, type Part, readSubschema, type Schema, toCanonicalText } from './schema-parts.ts';
import { formatTypes } from './value-changes.ts';

/** An alternative of `oneOf` or `anyOf`, combined with the other parts of its schema. */
interface Alternative {
  readonly schema: Schema;
  /**
   * The `$ref` of the alternative, which identifies the alternative in the other document; undefined for an inline
   * schema.
   */
  readonly name: string | undefined;
  /** The only value of the alternative, formatted; undefined if it has several values. */
  readonly value?: string;
  readonly types: readonly Type[];
}

/** The `$ref` of the older schema and of the newer schema; undefined for an inline schema. */
export type SchemaReferences = readonly (string | undefined)[];

/** Compares two schemas, but not the component schemas to which they refer. */
export type ShallowCompare = (pair: SchemaPair, names: SchemaReferences) => readonly Delta[];

/** Returns whether to report a change. */
export type ChangeFilter = (change: Delta) => boolean;

/**
 * The alternatives (`oneOf` or `anyOf`) of the older and the newer schema.
 * `removed`: the older alternatives that no newer alternative includes.
 * `added`: the newer alternatives that no older alternative includes.
 * `compareAlternatives`: returns the changes between two alternatives.
 */
export interface AlternativeMatch {
  readonly before: readonly Alternative[];
  readonly after: readonly Alternative[];
  readonly removed: readonly Alternative[];
  readonly added: readonly Alternative[];
  readonly compareAlternatives: (one: Alternative, other: Alternative) => readonly Delta[];
}

/** Returns the alternatives of both schemas; undefined if there are too many. */
export function matchAlternatives(pair: SchemaPair, compareShallow: ShallowCompare): AlternativeMatch | undefined {
  const before = getAlternatives(pair.before, pair.direction);
  const after = getAlternatives(pair.after, pair.direction);
  if (before.length > MAX_ALTERNATIVES || after.length > MAX_ALTERNATIVES) return undefined;
  const compareAlternatives: AlternativeMatch['compareAlternatives'] = (one, other) =>
    compareShallow({ ...pair, before: one.schema, after: other.schema }, [one.name, other.name]);
  const removed = before.filter((one) => !after.some((other) => !compareAlternatives(one, other).some(narrows)));
  const added = after.filter((other) => !before.some((one) => !compareAlternatives(one, other).some(widens)));
  return { before, after, removed, added, compareAlternatives };
}

/**
 * Returns the changes for removed and added alternatives.
 * Does not report changes within an alternative that both schemas have.
 */
export function shallowAlternativeChanges(pair: SchemaPair, match: AlternativeMatch | undefined): readonly Delta[] {
  if (!match) return [createTooManyDelta(pair)];
  return [
    ...match.removed.map((one) => createAlternativeDelta(pair, 'narrower', one)),
    ...match.added.map((one) => createAlternativeDelta(pair, 'wider', one)),
    ...discriminatorChanges(pair),
    ...exclusivityChanges(pair, match),
  ];
}

/**
 * Returns the changes for removed and added alternatives.
 * Calls `later` with each older alternative and its newer counterpart, and with a filter of the changes to report.
 * `later` adds them to the queue of schemas to compare.
 */
export function alternativeChanges(
  pair: SchemaPair,
  match: AlternativeMatch | undefined,
  later: (pair: SchemaPair, keep: ChangeFilter) => void,
): readonly Delta[] {
  if (!match) return [createTooManyDelta(pair)];
  const { before, removed, added } = match;
  const partners = new Map(before.flatMap((one) => findCounterpart(one, match)));
  for (const [one, other] of partners) {
    const keep: ChangeFilter = (found) =>
      (!narrows(found) || removed.includes(one)) && (!widens(found) || added.includes(other));
    later({ ...pair, before: one.schema, after: other.schema }, keep);
  }
  const [kept, known] = [new Set(partners.keys()), new Set(partners.values())];
  return [
    ...removed.filter((one) => !kept.has(one)).map((one) => createAlternativeDelta(pair, 'narrower', one)),
    ...added.filter((one) => !known.has(one)).map((one) => createAlternativeDelta(pair, 'wider', one)),
    ...discriminatorChanges(pair),
    ...exclusivityChanges(pair, match),
  ];
}

function createTooManyDelta(pair: SchemaPair): Delta {
  return createDelta(pair, 'different', 'oneOf', 'has different alternatives');
}

function narrows({ effect }: Delta): boolean {
  return ['narrower', 'different', 'removed'].includes(effect);
}

function widens({ effect }: Delta): boolean {
  return ['wider', 'different', 'removed'].includes(effect);
}

/**
 * Returns the newer counterpart of an older alternative: the alternative with the same name, else an equal alternative,
 * else the only added alternative with the same types.
 */
function findCounterpart(
  one: Alternative,
  { removed, added, after, compareAlternatives }: AlternativeMatch,
): readonly (readonly [Alternative, Alternative])[] {
  const same =
    after.find(({ name, types }) => name !== undefined && name === one.name && haveCommonType(types, one.types)) ??
    after.find((other) => compareAlternatives(one, other).length === 0);
  if (same) return [[one, same]];
  const alike = added.filter(({ types }) => haveCommonType(types, one.types));
  const rivals = removed.filter(({ types }) => alike.some((other) => haveCommonType(other.types, types)));
  return removed.includes(one) && alike[0] && alike.length === 1 && rivals.length === 1 ? [[one, alike[0]]] : [];
}

function haveCommonType(types: readonly Type[], others: readonly Type[]): boolean {
  return types.some((type) => others.includes(type));
}

function createAlternativeDelta(pair: SchemaPair, effect: Effect, { schema, name, types, value }: Alternative): Delta {
  const words = value ?? name?.slice(name.lastIndexOf('/') + 1) ?? formatTypes(types) + formatRequired(schema, types);
  const message = effect === 'narrower' ? `can no longer be ${words}` : `can also be ${words}`;
  const own = schema.at(-1)?.pointer ?? '';
  const delta = createDelta(pair, effect, 'oneOf', message);
  return effect === 'narrower' ? { ...delta, before: own } : { ...delta, after: own };
}

/** Tells alternatives with the type `object` apart by their first required properties. */
function formatRequired(schema: Schema, types: readonly Type[]): string {
  if (types.length !== 1 || types[0] !== 'object') return '';
  const names = schema.flatMap(({ node }) => (Array.isArray(node.required) ? node.required : []));
  return names.length === 0 ? '' : ` with ${joinList(names.map(String), MAX_REQUIRED)}`;
}

/** The maximum number of properties that describe an alternative. */
const MAX_REQUIRED = 3;

/**
 * Returns the alternatives of a schema.
 * Each nested alternative, each type and each value of an enumeration is a separate alternative.
 */
function getAlternatives(schema: Schema, direction: Direction): readonly Alternative[] {
  return unfoldAlternatives(schema, undefined).flatMap(({ schema: whole, name }) => {
    const { types, enumValues } = getConstraints(whole, direction);
    const typed = groupTypes(types).map((group) => ({
      schema: restrictSchema(whole, `:${group}`, { type: group }),
      name,
      types: group,
    }));
    if (!enumValues || enumValues.length > MAX_ALTERNATIVES) return typed;
    return typed.flatMap((one) =>
      enumValues
        .filter((value) =>
          haveCommonType(getConstraints(restrictSchema(one.schema, '', { enum: [value] }), direction).types, one.types),
        )
        .map((value) => ({
          ...one,
          value: formatValue(value),
          schema: restrictSchema(one.schema, `=${toCanonicalText(value)}`, { enum: [value] }),
        })),
    );
  });
}

function groupTypes(types: readonly Type[]): readonly (readonly Type[])[] {
  // A schema that allows all types is not split.
  if (types.length > 6) return [types];
  const isNumber = types.includes('number');
  return types
    .filter((type) => !(isNumber && type === 'integer'))
    .map((type) => (type === 'number' && types.includes('integer') ? ['integer', 'number'] : [type]));
}

function restrictSchema(schema: Schema, mark: string, node: Node): Schema {
  const [first] = schema;
  if (!first) return schema;
  return [
    { document: first.document, pointer: first.pointer, node, mark: `${mark} ${createSchemaKey([first])}` },
    ...schema,
  ];
}

/** Returns the changes of the discriminator: its property, and the values in its mapping. */
function discriminatorChanges(pair: SchemaPair): readonly Delta[] {
  const [old, now] = [pair.before, pair.after].map(getDiscriminator);
  if (!old || !now) return [];
  if (old.propertyName !== now.propertyName) {
    const message = `has the discriminator ${String(now.propertyName)} instead of ${String(old.propertyName)}`;
    return [createDelta(pair, 'different', 'discriminator', message)];
  }
  const fallback =
    old.defaultMapping === now.defaultMapping
      ? []
      : [createDelta(pair, 'different', 'discriminator', describeDefault(old.defaultMapping, now.defaultMapping))];
  return [...fallback, ...mappingChanges(pair, old, now)];
}

function describeDefault(old: unknown, now: unknown): string {
  if (now === undefined) return `has no default of the discriminator any more (${String(old)})`;
  return `has the default ${String(now)} of the discriminator${old === undefined ? '' : ` instead of ${String(old)}`}`;
}

function mappingChanges(pair: SchemaPair, old: Node, now: Node): readonly Delta[] {
  const [before, after] = [old, now].map(({ mapping }): Node => (isNode(mapping) ? mapping : {}));
  // Without a mapping, the names of the schemas are the values.
  if (!before || !after || Object.keys(before).length === 0 || Object.keys(after).length === 0) return [];
  const gone = Object.keys(before).filter((value) => !(value in after));
  const gained = Object.keys(after).filter((value) => !(value in before));
  const change = (effect: Effect, words: string, values: readonly string[]) =>
    values.length === 0 ? [] : [createDelta(pair, effect, 'discriminator', `${words} ${values.join(', ')}`)];
  return [
    ...change('narrower', 'can no longer have the discriminator values', gone),
    ...change('wider', 'can also have the discriminator values', gained),
  ];
}

function getDiscriminator(schema: Schema): Node | undefined {
  return schema.map(({ node }) => node.discriminator).find(isNode);
}

/**
 * Returns the change of whether a value must match exactly one alternative: from `oneOf` to `anyOf` or back, or from a
 * schema without alternatives to `oneOf`.
 * The change matters only if a value can match several alternatives.
 */
function exclusivityChanges(pair: SchemaPair, match: AlternativeMatch): readonly Delta[] {
  const [old, now] = [pair.before, pair.after].map((schema) => schema.flatMap((part) => getKind(part) ?? []));
  if (old === undefined || now?.length !== 1 || getDiscriminator(pair.after)) return [];
  if (old.length === 0 && now[0] === 'oneOf') return ambiguityChange(pair, match);
  if (old.length !== 1 || old[0] === now[0]) return [];
  const canOverlap = [match.before, match.after].some((list) =>
    list.some((one, place) => list.slice(place + 1).some((other) => haveCommonType(one.types, other.types))),
  );
  if (!canOverlap) return [];
  return now[0] === 'oneOf'
    ? [createDelta(pair, 'narrower', 'oneOf', 'must match exactly one of its schemas instead of any')]
    : [createDelta(pair, 'wider', 'anyOf', 'must match any of its schemas instead of exactly one')];
}

/** Returns the change of a schema without alternatives to `oneOf`, if each older value matches several alternatives. */
function ambiguityChange(pair: SchemaPair, { before, after, compareAlternatives }: AlternativeMatch): readonly Delta[] {
  const isAmbiguous = before.some(
    (one) => after.filter((other) => !compareAlternatives(one, other).some(narrows)).length > 1,
  );
  return isAmbiguous
    ? [
        createDelta(
          pair,
          'different',
          'oneOf',
          'must match exactly one of several schemas, and older values match more',
        ),
      ]
    : [];
}

const KINDS = ['oneOf', 'anyOf'] as const;

/**
 * The maximum number of alternatives that are compared.
 * If there are more, the schemas count as different.
 */
const MAX_ALTERNATIVES = 200;

/** Returns whether a schema has alternatives (`oneOf` or `anyOf`). */
export function hasAlternatives(schema: Schema): boolean {
  return schema.some((part) => getKind(part) !== undefined);
}

/** Returns the keyword of a part's alternatives; undefined if it has none. */
function getKind({ node }: Part): (typeof KINDS)[number] | undefined {
  return KINDS.find((kind) => Array.isArray(node[kind]));
}

/**
 * A schema without `oneOf` and `anyOf`.
 * `name`: the `$ref` of its innermost named alternative; undefined if there is none.
 */
interface Unfolded {
  readonly schema: Schema;
  readonly name: string | undefined;
}

/**
 * Returns one schema for each combination of alternatives, without `oneOf` and `anyOf`.
 * Omits recursive alternatives.
 * `above`: the JSON Pointers of the enclosing schemas.
 */
function unfoldAlternatives(
  schema: Schema,
  name: string | undefined,
  above: readonly string[] = [],
): readonly Unfolded[] {
  const part = schema.find((one) => getKind(one) !== undefined);
  const kind = part && getKind(part);
  if (!part || !kind) return [{ schema, name }];
  const rest = schema.map((one) => (one === part ? removeAlternatives(part, kind) : one));
  const way = [...above, part.pointer];
  const found: Unfolded[] = [];
  for (const [place, entry] of (part.node[kind] as readonly unknown[]).entries()) {
    // The caller does not compare schemas with more alternatives.
    if (found.length > MAX_ALTERNATIVES) break;
    const more = readSubschema(part, kind, String(place)).map((one) => copyNullable(part, one));
    if (more.some((one) => way.includes(one.pointer))) continue;
    const own = isNode(entry) && typeof entry.$ref === 'string' ? entry.$ref : name;
    found.push(...unfoldAlternatives([...rest, ...more], own, way));
  }
  return found;
}

/**
 * Makes an alternative nullable if `nullable` is beside `oneOf` or `anyOf`.
 * OpenAPI ignores `nullable` there, but authors expect it to apply.
 */
function copyNullable({ node }: Part, alternative: Part): Part {
  return node.nullable === true ? { ...alternative, node: { ...alternative.node, nullable: true } } : alternative;
}

function removeAlternatives(part: Part, kind: string): Part {
  const node: Node = Object.fromEntries(Object.entries(part.node).filter(([key]) => key !== kind));
  return { ...part, node, mark: `${part.mark ?? ''}-${kind}` };
}
