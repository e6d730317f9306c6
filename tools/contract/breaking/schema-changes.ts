import type { Document } from '../../../src/openapi/document.ts';
import {
  alternativeChanges,
  alternativeTrial,
  choiceOf,
  hasAlternatives,
  type Keep,
  type Names,
  type Trial,
} from './alternatives.ts';
import type { Delta, Direction, Effect } from './change.ts';
import { below, type Compare, type Compared, delta, type Pair } from './compared.ts';
import { objectChanges } from './object-changes.ts';
import { sameness } from './same.ts';
import { type Facts, factsOf } from './schema-facts.ts';
import { keyOf, type Schema } from './schema-parts.ts';
import {
  choiceChanges,
  countChanges,
  formatChanges,
  numberChanges,
  shared,
  textChanges,
  typeChanges,
} from './value-changes.ts';

/** A pair to compare, and which of its changes are reported. */
interface Waiting {
  readonly pair: Pair;
  readonly keep: Keep;
}

/**
 * Creates the comparison of the schemas of two documents; it returns each change once. Schemas may be recursive, and chains of components may be
 * hundreds long, so pairs wait in a queue.
 */
export function schemaComparison(before: Document, after: Document): Compare {
  const isSame = sameness(before, after);
  const compared = withFacts();
  const trial = trials(isSame, compared);
  const choices = remembered<ReturnType<typeof choiceOf>>();
  return (pair) => {
    const seen = new Set<string>();
    const queue: Waiting[] = [{ pair, keep: () => true }];
    const visit = (next: Pair, keep: Keep): readonly Delta[] => {
      const key = keyOfPair(next);
      // A recursive or repeated pair was reported at its first place.
      if (seen.has(key) || isSame(next.before, next.after)) return [];
      seen.add(key);
      if (hasAlternatives(next.before) || hasAlternatives(next.after)) {
        const choice = choices(key, () => choiceOf(next, trial));
        return alternativeChanges(next, choice, (one, kept) => queue.push({ pair: one, keep: kept })).filter(keep);
      }
      const compare: Compare = (child) => {
        const [old, now] = [nameOf(child.before), nameOf(child.after)];
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

type SameSchemas = ReturnType<typeof sameness>;

/**
 * Compares a pair without its components: those of the same name are compared separately, and those of different names count as different unless they
 * are equal. So only inline schemas are visited.
 */
function trials(isSame: SameSchemas, compared: (pair: Pair) => Compared): Trial {
  const made = remembered<readonly Delta[]>();
  const byName = (pair: Pair, [old, now]: Names): readonly Delta[] =>
    old === now || isSame(pair.before, pair.after) ? [] : [delta(pair, 'reshaped', '$ref', 'has a different schema')];
  const areNamed = (names: Names) => names.some((name) => name !== undefined);
  const nested: Trial = (pair, names) => (areNamed(names) ? byName(pair, names) : trial(pair, names));
  const compare: Compare = (pair) => nested(pair, [nameOf(pair.before), nameOf(pair.after)]);
  const tried = (pair: Pair): readonly Delta[] => {
    if (isSame(pair.before, pair.after)) return [];
    if (hasAlternatives(pair.before) || hasAlternatives(pair.after))
      return alternativeTrial(pair, choiceOf(pair, nested));
    return plainChanges(compared(pair), { compare, trial });
  };
  const trial: Trial = (pair) => made(keyOfPair(pair), () => tried(pair), []);
  return trial;
}

/** Creates a function that returns the facts of a pair; each schema is read once. */
function withFacts(): (pair: Pair) => Compared {
  const facts = remembered<Facts>();
  const factsFor = (schema: Schema, direction: Direction, side: string) =>
    facts(`${side} ${direction} ${keyOf(schema)}`, () => factsOf(schema, direction));
  return (pair) => ({
    ...pair,
    old: factsFor(pair.before, pair.direction, 'before'),
    now: factsFor(pair.after, pair.direction, 'after'),
  });
}

/** Returns the component that a schema refers to; undefined for an inline schema. */
function nameOf([first]: Schema): string | undefined {
  return first !== undefined && /^\/components\/schemas\/[^/]+$/.test(first.pointer) ? first.pointer : undefined;
}

function keyOfPair({ before, after, direction }: Pair): string {
  return `${direction} ${keyOf(before)} → ${keyOf(after)}`;
}

/** Creates a cache of computed values by key; a recursive call for the same key returns `meanwhile`. */
function remembered<Value>(): (key: string, make: () => Value, meanwhile?: Value) => Value {
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

/** The functions that compare subschemas; `trial` compares a pair without its components. */
interface Within {
  readonly compare: Compare;
  readonly trial: Trial;
}

function plainChanges(pair: Compared, { compare, trial }: Within): readonly Delta[] {
  const types = shared(pair);
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

/** Returns the changes of the limits of values; listed values are validated against the limits instead. */
function limitChanges(pair: Compared): readonly Delta[] {
  const types = shared(pair);
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
      : [delta(pair, now.hasUniqueItems ? 'narrowed' : 'widened', 'uniqueItems', words)]),
    ...compare({ before: old.items, after: now.items, place: below(place, '[]'), direction }),
  ];
}

/** The opposite effects: a narrower `not` allows more values, and a wider one fewer. */
const OPPOSITE: Partial<Record<Effect, Effect>> = { narrowed: 'widened', widened: 'narrowed', gone: 'reshaped' };

function exclusions(pair: Compared, trial: Trial): readonly Delta[] {
  const [before, after] = [pair.old.not, pair.now.not];
  if (before.length === 1 && after.length === 1) {
    const [old = [], now = []] = [before[0], after[0]];
    const inner = trial({ ...pair, before: old, after: now }, []);
    return inner.map((one) => ({
      ...one,
      effect: OPPOSITE[one.effect] ?? one.effect,
      message: `${one.message} in what it must not be`,
    }));
  }
  if (before.length === after.length) return [];
  return after.length > before.length
    ? [delta(pair, 'narrowed', 'not', 'forbids more')]
    : [delta(pair, 'widened', 'not', 'forbids less')];
}

/** Returns the changes of annotations: default, deprecated, and keywords that are not compared. */
function remarks(pair: Compared): readonly Delta[] {
  const { old, now } = pair;
  return [
    ...defaultChange(pair),
    ...(old.isDeprecated === now.isDeprecated
      ? []
      : [delta(pair, 'noted', 'deprecated', now.isDeprecated ? 'is deprecated' : 'is no longer deprecated')]),
    ...(old.opaque === now.opaque
      ? []
      : [delta(pair, 'reshaped', 'if', 'has different rules, in keywords that are not compared')]),
  ];
}

/** Returns the change of a default; with another one, or none, requests that omit the value have a different meaning. */
function defaultChange(pair: Compared): readonly Delta[] {
  const { old, now } = pair;
  if (old.fallback === now.fallback) return [];
  if (old.fallback === undefined) return [delta(pair, 'noted', 'default', `defaults to ${now.fallback}`)];
  const instead =
    now.fallback === undefined ? 'no longer has a default, which was' : `defaults to ${now.fallback} instead of`;
  return [delta(pair, 'reread', 'default', `${instead} ${old.fallback}`)];
}
