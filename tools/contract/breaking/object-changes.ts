import type { Delta } from './change.ts';
import { type Compare, type Compared, createDelta, formatPlace, getChildPlace } from './compared.ts';
import type { Schema } from './schema-parts.ts';
import { getSharedTypes } from './value-changes.ts';

/** Returns the changes of the properties of objects. */
export function objectChanges(pair: Compared, compare: Compare): readonly Delta[] {
  if (!getSharedTypes(pair).includes('object')) return [];
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
  const [before, after] = [old.properties[name] ?? [], getOwn(now.properties, name)];
  const at = getChildPlace(place, name);
  if (after) return compare({ before, after, place: at, direction });
  // Additional properties may still allow it, as far as their schema does.
  if (now.others && now.others.length > 0) return compare({ before, after: now.others, place: at, direction });
  return [{ effect: 'removed', pointer: getSchemaPointer(before), message: `${formatPlace(at)} is removed` }];
}

/** Returns the change of a new property. In an open object, a new property counts only if it is required, because older clients do not send it. */
function addedProperty(pair: Compared, name: string, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const after = now.properties[name];
  if (!after || getOwn(old.properties, name)) return [];
  const at = getChildPlace(place, name);
  if (old.others && old.others.length > 0) return compare({ before: old.others, after, place: at, direction });
  const pointer = getSchemaPointer(after);
  // The older schema was closed, so clients don't expect other properties.
  if (!old.others)
    return [
      { effect: 'wider', pointer, message: `${formatPlace(at)} is new, although additional properties were forbidden` },
    ];
  return now.required.includes(name) && direction === 'request'
    ? [] // Reported as a required property.
    : [{ effect: 'added', pointer, message: `${formatPlace(at)} is new` }];
}

function requiredChanges(pair: Compared): readonly Delta[] {
  const { old, now, place } = pair;
  const isThere = (name: string) => getOwn(now.properties, name) !== undefined;
  const won = now.required.filter((name) => !old.required.includes(name));
  // A removed property is reported as such.
  const removed = old.required.filter(
    (name) => !now.required.includes(name) && (isThere(name) || !getOwn(old.properties, name)),
  );
  const change = (name: string, effect: Delta['effect'], words: string) => ({
    ...createDelta({ ...pair, place: getChildPlace(place, name) }, effect, 'required', words),
  });
  return [
    ...won
      // A new required property of a response is reported as a new property.
      .filter((name) => pair.direction === 'request' || getOwn(old.properties, name) || !isThere(name))
      .map((name) =>
        change(name, 'narrower', getOwn(old.properties, name) ? 'is now required' : 'is new and required'),
      ),
    ...removed.map((name) => change(name, 'wider', 'is no longer required')),
  ];
}

/** Returns the changes of additional properties: whether they are allowed, and their schema. */
function otherChanges(pair: Compared, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  if (old.others && now.others) {
    return compare({ before: old.others, after: now.others, place: getChildPlace(place, '*'), direction });
  }
  if (!old.others && !now.others) return [];
  return now.others
    ? [createDelta(pair, 'wider', 'additionalProperties', 'can have additional properties, which were forbidden')]
    : [createDelta(pair, 'narrower', 'additionalProperties', 'can no longer have additional properties')];
}

function patternChanges(pair: Compared, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const patterns = new Set([...Object.keys(old.patternProperties), ...Object.keys(now.patternProperties)]);
  return [...patterns].flatMap((pattern) => {
    // Additional properties are those that match no pattern.
    const before = getOwn(old.patternProperties, pattern) ?? old.others ?? [];
    const after = getOwn(now.patternProperties, pattern) ?? now.others ?? [];
    return compare({ before, after, place: getChildPlace(place, `/${pattern}/`), direction });
  });
}

function getOwn(record: Readonly<Record<string, Schema>>, name: string): Schema | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function getSchemaPointer(schema: Schema): string {
  return schema[0]?.pointer ?? '';
}
