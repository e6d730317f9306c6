import { type Document, getNode, resolvePointer, toNode } from '../openapi/document.ts';
import { findMediaType, removeTypeParameters } from '../openapi/media-types.ts';
import { formatPointer } from '../util/json-pointer.ts';
import type { Delta, Direction } from './change.ts';
import { getKeys } from './operation.ts';
import type { Compare } from './schema-pair.ts';
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
 * Returns the changes between two `content` objects: changes of the media types, and changes of their schemas.
 * `before` and `after`: the JSON Pointers of the objects.
 */
export function contentChanges(sides: Sides, before: string, after: string): readonly Delta[] {
  const [old, now] = [getKeys(sides.old, before), getKeys(sides.now, after)];
  const gone = old.filter((type) => findCorrespondingTypes(type, now).length === 0);
  const gained = now.filter((type) => !old.some((one) => findCorrespondingTypes(one, now).includes(type)));
  // Media types with the same schema have the same changes. So the messages do not name the media type, and each change
  // is reported once.
  const isOneSchema =
    new Set(
      old.map((type) => {
        const media = resolvePointer(sides.old, before + formatPointer(type));
        return createSchemaKey(readSchema(sides.old, `${media}/schema`));
      }),
    ).size < 2;
  const { root } = sides;
  return [
    ...gone.map((type): Delta => {
      const message = `${root} can no longer be ${type}`;
      return { effect: 'removed', before: before + formatPointer(type), after, message };
    }),
    ...gained.map((type): Delta => {
      const message = `${root} can also be ${type}`;
      return { effect: 'added', before, after: after + formatPointer(type), message };
    }),
    ...old.flatMap((type) =>
      findCorrespondingTypes(type, now).flatMap((other) => [
        ...rangeChange(sides, [type, before + formatPointer(type)], [other, after + formatPointer(other)]),
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
 * Returns the media types of the newer document that correspond to an older media type: the same media type, else a
 * range such as `text/*` that includes it.
 * For an older range, returns the newer media types in this range.
 */
function findCorrespondingTypes(type: string, now: readonly string[]): readonly string[] {
  const one = findMediaType(now, type);
  if (one !== undefined) return [one];
  return removeTypeParameters(type).endsWith('*')
    ? now.filter((other) => findMediaType([type], other) !== undefined)
    : [];
}

type MediaType = readonly [name: string, pointer: string];

function rangeChange({ root }: Sides, [old, before]: MediaType, [now, after]: MediaType): readonly Delta[] {
  const [wasRange, isRange] = [old, now].map((type) => removeTypeParameters(type).endsWith('*'));
  if (wasRange === isRange || removeTypeParameters(old) === removeTypeParameters(now)) return [];
  return [
    { effect: isRange ? 'wider' : 'narrower', before, after, message: `${root} can be ${now} instead of ${old}` },
  ];
}

function compareMedia(sides: Sides, before: string, after: string, type: string | undefined): readonly Delta[] {
  const { old, now, root, direction, compare } = sides;
  const [media, newMedia] = [resolvePointer(old, before), resolvePointer(now, after)];
  const name = type === undefined ? root : `${root} as ${type}`;
  const isStream = [getNode(old, media), getNode(now, newMedia)].some((node) => 'itemSchema' in toNode(node));
  const keys = isStream ? ['schema', 'itemSchema'] : ['schema'];
  return keys.flatMap((key) =>
    compare({
      before: readSchema(old, `${media}/${key}`),
      after: readSchema(now, `${newMedia}/${key}`),
      place: { steps: '', root: key === 'schema' ? name : `each item of ${name}` },
      direction,
    }),
  );
}
