import type { Document } from '../../../src/openapi/document.ts';
import {
  alternativeChanges,
  alternativeTrial,
  createChoice,
  hasAlternatives,
  type Keep,
  type Names,
  type Trial,
} from './alternatives.ts';
import type { Delta, Direction, Effect } from './change.ts';
import { type Compare, type Compared, createDelta, getChildPlace, type Pair } from './compared.ts';
import { objectChanges } from './object-changes.ts';
import { createEqualityCheck } from './same.ts';
import { type Facts, getFacts } from './schema-facts.ts';
import { createSchemaKey, type Schema } from './schema-parts.ts';
import {
  choiceChanges,
  countChanges,
  formatChanges,
  getSharedTypes,
  numberChanges,
  textChanges,
  typeChanges,
} from './value-changes.ts';

/** A pair to compare, and a filter of the changes to report. */
interface Waiting {
  readonly pair: Pair;
  readonly keep: Keep;
}

/**
 * Creates the function that compares the schemas of two documents and returns each change once. It uses a queue instead of recursion, because chains of
 * components can be hundreds of schemas long.
 */
export function schemaComparison(before: Document, after: Document): Compare {
  const isSame = createEqualityCheck(before, after);
  const compared = createFactsReader();
  const trial = createTrial(isSame, compared);
  const choices = createCache<ReturnType<typeof createChoice>>();
  return (pair) => {
    const seen = new Set<string>();
    const queue: Waiting[] = [{ pair, keep: () => true }];
    const visit = (next: Pair, keep: Keep): readonly Delta[] => {
      const key = createPairKey(next);
      // The changes of a repeated pair are reported only once.
      if (seen.has(key) || isSame(next.before, next.after)) return [];
      seen.add(key);
      if (hasAlternatives(next.before) || hasAlternatives(next.after)) {
        const choice = choices(key, () => createChoice(next, trial));
        return alternativeChanges(next, choice, (one, kept) => queue.push({ pair: one, keep: kept })).filter(keep);
      }
      const compare: Compare = (child) => {
        const [old, now] = [getComponentPointer(child.before), getComponentPointer(child.after)];
        if (old === undefined && now === undefined) return visit(child, keep);
        queue.push({ pair: child, keep: old === now ? () => true : keep });
        return [];
      };
      return plainChanges(compared(next), { compare, trial }).filter(keep);
    };
    const found: Delta[] = [];
    // The queue grows during the iteration.
    for (const { pair: next, keep } of queue) found.push(...visit(next, keep));
    return found;
  };
}

type SameSchemas = ReturnType<typeof createEqualityCheck>;

/**
 * Creates the function that compares a pair of schemas but not the components that they refer to. References to different components count as a change,
 * unless the components are equal.
 */
function createTrial(isSame: SameSchemas, compared: (pair: Pair) => Compared): Trial {
  const made = createCache<readonly Delta[]>();
  const byName = (pair: Pair, [old, now]: Names): readonly Delta[] =>
    old === now || isSame(pair.before, pair.after)
      ? []
      : [createDelta(pair, 'different', '$ref', 'has a different schema')];
  const areNamed = (names: Names) => names.some((name) => name !== undefined);
  const nested: Trial = (pair, names) => (areNamed(names) ? byName(pair, names) : trial(pair, names));
  const compare: Compare = (pair) => nested(pair, [getComponentPointer(pair.before), getComponentPointer(pair.after)]);
  const tried = (pair: Pair): readonly Delta[] => {
    if (isSame(pair.before, pair.after)) return [];
    if (hasAlternatives(pair.before) || hasAlternatives(pair.after))
      return alternativeTrial(pair, createChoice(pair, nested));
    return plainChanges(compared(pair), { compare, trial });
  };
  const trial: Trial = (pair) => made(createPairKey(pair), () => tried(pair), []);
  return trial;
}

/** Creates a function that adds the constraints of both schemas to a pair. Caches them by schema. */
function createFactsReader(): (pair: Pair) => Compared {
  const facts = createCache<Facts>();
  const factsFor = (schema: Schema, direction: Direction, side: string) =>
    facts(`${side} ${direction} ${createSchemaKey(schema)}`, () => getFacts(schema, direction));
  return (pair) => ({
    ...pair,
    old: factsFor(pair.before, pair.direction, 'before'),
    now: factsFor(pair.after, pair.direction, 'after'),
  });
}

