import { isNode, type Node } from '../../../src/openapi/document.ts';
import type { Delta, Direction, Effect } from './change.ts';
import { delta, type Pair, shown } from './compared.ts';
import { factsOf, placeOf, type Type } from './schema-facts.ts';
import { canonical, keyOf, type Part, type Schema, schemaBelow } from './schema-parts.ts';
import { typeWords } from './value-changes.ts';

const KINDS = ['oneOf', 'anyOf'] as const;

/** The maximum number of alternatives; more have too many combinations and are compared as text. */
const MOST = 200;

/** One of the schemas of which at least one must be valid, together with the parts that must be valid as well. */
interface Alternative {
  readonly schema: Schema;
  /** The target of its reference, which identifies it in the other document; undefined if it is inline. */
  readonly name: string | undefined;
  /** A description of its only value. */
  readonly value?: string;
  readonly types: readonly Type[];
}

/** Whether a schema has alternatives. */
export function hasAlternatives(schema: Schema): boolean {
  return schema.some((part) => kindOf(part) !== undefined);
}

function kindOf({ node }: Part): (typeof KINDS)[number] | undefined {
  return KINDS.find((kind) => Array.isArray(node[kind]));
}

/** Returns the components that the schemas of a pair refer to; undefined for an inline schema. */
export type Names = readonly (string | undefined)[];

/** Compares a pair without its component schemas. */
export type Trial = (pair: Pair, names: Names) => readonly Delta[];

/** Whether a change is reported. */
export type Keep = (change: Delta) => boolean;

/** The alternatives of a pair, and those without a counterpart: the removed and the added ones. */
export interface Choice {
  readonly before: readonly Alternative[];
  readonly after: readonly Alternative[];
  readonly removed: readonly Alternative[];
  readonly added: readonly Alternative[];
  readonly tried: (one: Alternative, other: Alternative) => readonly Delta[];
}

/** Returns the alternatives of both schemas of a pair; undefined if there are too many. */
export function choiceOf(pair: Pair, trial: Trial): Choice | undefined {
  const before = alternativesOf(pair.before, pair.direction);
  const after = alternativesOf(pair.after, pair.direction);
  if (before.length > MOST || after.length > MOST) return undefined;
  const tried: Choice['tried'] = (one, other) =>
    trial({ ...pair, before: one.schema, after: other.schema }, [one.name, other.name]);
  const removed = before.filter((one) => !after.some((other) => !tried(one, other).some(narrows)));
  const added = after.filter((other) => !before.some((one) => !tried(one, other).some(widens)));
  return { before, after, removed, added, tried };
}

/** Returns the changes of a pair of which at least one schema has alternatives: removed and added ones. */
export function alternativeTrial(pair: Pair, choice: Choice | undefined): readonly Delta[] {
  if (!choice) return [tooMany(pair)];
  return [
    ...choice.removed.map((one) => createDelta(pair, 'narrowed', one)),
    ...choice.added.map((one) => createDelta(pair, 'widened', one)),
    ...discriminatorChanges(pair),
    ...exclusiveness(pair, choice),
  ];
}

/** Returns all changes of the alternatives; passes each pair of alternatives to `later`, with the changes to report. */
export function alternativeChanges(
  pair: Pair,
  choice: Choice | undefined,
  later: (pair: Pair, keep: Keep) => void,
): readonly Delta[] {
  if (!choice) return [tooMany(pair)];
  const { before, removed, added } = choice;
  const partners = new Map(before.flatMap((one) => partnerOf(one, choice)));
  for (const [one, other] of partners) {
    const keep: Keep = (found) =>
      (!narrows(found) || removed.includes(one)) && (!widens(found) || added.includes(other));
    later({ ...pair, before: one.schema, after: other.schema }, keep);
  }
  const [kept, known] = [new Set(partners.keys()), new Set(partners.values())];
  return [
    ...removed.filter((one) => !kept.has(one)).map((one) => createDelta(pair, 'narrowed', one)),
    ...added.filter((one) => !known.has(one)).map((one) => createDelta(pair, 'widened', one)),
    ...discriminatorChanges(pair),
    ...exclusiveness(pair, choice),
  ];
}

function tooMany(pair: Pair): Delta {
  return delta(pair, 'reshaped', 'oneOf', 'has different alternatives');
}

function narrows({ effect }: Delta): boolean {
  return ['narrowed', 'reshaped', 'gone'].includes(effect);
}

function widens({ effect }: Delta): boolean {
  return ['widened', 'reshaped', 'gone'].includes(effect);
}

/** Returns the counterpart of an alternative: by name, else an equal one, else the only other one of its types without a counterpart. */
function partnerOf(
  one: Alternative,
  { removed, added, after, tried }: Choice,
): readonly (readonly [Alternative, Alternative])[] {
  const same =
    after.find(({ name, types }) => name !== undefined && name === one.name && overlap(types, one.types)) ??
    after.find((other) => tried(one, other).length === 0);
  if (same) return [[one, same]];
  const alike = added.filter(({ types }) => overlap(types, one.types));
  const rivals = removed.filter(({ types }) => alike.some((other) => overlap(other.types, types)));
  return removed.includes(one) && alike[0] && alike.length === 1 && rivals.length === 1 ? [[one, alike[0]]] : [];
}

function overlap(types: readonly Type[], others: readonly Type[]): boolean {
  return types.some((type) => others.includes(type));
}

