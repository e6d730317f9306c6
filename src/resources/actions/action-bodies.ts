import type { Route } from '../../openapi/routes.ts';
import { normalizeName } from '../../util/names.ts';
import {
  getPropertySchema,
  listEntryProperties,
  locateProperties,
  normalizeProperty,
} from '../document/entry-properties.ts';
import { isOnlyEnvelope } from '../document/envelopes.ts';
import { hasEntryResponse } from '../document/path-keys.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { listRomanceNouns } from '../document/verb-forms.ts';
import type { Effect, Resource } from '../resource.ts';
import { findStateTime, listActionWords, listStateWords, removeFillers, STATE_PROPERTIES } from './states.ts';

/** The properties in the body of an action. */
export interface ActionBody {
  /** The JSON Pointers of their schemas, by their names. */
  readonly properties: ReadonlyMap<string, string>;
  readonly required: readonly string[];
  /** The property names that lead to them in the request. */
  readonly requestPath: readonly string[];
  /** The property names that lead to where they belong in an entry: `['attributes']` for JSON:API. */
  readonly entryPath: readonly string[];
}

/** Returns the properties in the body of an action. Returns undefined if the body is no object. */
export function readActionBody(reader: SchemaReader, { schema }: Resource, route: Route): ActionBody | undefined {
  const request = reader.getRequestSchema(route);
  if (request === undefined || !reader.isObject(request)) return undefined;
  const place = locateProperties(reader, schema, request) ?? { requestPath: [], entryPath: [] };
  const object = reader.getInner(request, place.requestPath) ?? request;
  return { ...place, properties: reader.getProperties(object), required: reader.getRequired(object) };
}

/** Returns the path of a property of the body in an entry: `attributes.dueAt` for `dueAt`. */
export function toEntryProperty({ entryPath }: ActionBody, name: string): string {
  return [...entryPath, name].join('.');
}

/** Returns whether the body of an action requires a date or time that is no property of the entry. */
export function sendsOwnTime(reader: SchemaReader, { schema }: Resource, body: ActionBody | undefined): boolean {
  const known = listEntryProperties(reader, schema);
  return (body?.required ?? []).some((name) => {
    const format = reader.getKeyword(body?.properties.get(name) ?? '', 'format');
    return ['date', 'date-time'].includes(String(format)) && !known.has(toEntryProperty(body as ActionBody, name));
  });
}

/** Matches the names of properties with a remark on a change: `{ "status": "done", "note": "at last" }`. */
const REMARK = /^(?:notes?|comments?|reasons?|remarks?|message)$/;

/**
 * Returns whether an action sets the properties in its body that the entry has.
 * The others must be remarks beside a state or the property that the path names, such as `note` for
 * `/tasks/{taskId}/status`, or set a property with another name (`copies`).
 * Returns false if the response has other properties than the entry.
 */
export function setsProperties(
  reader: SchemaReader,
  resource: Resource,
  route: Route,
  { body, verb, copies }: { readonly body: ActionBody; readonly verb: string; readonly copies: Copies },
): boolean {
  const response = reader.getResponseSchema(route, route.successStatus);
  const known = listEntryProperties(reader, resource.schema);
  const names = [...body.properties.keys()];
  const set = names.filter((name) => known.has(toEntryProperty(body, name)));
  const isNamed = set.some((name) => [normalizeName(verb), ...STATE_PROPERTIES].includes(normalizeName(name)));
  const isBeside = (name: string) =>
    copies.some(({ from }) => from === name) || (isNamed && REMARK.test(normalizeName(name)));
  const isShown =
    response === undefined || isOnlyEnvelope(reader, response) || hasEntryResponse(reader, resource, route);
  const isId = body.entryPath.length === 0 && set.includes(resource.id.property ?? '');
  return isShown && set.length > 0 && !isId && names.every((name) => set.includes(name) || isBeside(name));
}

type Copies = NonNullable<Effect['copies']>;

/**
 * Returns the properties in the body of an action that set a property with another name: `cancellationReason` for the
 * `reason` of `cancel`, and `motif_annulation` for the `motif` of `annuler`. The name has the action or its noun, and
 * no other property has such a name. A required date such as `completionDate` of `complete` sets `lastCompletedAt`.
 */
export function findCopies(
  reader: SchemaReader,
  { schema }: Resource,
  body: ActionBody | undefined,
  verb: string,
): Copies {
  if (!body) return [];
  const known = listEntryProperties(reader, schema);
  const words = listActionWords(verb);
  const nouns = listRomanceNouns(verb);
  const time = findStateTime(reader, schema, verb);
  return [...body.properties].flatMap(([from, pointer]) => {
    const own = normalizeName(from);
    const isDate = ['date', 'date-time'].includes(String(reader.getKeyword(pointer, 'format')));
    const stem = own.replace(/(?:at|on|date|time)$/, '');
    const isNamed = stem === '' || [...words, ...listStateWords(removeFillers(verb))].includes(stem);
    if (time !== undefined && isDate && isNamed && body.required.includes(from) && !known.has(from))
      return [{ from, to: time }];
    const names = [...words.map((word) => word + own), ...nouns.flatMap((noun) => [own + noun, `${own}de${noun}`])];
    const [to, ...others] = [...known.keys()].filter((property) => names.includes(normalizeProperty(property)));
    if (known.has(toEntryProperty(body, from)) || to === undefined || others.length > 0) return [];
    const types = reader.getTypes(getPropertySchema(reader, schema, to) ?? '');
    return reader.getTypes(pointer).every((type) => types.includes(type)) ? [{ from, to }] : [];
  });
}

/** Returns the properties in the body of an action that have no effect. The id and the type only name the entry. */
export function listIgnoredProperties(
  reader: SchemaReader,
  { schema, id }: Resource,
  body: ActionBody | undefined,
  { setsBody, copies = [], counter }: Pick<Effect, 'setsBody' | 'copies' | 'counter'>,
): readonly string[] {
  if (!body) return [];
  const known = listEntryProperties(reader, schema);
  const used = copies.map(({ from }) => from);
  return [...body.properties.keys()].filter((name) => {
    const isNamed = name === id.property || (body.entryPath.length > 0 && name === 'type');
    const isSet = setsBody && known.has(toEntryProperty(body, name));
    const isCounted = counter?.isSent === true && counter.property === toEntryProperty(body, name);
    return !isNamed && !isSet && !isCounted && !used.includes(name);
  });
}
