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

/** A pair that is still to be compared, and which of its changes count. */
interface Waiting {
  readonly pair: Pair;
  readonly keep: Keep;
}

/**
 * Compares schemas of two documents: the changes from one to the other, wherever in them, each once. Schemas may lead back to themselves, and from
 * one component to the next for hundreds of steps: these wait in a queue.
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
      // What leads back to itself, or is there twice, was told where it was seen first.
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
    // The queue grows while it is gone through.
    for (const { pair: next, keep } of queue) found.push(...visit(next, keep));
    return found;
  };
}

type SameSchemas = ReturnType<typeof sameness>;

/**
 * Compares a pair by itself: what is in components of one name is told where these are compared, and components of other names are others unless they
 * are word for word the same. So it looks no further than the schema is written out.
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

/** Tells what the schemas of a pair say, each looked up once. */
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

/** The component that a schema is; undefined for one that is written out in its place. */
function nameOf([first]: Schema): string | undefined {
  return first !== undefined && /^\/components\/schemas\/[^/]+$/.test(first.pointer) ? first.pointer : undefined;
}

function keyOfPair({ before, after, direction }: Pair): string {
  return `${direction} ${keyOf(before)} → ${keyOf(after)}`;
}

/** Remembers what was made under a key; `meanwhile` is given back to those who ask while it is made. */
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

/** How what is in a schema is compared: `trial` by itself alone. */
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

/** What changed in limits of values; where values are listed these are held against the limits instead. */
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

/** What narrows an exclusion widens what is left, and the other way round. */
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
