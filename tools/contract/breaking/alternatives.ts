import { isNode, type Node } from '../../../src/openapi/document.ts';
import type { Delta, Direction, Effect } from './change.ts';
import { delta, type Pair, shown } from './compared.ts';
import { factsOf, placeOf, type Type } from './schema-facts.ts';
import { canonical, keyOf, type Part, type Schema, schemaBelow } from './schema-parts.ts';
import { typeWords } from './value-changes.ts';

const KINDS = ['oneOf', 'anyOf'] as const;

/** More than these are compared as they stand: their combinations would be too many. */
const MOST = 200;

/** One of the schemas of which one, at least, has to hold, with the rest of what has to. */
interface Alternative {
  readonly schema: Schema;
  /** What it refers to, by which it is found again in the other document; undefined where it stands in the list itself. */
  readonly name: string | undefined;
  /** The one value that it is, in words. */
  readonly value?: string;
  readonly types: readonly Type[];
}

/** Whether a schema is a choice among others. */
export function hasAlternatives(schema: Schema): boolean {
  return schema.some((part) => kindOf(part) !== undefined);
}

function kindOf({ node }: Part): (typeof KINDS)[number] | undefined {
  return KINDS.find((kind) => Array.isArray(node[kind]));
}

/** The components that the schemas of a pair refer to; undefined for one that is written out in its place. */
export type Names = readonly (string | undefined)[];

/** What became of a pair, by itself. */
export type Trial = (pair: Pair, names: Names) => readonly Delta[];

/** Which changes count. */
export type Keep = (change: Delta) => boolean;

/** The alternatives of a pair, and which of them have no counterpart: those that nothing holds any more, and those that nothing held. */
export interface Choice {
  readonly before: readonly Alternative[];
  readonly after: readonly Alternative[];
  readonly lost: readonly Alternative[];
  readonly won: readonly Alternative[];
  readonly tried: (one: Alternative, other: Alternative) => readonly Delta[];
}

/** What can be chosen among in both schemas of a pair; undefined where it is too much to be compared. */
export function choiceOf(pair: Pair, trial: Trial): Choice | undefined {
  const before = alternativesOf(pair.before, pair.direction);
  const after = alternativesOf(pair.after, pair.direction);
  if (before.length > MOST || after.length > MOST) return undefined;
  const tried: Choice['tried'] = (one, other) =>
    trial({ ...pair, before: one.schema, after: other.schema }, [one.name, other.name]);
  const lost = before.filter((one) => !after.some((other) => !tried(one, other).some(narrows)));
  const won = after.filter((other) => !before.some((one) => !tried(one, other).some(widens)));
  return { before, after, lost, won, tried };
}

/** What became of schemas of which one at least is a choice: which alternatives are gone, and which are new. */
export function alternativeTrial(pair: Pair, choice: Choice | undefined): readonly Delta[] {
  if (!choice) return [tooMany(pair)];
  return [
    ...choice.lost.map((one) => told(pair, 'narrowed', one)),
    ...choice.won.map((one) => told(pair, 'widened', one)),
    ...discriminatorChanges(pair),
    ...exclusiveness(pair, choice),
  ];
}

/** The same, in full; what changed within an alternative is told `later`, as far as it counts. */
export function alternativeChanges(
  pair: Pair,
  choice: Choice | undefined,
  later: (pair: Pair, keep: Keep) => void,
): readonly Delta[] {
  if (!choice) return [tooMany(pair)];
  const { before, lost, won } = choice;
  const partners = new Map(before.flatMap((one) => partnerOf(one, choice)));
  for (const [one, other] of partners) {
    const keep: Keep = (found) => (!narrows(found) || lost.includes(one)) && (!widens(found) || won.includes(other));
    later({ ...pair, before: one.schema, after: other.schema }, keep);
  }
  const [kept, known] = [new Set(partners.keys()), new Set(partners.values())];
  return [
    ...lost.filter((one) => !kept.has(one)).map((one) => told(pair, 'narrowed', one)),
    ...won.filter((one) => !known.has(one)).map((one) => told(pair, 'widened', one)),
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

/** What an alternative has become: that of the same name, else one that holds the same, else the only one of its types that has no counterpart either. */
function partnerOf(
  one: Alternative,
  { lost, won, after, tried }: Choice,
): readonly (readonly [Alternative, Alternative])[] {
  const same =
    after.find(({ name, types }) => name !== undefined && name === one.name && overlap(types, one.types)) ??
    after.find((other) => tried(one, other).length === 0);
  if (same) return [[one, same]];
  const alike = won.filter(({ types }) => overlap(types, one.types));
  const rivals = lost.filter(({ types }) => alike.some((other) => overlap(other.types, types)));
  return lost.includes(one) && alike[0] && alike.length === 1 && rivals.length === 1 ? [[one, alike[0]]] : [];
}

function overlap(types: readonly Type[], others: readonly Type[]): boolean {
  return types.some((type) => others.includes(type));
}

function told(pair: Pair, effect: Effect, { schema, name, types, value }: Alternative): Delta {
  const words = value ?? name?.slice(name.lastIndexOf('/') + 1) ?? typeWords(types);
  const message = effect === 'narrowed' ? `can no longer be ${words}` : `can also be ${words}`;
  return { ...delta(pair, effect, 'oneOf', message), pointer: schema.at(-1)?.pointer ?? '' };
}

/** A schema as all its alternatives, each a schema without any, of one type where it lists some. */
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

/** `above`: the places of the choices that were taken apart on the way; one that is an alternative of itself adds nothing. */
function unfolded(schema: Schema, name: string | undefined, above: readonly string[] = []): readonly Unfolded[] {
  const part = schema.find((one) => kindOf(one) !== undefined);
  const kind = part && kindOf(part);
  if (!part || !kind) return [{ schema, name }];
  const rest = schema.map((one) => (one === part ? bare(part, kind) : one));
  const way = [...above, part.pointer];
  const found: Unfolded[] = [];
  for (const [place, entry] of (part.node[kind] as readonly unknown[]).entries()) {
    // Whoever asks gives up on more.
    if (found.length > MOST) break;
    const more = schemaBelow(part, kind, String(place)).map((one) => nullableAs(part, one));
    if (more.some((one) => way.includes(one.pointer))) continue;
    const own = isNode(entry) && typeof entry.$ref === 'string' ? entry.$ref : name;
    found.push(...unfolded([...rest, ...more], own, way));
  }
  return found;
}

/** `nullable` beside a choice, as those who write it mean it. */
function nullableAs({ node }: Part, alternative: Part): Part {
  return node.nullable === true ? { ...alternative, node: { ...alternative.node, nullable: true } } : alternative;
}

function bare(part: Part, kind: string): Part {
  const node: Node = Object.fromEntries(Object.entries(part.node).filter(([key]) => key !== kind));
  return { ...part, node, mark: `${part.mark ?? ''}-${kind}` };
}

function groupsOf(types: readonly Type[]): readonly (readonly Type[])[] {
  // A schema that says nothing of types is left whole.
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

/** What changed in the property that tells alternatives apart, and in its values that stand in a mapping. */
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

/** That one alone may hold now, or that several may: of importance where several can. */
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
