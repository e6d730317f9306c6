import type { Document } from '../openapi/document.ts';
import {
  alternativeChanges,
  type ChangeFilter,
  hasAlternatives,
  matchAlternatives,
  type SchemaReferences,
  type ShallowCompare,
  shallowAlternativeChanges,
} from './alternatives.ts';
import type { Delta, Direction, Effect } from './change.ts';
import { objectChanges } from './object-changes.ts';
import { createEqualityCheck } from './same.ts';
import { type Constraints, getConstraints } from './schema-constraints.ts';
import { type Compare, type ComparedSchemas, createDelta, getChildPlace, type SchemaPair } from './schema-pair.ts';
import { createSchemaKey, EXTERNAL_REFERENCE, type Schema } from './schema-parts.ts';
import {
  countChanges,
  enumChanges,
  formatChanges,
  getSharedTypes,
  numberChanges,
  textChanges,
  typeChanges,
} from './value-changes.ts';

/** Two schemas to compare, and a filter of the changes to report. */
interface QueuedPair {
  readonly pair: SchemaPair;
  readonly keep: ChangeFilter;
}

/**
 * Creates a function that compares schemas of two documents and returns each change once.
 * The function uses a queue instead of recursion, because chains of components can be hundreds of schemas long.
 */
export function schemaComparison(before: Document, after: Document): Compare {
  const isSame = createEqualityCheck(before, after);
  const compared = createConstraintReader();
  const compareShallow = createShallowCompare(isSame, compared);
  const matches = createCache<ReturnType<typeof matchAlternatives>>();
  return (pair) => {
    const seen = new Set<string>();
    const queue: QueuedPair[] = [{ pair, keep: () => true }];
    const visit = (next: SchemaPair, keep: ChangeFilter): readonly Delta[] => {
      const key = createPairKey(next);
      // The changes of a repeated pair are reported only once.
      if (seen.has(key) || isSame(next.before, next.after)) return [];
      seen.add(key);
      if (hasAlternatives(next.before) || hasAlternatives(next.after)) {
        const match = matches(key, () => matchAlternatives(next, compareShallow));
        return alternativeChanges(next, match, (one, kept) => queue.push({ pair: one, keep: kept })).filter(keep);
      }
      const compare: Compare = (child) => {
        const [old, now] = [getComponentPointer(child.before), getComponentPointer(child.after)];
        if (old === undefined && now === undefined) return visit(child, keep);
        queue.push({ pair: child, keep: old === now ? () => true : keep });
        return [];
      };
      return plainChanges(compared(next), { compare, compareShallow }).filter(keep);
    };
    const found: Delta[] = [];
    // The queue grows during the iteration.
    for (const { pair: next, keep } of queue) found.push(...visit(next, keep));
    return found;
  };
}

type SameSchemas = ReturnType<typeof createEqualityCheck>;

/**
 * Creates a function that compares a pair of schemas, but not the components to which they refer.
 * If the schemas refer to different components, and the components are not equal, the reference counts as a change.
 */
function createShallowCompare(isSame: SameSchemas, compared: (pair: SchemaPair) => ComparedSchemas): ShallowCompare {
  const cached = createCache<readonly Delta[]>();
  const byName = (pair: SchemaPair, [old, now]: SchemaReferences): readonly Delta[] =>
    old === now || isSame(pair.before, pair.after)
      ? []
      : [createDelta(pair, 'different', '$ref', 'has a different schema')];
  const areNamed = (names: SchemaReferences) => names.some((name) => name !== undefined);
  const nested: ShallowCompare = (pair, names) => (areNamed(names) ? byName(pair, names) : compareShallow(pair, names));
  const compare: Compare = (pair) => nested(pair, [getComponentPointer(pair.before), getComponentPointer(pair.after)]);
  const computeChanges = (pair: SchemaPair): readonly Delta[] => {
    if (isSame(pair.before, pair.after)) return [];
    if (hasAlternatives(pair.before) || hasAlternatives(pair.after))
      return shallowAlternativeChanges(pair, matchAlternatives(pair, nested));
    return plainChanges(compared(pair), { compare, compareShallow });
  };
  const compareShallow: ShallowCompare = (pair) => cached(createPairKey(pair), () => computeChanges(pair), []);
  return compareShallow;
}

/**
 * Creates a function that adds the constraints of both schemas to a pair.
 * Caches the constraints of each schema.
 */
function createConstraintReader(): (pair: SchemaPair) => ComparedSchemas {
  const constraints = createCache<Constraints>();
  const constraintsFor = (schema: Schema, direction: Direction, side: string) =>
    constraints(`${side} ${direction} ${createSchemaKey(schema)}`, () => getConstraints(schema, direction));
  return (pair) => ({
    ...pair,
    old: constraintsFor(pair.before, pair.direction, 'before'),
    now: constraintsFor(pair.after, pair.direction, 'after'),
  });
}

/** Returns the pointer of the component that a schema refers to; undefined for an inline schema. */
function getComponentPointer([first]: Schema): string | undefined {
  return first !== undefined && /^\/components\/schemas\/[^/]+$/.test(first.pointer) ? first.pointer : undefined;
}

function createPairKey({ before, after, direction }: SchemaPair): string {
  return `${direction} ${createSchemaKey(before)} → ${createSchemaKey(after)}`;
}

/**
 * Creates a cache of computed values by key.
 * While a value is computed, a recursive call with the same key returns `meanwhile`.
 */