function createDelta(pair: Pair, effect: Effect, { schema, name, types, value }: Alternative): Delta {
  const words = value ?? name?.slice(name.lastIndexOf('/') + 1) ?? typeWords(types);
  const message = effect === 'narrowed' ? `can no longer be ${words}` : `can also be ${words}`;
  return { ...delta(pair, effect, 'oneOf', message), pointer: schema.at(-1)?.pointer ?? '' };
}

/** Returns the alternatives of a schema, each without alternatives, and of one type if it lists several. */
function alternativesOf(schema: Schema, direction: Direction): readonly Alternative[] {
  return unfolded(schema, undefined).flatMap(({ schema: whole, name }) => {
    const { types, choices } = factsOf(whole, direction);
    const typed = groupsOf(types).map((group) => ({
      schema: limited(whole, `:${group}`, { type: group }),
      name,
      types: group,
    }));
    if (!choices || choices.length > MOST) return typed;
    return typed.flatMap((one) =>
      choices
        .filter((value) => overlap(factsOf(limited(one.schema, '', { enum: [value] }), direction).types, one.types))
        .map((value) => ({
          ...one,
          value: shown(value),
          schema: limited(one.schema, `=${canonical(value)}`, { enum: [value] }),
        })),
    );
  });
}

interface Unfolded {
  readonly schema: Schema;
  readonly name: string | undefined;
}

/** `above`: the places of the enclosing alternatives; a schema that is an alternative of itself adds nothing. */
function unfolded(schema: Schema, name: string | undefined, above: readonly string[] = []): readonly Unfolded[] {
  const part = schema.find((one) => kindOf(one) !== undefined);
  const kind = part && kindOf(part);
  if (!part || !kind) return [{ schema, name }];
  const rest = schema.map((one) => (one === part ? bare(part, kind) : one));
  const way = [...above, part.pointer];
  const found: Unfolded[] = [];
  for (const [place, entry] of (part.node[kind] as readonly unknown[]).entries()) {
    // The caller compares more than these as text.
    if (found.length > MOST) break;
    const more = schemaBelow(part, kind, String(place)).map((one) => nullableAs(part, one));
    if (more.some((one) => way.includes(one.pointer))) continue;
    const own = isNode(entry) && typeof entry.$ref === 'string' ? entry.$ref : name;
    found.push(...unfolded([...rest, ...more], own, way));
  }
  return found;
}

/** Adds null as an alternative if `nullable` stands next to alternatives, as its authors intend. */
function nullableAs({ node }: Part, alternative: Part): Part {
  return node.nullable === true ? { ...alternative, node: { ...alternative.node, nullable: true } } : alternative;
}

function bare(part: Part, kind: string): Part {
  const node: Node = Object.fromEntries(Object.entries(part.node).filter(([key]) => key !== kind));
  return { ...part, node, mark: `${part.mark ?? ''}-${kind}` };
}

function groupsOf(types: readonly Type[]): readonly (readonly Type[])[] {
  // A schema without types is not split.
  if (types.length > 6) return [types];
  const isNumber = types.includes('number');
  return types
    .filter((type) => !(isNumber && type === 'integer'))
    .map((type) => (type === 'number' && types.includes('integer') ? ['integer', 'number'] : [type]));
}

function limited(schema: Schema, mark: string, node: Node): Schema {
  const [first] = schema;
  if (!first) return schema;
  return [{ document: first.document, pointer: first.pointer, node, mark: `${mark} ${keyOf([first])}` }, ...schema];
}

/** Returns the changes of the discriminator: its property, and the values in its mapping. */
function discriminatorChanges(pair: Pair): readonly Delta[] {
  const [old, now] = [pair.before, pair.after].map(discriminatorOf);
  if (!old || !now) return [];
  if (old.propertyName !== now.propertyName) {
    const message = `has the discriminator ${String(now.propertyName)} instead of ${String(old.propertyName)}`;
    return [delta(pair, 'reshaped', 'discriminator', message)];
  }
  const [before, after] = [old, now].map(({ mapping }) => Object.keys(isNode(mapping) ? mapping : {}));
  if (!before?.length || !after?.length) return [];
  const gone = before.filter((value) => !after.includes(value));
  return gone.length === 0
    ? []
    : [delta(pair, 'reshaped', 'discriminator', `no longer has the discriminator values ${gone.join(', ')}`)];
}

function discriminatorOf(schema: Schema): Node | undefined {
  return schema.map(({ node }) => node.discriminator).find(isNode);
}

/** Returns the change between `oneOf` and `anyOf`; it matters only if several alternatives can be valid. */
function exclusiveness(pair: Pair, { before, after }: Choice): readonly Delta[] {
  const [old, now] = [pair.before, pair.after].map((schema) => schema.flatMap((part) => kindOf(part) ?? []));
  if (old?.length !== 1 || now?.length !== 1 || old[0] === now[0]) return [];
  const canOverlap = [before, after].some((list) =>
    list.some((one, place) => list.slice(place + 1).some((other) => overlap(one.types, other.types))),
  );
  if (!canOverlap || discriminatorOf(pair.after)) return [];
  const isNarrower = now[0] === 'oneOf';
  const pointer = placeOf(pair.after, now[0] ?? 'oneOf');
  const message = isNarrower
    ? 'must match exactly one of its schemas instead of any'
    : 'must match any of its schemas instead of exactly one';
  return [{ ...delta(pair, isNarrower ? 'narrowed' : 'widened', 'oneOf', message), pointer }];
}
