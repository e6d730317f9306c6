import type { Delta } from './change.ts';
import { below, type Compare, type Compared, delta, named } from './compared.ts';
import type { Schema } from './schema-parts.ts';
import { shared } from './value-changes.ts';

/** Returns the changes of the properties of objects. */
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
  // Additional properties may still allow it, as far as their schema does.
  if (now.others && now.others.length > 0) return compare({ before, after: now.others, place: at, direction });
  return [{ effect: 'gone', pointer: pointerOf(before), message: `${named(at)} is removed` }];
}

/** Returns the change of a new property. An open object allowed any value under its name, but nobody sent it: only whether it is required counts. */
function addedProperty(pair: Compared, name: string, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const after = now.properties[name];
  if (!after || own(old.properties, name)) return [];
  const at = below(place, name);
  if (old.others && old.others.length > 0) return compare({ before: old.others, after, place: at, direction });
  const pointer = pointerOf(after);
  // The older schema was closed, so clients don't expect other properties.
  if (!old.others)
    return [
      { effect: 'widened', pointer, message: `${named(at)} is new, although additional properties were forbidden` },
    ];
  return now.required.includes(name) && direction === 'request'
    ? [] // Reported as a required property.
    : [{ effect: 'gained', pointer, message: `${named(at)} is new` }];
}

function requiredChanges(pair: Compared): readonly Delta[] {
  const { old, now, place } = pair;
  const isThere = (name: string) => own(now.properties, name) !== undefined;
  const won = now.required.filter((name) => !old.required.includes(name));
  // A removed property is reported as such.
  const removed = old.required.filter(
    (name) => !now.required.includes(name) && (isThere(name) || !own(old.properties, name)),
  );
  const change = (name: string, effect: Delta['effect'], words: string) => ({
    ...delta({ ...pair, place: below(place, name) }, effect, 'required', words),
  });
  return [
    ...won
      // A new required property of a response is reported as a new property.
      .filter((name) => pair.direction === 'request' || own(old.properties, name) || !isThere(name))
      .map((name) => change(name, 'narrowed', own(old.properties, name) ? 'is now required' : 'is new and required')),
    ...removed.map((name) => change(name, 'widened', 'is no longer required')),
  ];
}

/** Returns the changes of additional properties: whether they are allowed, and their schema. */
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
    // Additional properties are those that match no pattern.
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