/** Returns the pointer of the component that a schema refers to; undefined for an inline schema. */
function getComponentPointer([first]: Schema): string | undefined {
  return first !== undefined && /^\/components\/schemas\/[^/]+$/.test(first.pointer) ? first.pointer : undefined;
}

function createPairKey({ before, after, direction }: Pair): string {
  return `${direction} ${createSchemaKey(before)} → ${createSchemaKey(after)}`;
}

/** Creates a cache of computed values by key. A recursive call with the same key returns `meanwhile`. */
function createCache<Value>(): (key: string, make: () => Value, meanwhile?: Value) => Value {
  const made = new Map<string, Value>();
  return (key, make, meanwhile) => {
    const found = made.get(key);
    if (found !== undefined) return found;
    if (meanwhile !== undefined) made.set(key, meanwhile);
    const value = make();
    made.set(key, value);
    return value;
  };
}

/** The functions that compare subschemas: with their components (`compare`), or without (`trial`). */
interface Within {
  readonly compare: Compare;
  readonly trial: Trial;
}

function plainChanges(pair: Compared, { compare, trial }: Within): readonly Delta[] {
  const types = getSharedTypes(pair);
  const { old, now } = pair;
  return [
    ...typeChanges(pair),
    ...(old.choices || now.choices ? choiceChanges(pair) : limitChanges(pair)),
    ...objectChanges(pair, compare),
    ...(types.includes('array') ? listChanges(pair, compare) : []),
    ...exclusions(pair, trial),
    ...(types.length > 0 ? remarks(pair) : []),
  ];
}

/** Returns the changes of the limits of values. Not for enumerations, whose values are validated against the limits. */
function limitChanges(pair: Compared): readonly Delta[] {
  const types = getSharedTypes(pair);
  return [
    ...(types.includes('integer') ? numberChanges(pair) : []),
    ...(types.includes('string') ? textChanges(pair) : []),
    ...(types.includes('string') || types.includes('integer') ? formatChanges(pair) : []),
    ...countChanges(pair),
  ];
}

function listChanges(pair: Compared, compare: Compare): readonly Delta[] {
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

function exclusions(pair: Compared, trial: Trial): readonly Delta[] {
  const [before, after] = [pair.old.not, pair.now.not];
  if (before.length === 1 && after.length === 1) {
    const [old = [], now = []] = [before[0], after[0]];
    const inner = trial({ ...pair, before: old, after: now }, []);
    return inner.map((one) => ({
      ...one,
      effect: OPPOSITE[one.effect] ?? one.effect,
      message: `${one.message} within \`not\``,
    }));
  }
  if (before.length === after.length) return [];
  return after.length > before.length
    ? [createDelta(pair, 'narrower', 'not', 'forbids more')]
    : [createDelta(pair, 'wider', 'not', 'forbids less')];
}

/** Returns the changes of annotations: default, deprecated, and keywords that are not compared. */
function remarks(pair: Compared): readonly Delta[] {
  const { old, now } = pair;
  return [
    ...defaultChange(pair),
    ...(old.isDeprecated === now.isDeprecated
      ? []
      : [createDelta(pair, 'neutral', 'deprecated', now.isDeprecated ? 'is deprecated' : 'is no longer deprecated')]),
    ...(old.opaque === now.opaque
      ? []
      : [createDelta(pair, 'different', 'if', 'has different rules, in keywords that are not compared')]),
  ];
}

/** Returns the change of a default, which changes the meaning of requests without the value. */
function defaultChange(pair: Compared): readonly Delta[] {
  const { old, now } = pair;
  if (old.fallback === now.fallback) return [];
  if (old.fallback === undefined) return [createDelta(pair, 'neutral', 'default', `defaults to ${now.fallback}`)];
  const instead =
    now.fallback === undefined ? 'no longer has a default, which was' : `defaults to ${now.fallback} instead of`;
  return [createDelta(pair, 'reinterpreted', 'default', `${instead} ${old.fallback}`)];
}
