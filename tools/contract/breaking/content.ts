import type { Document } from '../../../src/openapi/document.ts';
import { findMediaType, removeTypeParameters } from '../../../src/openapi/media-types.ts';
import { formatPointer } from '../../../src/util/json-pointer.ts';
import type { Delta, Direction } from './change.ts';
import type { Compare } from './compared.ts';
import { getKeys } from './operation.ts';
import { createSchemaKey, readSchema } from './schema-parts.ts';

/** The older and the newer document, and the kind of message (request or response) to compare in both. */
export interface Sides {
  readonly old: Document;
  readonly now: Document;
  /** The name of the message: "the request". */
  readonly root: string;
  readonly direction: Direction;
  readonly compare: Compare;
}

/**
 * Returns the changes between two `content` objects: changes of the media types, and changes of their schemas. `before` and `after`: the JSON Pointers of the
 * objects.
 */
export function contentChanges(sides: Sides, before: string, after: string): readonly Delta[] {
  const [old, now] = [getKeys(sides.old, before), getKeys(sides.now, after)];
  const gone = old.filter((type) => findCorrespondingTypes(type, now).length === 0);
  const gained = now.filter((type) => !old.some((one) => findCorrespondingTypes(one, now).includes(type)));
  // Media types with the same schema have the same changes. So the messages do not name the media type, and each change is reported once.
  const isOneSchema =
    new Set(old.map((type) => createSchemaKey(readSchema(sides.old, `${before}${formatPointer(type)}/schema`)))).size <
    2;
  return [
    ...gone.map((type): Delta => {
      const message = `${sides.root} can no longer be ${type}`;
      return { effect: 'removed', pointer: before + formatPointer(type), message };
    }),
    ...gained.map(
      (type): Delta => ({
        effect: 'added',
        pointer: after + formatPointer(type),
        message: `${sides.root} can also be ${type}`,
      }),
    ),
    ...old.flatMap((type) =>
      findCorrespondingTypes(type, now).flatMap((other) => [
        ...rangeChange(sides, type, other, after),
        ...compareMedia(
          sides,
          before + formatPointer(type),
          after + formatPointer(other),
          isOneSchema ? undefined : type,
        ),
      ]),
    ),
  ];
}

/**
 * Returns the media types of the newer document that correspond to an older media type: the same media type, else a range such as `text/*` that includes it.
 * For an older range, returns the newer media types in this range.
 */
function findCorrespondingTypes(type: string, now: readonly string[]): readonly string[] {
  const one = findMediaType(now, type);
  if (one !== undefined) return [one];
  return removeTypeParameters(type).endsWith('*')
    ? now.filter((other) => findMediaType([type], other) !== undefined)
    : [];
}

function rangeChange({ root }: Sides, old: string, now: string, after: string): readonly Delta[] {
  const [wasRange, isRange] = [old, now].map((type) => removeTypeParameters(type).endsWith('*'));
  if (wasRange === isRange || removeTypeParameters(old) === removeTypeParameters(now)) return [];
  const message = `${root} can be ${now} instead of ${old}`;
  return [{ effect: isRange ? 'wider' : 'narrower', pointer: after + formatPointer(now), message }];
}

function compareMedia(sides: Sides, before: string, after: string, type: string | undefined): readonly Delta[] {
  const { old, now, root, direction, compare } = sides;
  return compare({
    before: readSchema(old, `${before}/schema`),
    after: readSchema(now, `${after}/schema`),
    place: { steps: '', root: type === undefined ? root : `${root} as ${type}` },
    direction,
  });
}