function createCache<Value>(): (key: string, make: () => Value, meanwhile?: Value) => Value {
  const cached = new Map<string, Value>();
  return (key, make, meanwhile) => {
    const found = cached.get(key);
    if (found !== undefined) return found;
    if (meanwhile !== undefined) cached.set(key, meanwhile);
    const value = make();
    cached.set(key, value);
    return value;
  };
}

/**
 * The functions that compare subschemas.
 * `compare` also compares the components to which they refer.
 * `compareShallow` does not.
 */
interface SubschemaCompare {
  readonly compare: Compare;
  readonly compareShallow: ShallowCompare;
}

function plainChanges(pair: ComparedSchemas, { compare, compareShallow }: SubschemaCompare): readonly Delta[] {
  const types = getSharedTypes(pair);
  const { old, now } = pair;
  return [
    ...typeChanges(pair),
    ...(old.enumValues || now.enumValues ? enumChanges(pair) : limitChanges(pair)),
    ...objectChanges(pair, compare),
    ...(types.includes('array') ? listChanges(pair, compare) : []),
    ...notChanges(pair, compareShallow),
    ...(types.length > 0 ? annotationChanges(pair) : []),
  ];
}

/**
 * Returns the changes of limits such as `maximum` and `maxLength`.
 * Not used for enumerations: `enumChanges` validates their values against the limits.
 */
function limitChanges(pair: ComparedSchemas): readonly Delta[] {
  const types = getSharedTypes(pair);
  return [
    ...(types.includes('integer') ? numberChanges(pair) : []),
    ...(types.includes('string') ? textChanges(pair) : []),
    ...(types.includes('string') || types.includes('integer') ? formatChanges(pair) : []),
    ...countChanges(pair),
  ];
}

function listChanges(pair: ComparedSchemas, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const words = now.hasUniqueItems ? 'can no longer have duplicate items' : 'can have duplicate items';
  return [
    ...(old.hasUniqueItems === now.hasUniqueItems
      ? []
      : [createDelta(pair, now.hasUniqueItems ? 'narrower' : 'wider', 'uniqueItems', words)]),
    ...compare({ before: old.items, after: now.items, place: getChildPlace(place, '[]'), direction }),
  ];
}

/** The effects of a change within `not`: a narrower `not` allows more values. */
const OPPOSITE: Partial<Record<Effect, Effect>> = { narrower: 'wider', wider: 'narrower', removed: 'different' };

function notChanges(pair: ComparedSchemas, compareShallow: ShallowCompare): readonly Delta[] {
  const [before, after] = [pair.old.not, pair.now.not];
  if (before.length === 1 && after.length === 1) {
    const [old = [], now = []] = [before[0], after[0]];
    const inner = compareShallow({ ...pair, before: old, after: now }, []);
    return inner.map((one) => ({
      ...one,
      effect: OPPOSITE[one.effect] ?? one.effect,
      message: `${one.message} within \`not\``,
    }));
  }
  if (before.length === after.length) return [];
  return after.length > before.length
    ? [createDelta(pair, 'narrower', 'not', 'forbids more values with `not`')]
    : [createDelta(pair, 'wider', 'not', 'forbids fewer values with `not`')];
}

/** Returns the changes of the default value, of `deprecated`, and of keywords that can't be compared. */
function annotationChanges(pair: ComparedSchemas): readonly Delta[] {
  const { old, now } = pair;
  return [
    ...defaultChange(pair),
    ...(old.isDeprecated === now.isDeprecated
      ? []
      : [createDelta(pair, 'neutral', 'deprecated', now.isDeprecated ? 'is deprecated' : 'is no longer deprecated')]),
    ...rareKeywordChanges(pair),
  ];
}

/**
 * Returns the changes of rare keywords.
 * Their values can't be compared, but a new keyword only adds a rule, and a removed keyword only removes it.
 */
function rareKeywordChanges(pair: ComparedSchemas): readonly Delta[] {
  const { rareKeywords: old } = pair.old;
  const { rareKeywords: now } = pair.now;
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((key) => old[key] !== now[key])
    .map((key) => {
      const [effect, words] =
        old[key] === undefined
          ? (['narrower', `has the new rule \`${key}\``] as const)
          : now[key] === undefined
            ? (['wider', `no longer has the rule \`${key}\``] as const)
            : (['different', `has a different rule \`${key}\``] as const);
      return createDelta(pair, changesOthers(pair, key) ? 'different' : effect, key, words);
    });
}

/** Returns whether a keyword also changes what other keywords mean: `items` is for the entries after `prefixItems`. */
function changesOthers({ old, now }: ComparedSchemas, key: string): boolean {
  if (key === 'prefixItems') return old.items.length > 0 || now.items.length > 0;
  return ['$dynamicRef', 'contentEncoding', 'contentMediaType', EXTERNAL_REFERENCE].includes(key);
}

/**
 * Returns the change of a default value.
 * The default determines the meaning of requests without the value.
 */
function defaultChange(pair: ComparedSchemas): readonly Delta[] {
  const { old, now } = pair;
  if (old.defaultValue === now.defaultValue) return [];
  if (old.defaultValue === undefined)
    return [createDelta(pair, 'neutral', 'default', `defaults to ${now.defaultValue}`)];
  const instead =
    now.defaultValue === undefined
      ? 'no longer has a default, which was'
      : `defaults to ${now.defaultValue} instead of`;
  return [createDelta(pair, 'reinterpreted', 'default', `${instead} ${old.defaultValue}`)];
}
