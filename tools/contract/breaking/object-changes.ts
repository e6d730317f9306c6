import type { Delta } from './change.ts';
import { below, type Compare, type Compared, delta, named } from './compared.ts';
import type { Schema } from './schema-parts.ts';
import { shared } from './value-changes.ts';

/** What changed in the properties of objects. */
export function objectChanges(pair: Compared, compare: Compare): readonly Delta[] {
  if (!shared(pair).includes('object')) return [];
  return [
    ...Object.keys(pair.old.properties).flatMap((name) => propertyChanges(pair, name, compare)),
    ...Object.keys(pair.now.properties).flatMap((name) => addedProperty(pair, name, compare)),
    ...requiredChanges(pair),
    ...otherChanges(pair, compare),
    ...patternChanges(pair, compare),
  ];
}

function propertyChanges(pair: Compared, name: string, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const [before, after] = [old.properties[name] ?? [], own(now.properties, name)];
  const at = below(place, name);
  if (after) return compare({ before, after, place: at, direction });
  // A map that takes its place still holds it, as far as its schema does.
  if (now.others && now.others.length > 0) return compare({ before, after: now.others, place: at, direction });
  return [{ effect: 'gone', pointer: pointerOf(before), message: `${named(at)} is removed` }];
}

/** A new property narrows what an open object held under its name, but nobody gave it: what counts is whether it has to be given. */
function addedProperty(pair: Compared, name: string, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const after = now.properties[name];
  if (!after || own(old.properties, name)) return [];
  const at = below(place, name);
  if (old.others && old.others.length > 0) return compare({ before: old.others, after, place: at, direction });
  const pointer = pointerOf(after);
  // Of an object that was closed clients were told that it has no others.
  if (!old.others)
    return [
      { effect: 'widened', pointer, message: `${named(at)} is new, although additional properties were forbidden` },
    ];
  return now.required.includes(name) && direction === 'request'
    ? [] // Told as a property that has to be there.
    : [{ effect: 'gained', pointer, message: `${named(at)} is new` }];
}

function requiredChanges(pair: Compared): readonly Delta[] {
  const { old, now, place } = pair;
  const isThere = (name: string) => own(now.properties, name) !== undefined;
  const won = now.required.filter((name) => !old.required.includes(name));
  // What is gone is told as that.
  const lost = old.required.filter(
    (name) => !now.required.includes(name) && (isThere(name) || !own(old.properties, name)),
  );
  const told = (name: string, effect: Delta['effect'], words: string) => ({
    ...delta({ ...pair, place: below(place, name) }, effect, 'required', words),
  });
  return [
    ...won
      // An answer that always has a new property is told as one that has it.
      .filter((name) => pair.direction === 'request' || own(old.properties, name) || !isThere(name))
      .map((name) => told(name, 'narrowed', own(old.properties, name) ? 'is now required' : 'is new and required')),
    ...lost.map((name) => told(name, 'widened', 'is no longer required')),
  ];
}

/** What changed in whether, and by what, properties other than those named hold. */
function otherChanges(pair: Compared, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  if (old.others && now.others) {
    return compare({ before: old.others, after: now.others, place: below(place, '*'), direction });
  }
  if (!old.others && !now.others) return [];
  return now.others
    ? [delta(pair, 'widened', 'additionalProperties', 'can have additional properties, which were forbidden')]
    : [delta(pair, 'narrowed', 'additionalProperties', 'can no longer have additional properties')];
}

function patternChanges(pair: Compared, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const patterns = new Set([...Object.keys(old.patternProperties), ...Object.keys(now.patternProperties)]);
  return [...patterns].flatMap((pattern) => {
    // Names that no pattern speaks of hold by what other properties hold by.
    const before = own(old.patternProperties, pattern) ?? old.others ?? [];
    const after = own(now.patternProperties, pattern) ?? now.others ?? [];
    return compare({ before, after, place: below(place, `/${pattern}/`), direction });
  });
}

function own(record: Readonly<Record<string, Schema>>, name: string): Schema | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function pointerOf(schema: Schema): string {
  return schema[0]?.pointer ?? '';
}
