import { isNode } from '../openapi/document.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { Delta } from './change.ts';
import { type Compare, type ComparedSchemas, createDelta, formatPlace, getChildPlace } from './schema-pair.ts';
import type { Schema } from './schema-parts.ts';
import { getSharedTypes } from './value-changes.ts';

/** Returns the changes of the properties of objects. */
export function objectChanges(pair: ComparedSchemas, compare: Compare): readonly Delta[] {
  if (!getSharedTypes(pair).includes('object')) return [];
  return [
    ...Object.keys(pair.old.properties).flatMap((name) => propertyChanges(pair, name, compare)),
    ...Object.keys(pair.now.properties).flatMap((name) => addedProperty(pair, name, compare)),
    ...requiredChanges(pair),
    ...otherChanges(pair, compare),
    ...patternChanges(pair, compare),
  ];
}

function propertyChanges(pair: ComparedSchemas, name: string, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const [before, after] = [old.properties[name] ?? [], getOwn(now.properties, name)];
  const at = getChildPlace(place, name);
  if (after) return compare({ before, after, place: at, direction });
  // The newer object may still allow the property as an additional property.
  if (now.others && now.others.length > 0) return compare({ before, after: now.others, place: at, direction });
  return [
    {
      effect: 'removed',
      before: getSchemaPointer(before),
      after: getSchemaPointer(pair.after),
      message: `${formatPlace(at)} is removed`,
    },
  ];
}

/**
 * Returns the changes of a new property.
 * If the older object has a schema for additional properties, compares this schema with the schema of the property.
 * `requiredChanges` reports a new required property of a request.
 */
function addedProperty(pair: ComparedSchemas, name: string, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const after = now.properties[name];
  if (!after || getOwn(old.properties, name)) return [];
  const at = getChildPlace(place, name);
  if (old.others && old.others.length > 0) return compare({ before: old.others, after, place: at, direction });
  const places = { before: getSchemaPointer(pair.before), after: getSchemaPointer(after) };
  // The older schema forbids additional properties, so clients may not expect a new property.
  if (!old.others)
    return [
      {
        effect: 'wider',
        ...places,
        message: `${formatPlace(at)} is new, although additional properties were forbidden`,
      },
    ];
  return now.required.includes(name) && direction === 'request'
    ? [] // Reported as a required property.
    : [{ effect: 'added', ...places, message: `${formatPlace(at)} is new` }];
}

function requiredChanges(pair: ComparedSchemas): readonly Delta[] {
  const { old, now, place } = pair;
  const isThere = (name: string) => getOwn(now.properties, name) !== undefined;
  const won = now.required.filter((name) => !old.required.includes(name));
  // `propertyChanges` reports removed properties.
  const removed = old.required.filter(
    (name) => !now.required.includes(name) && (isThere(name) || !getOwn(old.properties, name)),
  );
  const change = (name: string, effect: Delta['effect'], words: string): Delta => {
    const message = `${formatPlace(getChildPlace(place, name))} ${words}`;
    return {
      effect,
      before: getRequiredPointer(pair.before, name),
      after: getRequiredPointer(pair.after, name),
      message,
    };
  };
  return [
    ...won
      // `addedProperty` reports a new required property of a response.
      .filter((name) => pair.direction === 'request' || getOwn(old.properties, name) || !isThere(name))
      .map((name) =>
        change(name, 'narrower', getOwn(old.properties, name) ? 'is now required' : 'is new and required'),
      ),
    ...removed.map((name) => change(name, 'wider', 'is no longer required')),
  ];
}

/** Returns the changes of additional properties: whether they are allowed, and their schema. */
function otherChanges(pair: ComparedSchemas, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  if (old.others && now.others) {
    return compare({ before: old.others, after: now.others, place: getChildPlace(place, '*'), direction });
  }
  if (!old.others && !now.others) return [];
  return now.others
    ? [createDelta(pair, 'wider', 'additionalProperties', 'can have additional properties, which were forbidden')]
    : [createDelta(pair, 'narrower', 'additionalProperties', 'can no longer have additional properties')];
}

function patternChanges(pair: ComparedSchemas, compare: Compare): readonly Delta[] {
  const { old, now, place, direction } = pair;
  const patterns = new Set([...Object.keys(old.patternProperties), ...Object.keys(now.patternProperties)]);
  return [...patterns].flatMap((pattern) => {
    // If an object lacks the pattern, the properties that match it are additional properties.
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

/** Returns the JSON Pointer of a name in `required`, else that of the property, else that of the schema. */
function getRequiredPointer(schema: Schema, name: string): string {
  const requiring = schema.find(({ node }) => Array.isArray(node.required) && node.required.includes(name));
  if (requiring)
    return `${requiring.pointer}/required/${(requiring.node.required as readonly unknown[]).indexOf(name)}`;
  const declaring = schema.find(({ node }) => isNode(node.properties) && Object.hasOwn(node.properties, name));
  return declaring ? declaring.pointer + formatPointer('properties', name) : getSchemaPointer(schema);
}
