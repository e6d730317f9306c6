import { DomainError, type Input } from '../../application.ts';
import { isNode, omitKeys, toNode } from '../../openapi/document.ts';
import { findMediaType, isParsedType, isXmlType } from '../../openapi/media-types.ts';
import { getShape } from '../../openapi/responses.ts';
import { getSchemaParts } from '../../openapi/schema-parts.ts';
import type { Entry } from '../../store/state.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { getInner, setInner } from '../entries/entry-values.ts';
import { isUpload } from '../entries/file-properties.ts';
import { nestNames } from '../entries/nested-names.ts';
import { PATH_VALUES, type Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { matchNames } from '../users/sent-names.ts';
import type { SchemaReader } from './schema-reader.ts';

/** Returns the entry in a request body, without default values. */
export function getBody(model: ResourceModel, plan: Plan, input: Input): Entry {
  return readBodies(model, plan, input, (sent) => sent)[0] ?? {};
}

/** Returns the entries in a request body, which has one entry or a list, with the default values of its schema. */
export function getBodies(model: ResourceModel, plan: Plan, input: Input): readonly Entry[] {
  return readBodies(model, plan, input, (sent) => model.addRequestDefaults(plan, sent));
}

function readBodies(
  model: ResourceModel,
  plan: Plan,
  input: Input,
  complete: (sent: Entry) => Entry,
): readonly Entry[] {
  const { reader } = model;
  const { body, headers } = input;
  const { route, resource, requestPath, entryPath } = plan;
  if (body === undefined) requireReadableType(plan, input);
  return [getInner(body, requestPath)].flat().map((value) => {
    const schema = reader.getInner(resource.schema, entryPath) ?? '';
    const known = isUpload(route)
      ? readJsonPart(reader, schema, toNode(value))
      : pickKnown(reader, plan, requestPath, toNode(value), headers);
    const nested = nestNames(model, plan, complete(omitKeys(known, [PATH_VALUES])));
    return setInner({}, entryPath, matchNames(reader, schema, nested));
  });
}

/** Matches the names of form fields with the properties of an entry as JSON, beside a file. */
const JSON_PART = /^(?:data|json|payload|body|metadata|meta|info|request)$/i;

/**
 * Returns the properties of a form with a file. A text field such as `data` can have those of the entry as JSON.
 * `schema`: the JSON Pointer of the schema of the entry.
 */
function readJsonPart(reader: SchemaReader, schema: string, sent: Entry): Entry {
  const known = reader.getProperties(schema);
  const name = Object.keys(sent).find((one) => JSON_PART.test(one) && !known.has(one));
  const text = name === undefined ? undefined : sent[name];
  if (name === undefined || typeof text !== 'string' || !text.trimStart().startsWith('{')) return sent;
  const value = tryOrUndefined(() => JSON.parse(text));
  const own = isNode(value) ? Object.entries(value).filter(([property]) => known.has(property)) : [];
  return own.length === 0 ? sent : { ...omitKeys(sent, [name]), ...Object.fromEntries(own) };
}

/**
 * Returns a copy of an object in a request body with only the properties that the document describes, as most servers
 * do: they ignore others.
 * `path`: the property names that lead to the object, or to a list of objects.
 */
export function pickKnown(
  reader: SchemaReader,
  { route }: Pick<Plan, 'route'>,
  path: readonly string[],
  sent: Entry,
  headers: Input['headers'],
): Entry {
  const type = findMediaType(Object.keys(route.bodyMedia), headers['content-type'] ?? '');
  const schema = getShape(route.bodyMedia[type ?? '']) ?? reader.getRequestSchema(route);
  const inner = schema === undefined ? undefined : reader.getInner(schema, path);
  const place = inner === undefined ? undefined : (reader.getItems(inner) ?? inner);
  if (place === undefined) return sent;
  // A part of an `allOf` can make a property of another part `readOnly`.
  const parts = getSchemaParts(reader.document, place).map(({ node }) => toNode(node.properties));
  const readOnly = Object.keys(sent).filter((name) =>
    parts.some((properties) => Object.hasOwn(properties, name) && toNode(properties[name]).readOnly === true),
  );
  return omitUnknown(reader, [place], omitKeys(sent, readOnly)) as Entry;
}

/**
 * Returns a copy of a value without the properties that none of its schemas describes, also in nested objects.
 * A schema without properties, or with `additionalProperties`, describes all.
 * `schemas`: the JSON Pointers of the schemas; a part of a value with alternatives (`oneOf`) can have several.
 */
function omitUnknown(reader: SchemaReader, schemas: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => reader.listItems(schema));
    return items.length === 0 ? value : value.map((one) => omitUnknown(reader, items, one));
  }
  if (!isNode(value)) return value;
  const isOpen = schemas.some((schema) => describesAll(reader, schema));
  const kept = Object.entries(value).flatMap(([name, own]) => {
    const pointers = schemas.flatMap((schema) => reader.listPropertySchemas(schema, name));
    if (pointers.length > 0) return [[name, omitUnknown(reader, pointers, own)]];
    return isOpen ? [[name, own]] : [];
  });
  return Object.fromEntries(kept);
}

function describesAll(reader: SchemaReader, schema: string): boolean {
  if (reader.getProperties(schema).size > 0) return reader.allowsOtherProperties(schema);
  const types = reader.getTypes(schema);
  return types.length === 0 || types.includes('object');
}

/**
 * Throws a `DomainError` if the body of a request was not read because of its media type, such as text/csv.
 * Decision: an operation that documents only such types, for example for files, ignores the body.
 */
function requireReadableType({ route }: Plan, { headers }: Input): void {
  const { 'content-type': sent, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (sent === undefined || (length === '0' && coding === undefined)) return;
  const readable = Object.keys(route.bodyMedia).filter((type) => isParsedType(type) || isXmlType(type));
  const documented = findMediaType(Object.keys(route.bodyMedia), sent);
  if (documented === undefined || readable.length === 0 || isParsedType(documented)) return;
  const others = readable.filter((type) => type !== documented);
  const detail = `the server can't read bodies of the type ${JSON.stringify(sent)}: send the body with Content-Type ${others.join(' or ')}`;
  if (others.length > 0) throw new DomainError('unreadable-type', detail);
}
